"$CKBENCH" time
echo "$?"
"$CKBENCH" time --path nope --subject "$SUBJECTS/plant-0/planted" 2>&1 | sed "s:$SUBJECTS:SUBJECTS:"
echo "${PIPESTATUS[0]}"
for wrong in --runs=1 --samples=4 --warmup=0 --calls=0; do
    "$CKBENCH" time --path plant_ir $wrong
    echo "$?"
done
