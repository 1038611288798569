# needs: valgrind
# Absent budgets gate nothing; --update records them; a gate run never writes.
cp -r "$SUBJECTS/plant-0" checkout
cd checkout || exit
verdict() {
    "$CKBENCH" ir --path plant_ir --path plant_alloc "$@" 2>messages | sed -n '/--update/p; $p'
    echo "${PIPESTATUS[0]} $*"
    sed "s:$PWD:WORK:" messages
}
verdict
ls baselines 2>&1
mkdir baselines
verdict --update
"$CKBENCH_SOURCE/tests/cli/valid" baselines/ir.json
cp baselines/ir.json recorded
verdict
cmp baselines/ir.json recorded
cp "$SUBJECTS/plant-1000/libplant.so" .
verdict
cmp baselines/ir.json recorded
verdict --update
cmp baselines/ir.json recorded
verdict --update --allow-increase
cmp -s baselines/ir.json recorded || echo raised
verdict
cp "$SUBJECTS/plant-0/libplant.so" .
verdict
verdict --update
cmp baselines/ir.json recorded
