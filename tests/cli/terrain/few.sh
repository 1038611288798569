# Below 100 calls no quantile is said, below 2,000 it has a band, with 100 p99 has no upper end.
story=$CKBENCH_SOURCE/tests/subjects/terrain_script.py
for slices in 3 4 66 67 80; do
    echo "== $slices slices"
    "$CKBENCH" terrain --subject "$story" --terrain story --option slices=$slices --l2-where "in a script" | grep -E 'service'
done
"$CKBENCH" terrain --subject "$story" --terrain story --option slices=0 --l2-where "in a script" --out none.json >out
echo "exit $?"
"$CKBENCH_SOURCE/tests/cli/valid" none.json
grep -ciE '[:,[](-?nan|-?inf)' none.json out
