for verb in ir list doctor; do
    "$CKBENCH" help $verb >one || exit
    "$CKBENCH" $verb --help >two || exit
    "$CKBENCH" $verb -h --nonsense >three || exit
    cmp one two && cmp one three || exit
    awk -v verb=$verb 'length > 80 { print verb ": over 80 columns: " $0 }' one
done
