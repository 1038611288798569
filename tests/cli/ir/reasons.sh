# needs: valgrind
# A FAIL names the function that moved, by how much, and from where.
cd "$SUBJECTS/plant-1000" || exit
"$CKBENCH" ir --base ../plant-0 --path plant_ir --layouts 1
echo "exit $?"
cd ../plant-allocating || exit
"$CKBENCH" ir --base ../plant-0 --path plant_alloc --layouts 1 |
    grep -E '^  (malloc|plant_alloc)' | sed -E 's/[0-9]+ instructions each/N instructions each/; s/:[0-9]+/:LINE/'
