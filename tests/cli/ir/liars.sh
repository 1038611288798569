# needs: valgrind
# Subjects that lie: one line, no verdict.
for lie in $(ls -d "$SUBJECTS"/liar-* | grep -Ev "(plant|hoard|still|loose|env|chance)$") "$SUBJECTS"/silent "$SUBJECTS"/script; do
    cd "$lie" || exit
    echo "${lie##*/}:"
    "$CKBENCH" ir --base ../plant-0 --layouts 1 --child-timeout 0.05 >out.txt 2>messages.txt
    echo "  exit $?"
    cat messages.txt
    sed -n 's/^  //p; s/^The run could not prove itself: //p' out.txt
    tail -n 1 out.txt
    rm -f out.txt messages.txt
done 2>&1 | sed -E "s:$SUBJECTS:SUBJECTS:g; s/\b[0-9]{3,}\b/N/g"
