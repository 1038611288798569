# needs: seconds
# Calls by several threads: none is shorter than it is, none waits less than nothing, and one thread
# that is asked for more than it can do is late by what lies before it.
subject=$SUBJECTS/stepping/stepping
"$CKBENCH" time --subject "$subject" --path shared --threads 3 --rate 5000 --runs 2 --samples 90 --warmup 1000 --report t.json |
    sed -E 's/^host:.*/HOST/; s/-?[0-9]+\.[0-9]+/N/g; s/ +/ /g; /^Meanwhile|^THROTTLED/d'
"$CKBENCH_SOURCE/tests/cli/valid" t.json
"$CKBENCH" time --subject "$subject" --path alone --threads 1 --rate 1000000 --runs 2 --samples 90 --warmup 1000 --json >late.json
python3 - <<'PY'
import json
for name in ("t.json", "late.json"):
    body = json.load(open(name))["body"]
    path, = body["paths"]
    assert path["from_intended_start"]["per_call"]["mean_ns"] >= path["per_call"]["mean_ns"]
    late = 0
    for run in path["runs"]:
        pairs = list(zip(run["samples_wall_ns"], run["latencies_ns"], strict=True))
        assert len(pairs) == 90 and min(took for took, _ in pairs) >= 80000
        assert all(latency >= took for took, latency in pairs)
        late += sum(latency > 30 * 80000 for _, latency in pairs) > 40
    print(body["threads"], body["rate_per_s"], name != "late.json" or late)
PY
try() {
    "$CKBENCH" time --subject "$subject" "$@" 2>&1 | sed "s:$SUBJECTS/::"
    echo "exit ${PIPESTATUS[0]}"
}
try --path alone --threads 2 --rate 100
try --path shared --threads 2
try --path shared --rate 2
try --path shared --threads 2 --rate 100 --calls 5
try --path shared --threads 65 --rate 100
