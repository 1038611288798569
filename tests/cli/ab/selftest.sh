# needs: seconds
# Calls are put in, and the truth stands beside what was found; loops of under 200 calls cannot hold half
# a per cent. A calibration names the loop length that costs least.
"$CKBENCH" ab --subject "$SUBJECTS/plant-0/planted" --path plant_ir --blocks 6 --loop-us 2000 --selftest \
    --record r.ndjson >out
grep -cE '^ +more-(0.5|1|2|5) .* put in \+[0-9.]+: (not )?found, (NOT )?covered' out
python3 - <<'PY'
import json
head, *lines = map(json.loads, open("r.ndjson"))
calls = {line["arm"]: line["calls"] for line in lines}
for arm, row in enumerate(head["arms"]):
    assert abs(calls[arm] - calls[0] * (1 + row["injected_ppm"] / 1e6)) <= 0.5, (arm, calls)
    print(row["name"], row["injected_ppm"])
PY
teller=$CKBENCH_SOURCE/tests/cli/ab/teller
"$CKBENCH" ab --subject "$teller" --path told --shapes small --blocks 6 --selftest --loop-us 8000 >out
grep -oE 'not injectable: under 200 calls a loop' out
"$CKBENCH" ab --subject "$teller" --path told --shapes small --calibrate --blocks 30 >out
grep -oE '^told small get: of 3 loop lengths [0-9]+ calls are best' out | sed -E 's/[0-9]+ calls/N calls/'
