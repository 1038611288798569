# A budget file that cannot be trusted gates nothing and is not touched.
cp -r "$SUBJECTS/plant-0" checkout
cd checkout || exit
mkdir baselines
tell() {
    printf "$1" >baselines/ir.json
    cp baselines/ir.json before
    for update in '' --update; do
        "$CKBENCH" ir --path plant_ir $update 2>&1 | sed "s:$PWD:WORK:"
        echo "${PIPESTATUS[0]}"
        cmp baselines/ir.json before
    done
}
tell ''
tell '{"schema":"ckbench/ir-budgets/1"'
tell 'not JSON'
tell '{"schema":"ckbench/ir-budgets/1","fingerprints":{},"fingerprints":{}}'
tell '{"schema":"ckbench/ir-budgets/1","fingerprints":{}}x'
tell '{"schema":"ckbench/ir-budgets/1",\n"fingerprints":{"a":{"fingerprint":{},"paths":{\n"p":{"ops":9007199254740993}}}}}'
tell '{"schema":"ckbench/ir-budgets/2","fingerprints":{}}'
tell '[]'
