# A cache that tells the truth, and the same one lying about who answered in four ways: each is exit 3.
for which in honest lies_hit lies_miss lies_near lies_nowhere; do
    "$CKBENCH" terrain --subject "$SUBJECTS/terrains/terrains" --terrain $which --clock virtual --calls 20000 --keys 2000 --rate 1000 \
        --late queue --miss-ms 0.001 --l2-where "in process" --out $which.json >out 2>err
    echo "$which: exit $?: $(cat err)"
    grep -oE '^books: [a-z]*|wrong: [^:]*: [^:]*|no layer can be said' out
done
"$CKBENCH_SOURCE/tests/cli/valid" ./*.json | sort -u
