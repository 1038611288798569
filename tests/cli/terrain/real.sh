# Five seconds of real time over memory, and a little over files: books and shape, no speed.
run() {
    "$CKBENCH" terrain --subject "$CKBENCH_BUILD/workloads/ck-workloads" --rate 300 --keys 1000 --miss-ms 1 --slice 1 "$@" >table || cat table
}
run --l2 memory --minutes 0.084 --l2-where "in process" --out memory.json --html memory.html --late queue
mkdir entries
run --l2 file:entries --minutes 0.03 --l2-where "a directory" --out file.json
run --l2 memory --minutes 0.02 --arrivals closed --l2-where "in process" --out closed.json
"$CKBENCH_SOURCE/tests/cli/valid" memory.json file.json closed.json
python3 - <<'END'
import json, os
for name in ("memory", "file", "closed"):
    document = json.load(open(name + ".json"))
    body, provenance = document["body"], document["provenance"]
    layers = {r["layer"]: r for r in body["results"] if "service" in r}
    assert sum(r["service"]["n"] for r in layers.values()) == body["totals"]["calls"]
    assert all(r["service"]["raw_p50_p99_max_sum_ns"][2] > 1_000_000 for layer, r in layers.items() if layer == "miss")
    assert body["calibration"]["granule_ns"] > 0 and body["calibration"]["clock_cost_ps"] > 0
    print(name, body["regime"], body["verdict"], body["reason"], list(layers), "response" in layers["l1"], len(body["slices"]) >= 1,
          provenance["l2_where"], len(provenance["subject"]["commit"].removesuffix(".dirty")))
print(os.path.getsize("memory.html") < 100000)
END
