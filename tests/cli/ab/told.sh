# Told figures: what is 10 % more is slower, 10 % less faster, 0.5 % more trivial, the same the same.
# The whole process is real and stays out of what is compared.
teller=$CKBENCH_SOURCE/tests/cli/ab/teller
"$CKBENCH" ab --subject "$teller" --path told --shapes small --blocks 20 --seed 7 \
    --arm more:COST=110,FAULTS=24 --arm less:COST=90 --arm equal:OTHER=1 \
    --report report.json --record record.ndjson >table
echo "exit $?"
"$CKBENCH_SOURCE/tests/cli/valid" report.json
python3 - <<'PY'
import json
body = json.load(open("report.json"))["body"]
print(body["blocks"], body["verdict"])
for cell in body["cells"]:
    print(cell["path"], cell["shape"], cell["operation"], cell["calls"])
    for arm in cell["arms"]:
        loop = arm["in_loop"]
        print(arm["arm"], arm["verdict"], loop["change_pct"], loop["low_pct"], loop["high_pct"],
              arm["faults_per_loop"])
lines = open("record.ndjson").read().splitlines()
print(len(lines), "lines in the record")
first = json.loads(lines[0])
orders = {}
for line in map(json.loads, lines[1:]):
    orders.setdefault(line["block"], {})[line["position"]] = line["arm"]
# In each square of as many blocks as arms each arm stands at each position once.
n = len(first["arms"])
print(all(len({orders[b][p] for b in range(n)}) == n for p in range(n)))
PY
"$CKBENCH" report record.ndjson | tail -n +2 >again
tail -n +2 table | diff - again && echo "judged again: the same"
