# Sizes at equal ratios instead of shapes; a price for faults; early looks that settle nothing run on.
# needs: valgrind
workloads=$CKBENCH_BUILD/workloads/ck-workloads
"$CKBENCH" ab --subject "$workloads" --shapes json-64 --ops get --sweep size=1k..256k --points 3 --blocks 6 \
    --loop-us 100 --arm top:MALLOC_TOP_PAD_=16777216 --explain >out
grep -oE 'payload_seed json get [0-9]+ B' out | sort -u
grep -cE '^Per call, at [0-9.]+ us a fault' out
teller=$CKBENCH_SOURCE/tests/cli/ab/teller
"$CKBENCH" ab --subject "$teller" --path told --shapes small --max-blocks 36 --seed 7 --arm a:COST=130 --json >a
"$CKBENCH" ab --subject "$teller" --path told --shapes small --max-blocks 36 --seed 7 --arm a:COST=100 --json >b
python3 - <<'PY'
import json
for name in "ab":
    body = json.load(open(name))["body"]
    print(body["blocks"], body["level"], body["verdict"])
PY
for wrong in size=1m..1k 64k..1m size=0..1k size=1..1g; do
    "$CKBENCH" ab --subject "$workloads" --sweep $wrong --candidate-env A=1 2>&1
done
"$CKBENCH" ab --subject "$teller" --path told --shapes small --max-blocks 36 --seed 7 --arm a:COST=130 --record s >t
"$CKBENCH" report s | tail -n +2 >u
tail -n +2 t | diff - u && grep -c 'stopped at a look' u
