# What was asked for was run, and the report holds all of it; no figure is judged.
cd "$SUBJECTS/plant-0" || exit
"$CKBENCH" time --path plant_ir --path plant_copy --against plant_alloc --runs 3 --samples 7 --calls 20 --warmup 1000 --report "$TMPDIR/t.json" |
    sed -E '/^(Meanwhile|THROTTLED)/d; s/[0-9]+\.[0-9]+/N/g; s/[+-]N/N/g; s/^host: .*/HOST/; s/ +/ /g'
"$CKBENCH_SOURCE/tests/cli/valid" "$TMPDIR/t.json"
python3 - "$TMPDIR/t.json" <<'END'
import json, sys
body = json.load(open(sys.argv[1]))["body"]
for path in body["paths"]:
    medians = [sorted(run["samples_wall_ns"])[3] / path["calls_per_sample"] for run in path["runs"]]
    assert abs(sum(medians) / 3 - path["per_call"]["mean_ns"]) < 0.001
    print(path["name"], path["calls_per_sample"], [len(run["samples_wall_ns"]) for run in path["runs"]],
          path["p95_ns"], "difference" in path)
END
"$CKBENCH" time --path plant_ir --runs 2 --samples 5 --json | "$CKBENCH_SOURCE/tests/cli/valid" -
rm -f "$TMPDIR/t.json"
"$CKBENCH" time --path plant_ir --runs 2 --samples 5 --warmup 1000 --markdown | grep '^|' | sed -E 's/[0-9]+\.[0-9]+/N/g; s/[+-]N/N/g; s/x [0-9]+ \|/x K |/'
"$CKBENCH" time --path plant_ir --json --markdown 2>&1
echo "$?"
