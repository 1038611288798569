for words in --version --help 'help ir' 'list --help' 'list --subject '"$SUBJECTS"'/foreign/foreign' \
    "list --json --subject $SUBJECTS/foreign/foreign"; do
    "$CKBENCH" $words >/dev/full
    echo $?
done
