# needs: valgrind
# Known truth: so many instructions more in a library are read as exactly so many, and the limits of
# 1.0 % and 0.2 % of 10,000 are decided to the instruction.
for k in 1 10 19 20 30 99 100 1000 minus-19 minus-20 minus-200; do
    cd "$SUBJECTS/plant-$k" || exit
    "$CKBENCH" ir --base ../plant-0 --path plant_ir --layouts 3 --report "$TMPDIR/r.json" >/dev/null
    code=$?
    python3 - "$k" "$code" "$TMPDIR/r.json" <<'PY'
import json, sys
path, = json.load(open(sys.argv[3]))["body"]["paths"]
per_call = {
    (after["total_ir"] - before["total_ir"], after["own_ir"] - before["own_ir"], after["ops"])
    for after, before in zip(path["head"]["layouts"], path["base"]["layouts"])
}
for total, own, ops in per_call:
    print(sys.argv[1], "total %+g own %+g" % (total / ops, own / ops), path["verdict"],
          path["delta_pct"], "exit", sys.argv[2])
PY
done
rm -f "$TMPDIR/r.json"
