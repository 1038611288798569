# needs: valgrind
# Texts of a budget's fingerprint reach no terminal, and the file that holds them is named.
cp -r "$SUBJECTS/plant-0" checkout
cd checkout || exit
mkdir baselines
printf '{"schema":"ckbench/ir-budgets/1","fingerprints":{"a":{"fingerprint":{"arch":"\\u001b[31m"},"paths":{}}}}' \
    >baselines/ir.json
cp baselines/ir.json before
for update in '' --update; do
    "$CKBENCH" ir --path plant_ir --layouts 1 $update 2>&1
    echo "exit ${PIPESTATUS[0]}"
    cmp baselines/ir.json before
done
