# needs: valgrind
# Settings of the C library and preloads: which took effect is seen in a process, and so is which
# did not. Faults are exact, so what the two thresholds do is read from them.
workloads=$CKBENCH_BUILD/workloads/ck-workloads
"$CKBENCH" ab --subject "$workloads" --shapes json-1m --ops get --blocks 6 --loop-us 1000 --report r.json \
    --candidate-env MALLOC_MMAP_THRESHOLD_=4194304 --candidate-env MALLOC_TRIM_THRESHOLD_=16777216 \
    --arm tunables:GLIBC_TUNABLES=glibc.malloc.trim_threshold=16777216 >out
"$CKBENCH_SOURCE/tests/cli/valid" r.json
python3 - <<'PY'
import json
body = json.load(open("r.json"))["body"]
cell, = body["cells"]
print(cell["path"], [(arm["name"], arm["proof"]) for arm in body["arms"]])
faults = {arm["arm"]: arm["faults_per_loop"]["high"] / cell["calls"] for arm in cell["arms"]}
print(faults["base-again"] > 100, faults["candidate"] < 1, faults["tunables"] > 100)
PY
try() {
    "$CKBENCH" ab --subject "$workloads" --path l1_hit --blocks 6 --loop-us 100 "$@" 2>&1 >out |
        sed "s:$CKBENCH_BUILD/::g"
    echo "exit ${PIPESTATUS[0]}"
}
try --candidate-env MALLOC_TOP_PAD_=4M
try --candidate-env MALLOC_ARENA_MAX=0x2
try --candidate-env GLIBC_TUNABLES=glibc.malloc.trim_treshold=1
try --candidate-env MALLOC_CHECK_=1
try --candidate-preload libabsent.so.9
try --candidate-subject "$workloads"
