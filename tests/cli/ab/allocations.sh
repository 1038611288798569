# needs: seconds
# Allocations are exact, of one more process for each arm; under a preloaded library, and from a
# subject that does not say, they are unknown. The record keeps them; older records have none.
"$CKBENCH" ab --subject "$SUBJECTS/plant-allocating/planted" --candidate-subject "$SUBJECTS/plant-0/planted" \
    --arm preload:LD_PRELOAD=libm.so.6 --path plant_alloc --blocks 6 --loop-us 200 \
    --record r.ndjson --report r.json >table
show() {
    python3 - "$1" <<'PY'
import json, sys
cell, = json.load(open(sys.argv[1]))["body"]["cells"]
counts = [cell["base_allocations_per_loop"]] + [arm["allocations_per_loop"] for arm in cell["arms"]]
print([count if count is None else count / cell["calls"] for count in counts])
PY
}
show r.json
"$CKBENCH" report r.ndjson --report again.json >again
show again.json
sed '1s/,"allocations":\[[^]]*\]//' r.ndjson >old.ndjson
"$CKBENCH" report old.ndjson --report old.json >again
show old.json
sed '1s/"allocations":\[[0-9]*/"allocations":[-4/' r.ndjson >wrong.ndjson
"$CKBENCH" report wrong.ndjson 2>&1
"$CKBENCH" ab --subject "$CKBENCH_SOURCE/tests/cli/ab/teller" --path told --shapes small --arm a:A=1 --blocks 6 \
    --report told.json >table
show told.json
