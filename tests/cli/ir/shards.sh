# needs: valgrind
# Shards split the paths without loss; a shard without paths is no pass.
cd "$SUBJECTS/plant-0" || exit
for shard in 1/2 2/2 6/6; do
    "$CKBENCH" ir --base ../plant-1 --layouts 1 --shard "$shard" 2>&1 | awk '{ print $1, $NF }' | grep -E '^(plant|ckbench|PASS)'
    echo "exit ${PIPESTATUS[0]}"
done
"$CKBENCH" ir --base ../plant-1 --layouts 1 --path plant_ir --shard 2/3 2>&1
"$CKBENCH" ir --subject planted --base-subject ./planted 2>&1 | sed "s:$PWD/::"
