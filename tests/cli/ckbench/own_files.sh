# What the repository itself holds follows the schemas.
"$CKBENCH_SOURCE/tests/cli/valid" "$CKBENCH_SOURCE/ckbench.json"
for file in "$CKBENCH_SOURCE"/baselines/*.json; do
    [ ! -e "$file" ] || "$CKBENCH_SOURCE/tests/cli/valid" "$file" >out || echo "$file"
done
