# needs: seconds
# A story that is known to the last call; each lie about it is found, and nothing is taken for granted.
story=$CKBENCH_SOURCE/tests/subjects/terrain_script.py
for lie in none silent layer loader unattributed cells quantile response dropped found absent untold dies refuses; do
    echo "== $lie"
    "$CKBENCH" terrain --subject "$story" --terrain story --option "lie=$lie" --l2-where "in a script" --out "$lie.json" >out 2>err
    echo "exit $?"
    grep -E '^books|wrong|unverified|no layer' out
    cat err
done
"$CKBENCH_SOURCE/tests/cli/valid" ./*.json
"$CKBENCH" terrain --subject "$story" --terrain story --l2-where "in a script" --option slices=40
