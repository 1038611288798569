"$CKBENCH" time
echo "$?"
"$CKBENCH" time --path nope --subject "$SUBJECTS/plant-0/planted" 2>&1 | sed "s:$SUBJECTS:SUBJECTS:"
echo "${PIPESTATUS[0]}"
for wrong in --runs=1 --samples=4 --warmup=0 --calls=0; do
    "$CKBENCH" time --path plant_ir $wrong
    echo "$?"
done
workloads=$CKBENCH_BUILD/workloads/ck-workloads
for words in "--path payload" "--path payload --shape json-1k" "--path payload --shape huge --op get" \
    "--path l1_hit --shape json-1k" "--path l1_hit --op get" "--path l1_hit --path absent"; do
    # shellcheck disable=SC2086 # several words on purpose
    "$CKBENCH" time --subject "$workloads" $words 2>&1 | sed "s:$CKBENCH_BUILD/::"
    echo "${PIPESTATUS[0]}"
done
"$CKBENCH" time --subject "$workloads" --path payload --path l1_hit --shape json-64 --op get --runs 2 --samples 5 \
    --warmup 1000 --json | python3 -c '
import json, sys
print([(path["name"], path["shape"], path["operation"]) for path in json.load(sys.stdin)["body"]["paths"]])'
