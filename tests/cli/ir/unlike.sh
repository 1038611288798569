# needs: valgrind
# Counts made by other compiler flags are no comparison, unless that is asked for.
cp -r "$SUBJECTS/plant-0" head
cd head || exit
gcc -O1 -g -shared -fPIC -D_GNU_SOURCE -DPLANT_IR=0 -DPLANT_ALLOCS=1 -DPLANT_SYSCALLS=1 \
    -DPLANT_COPY=4096 -DPLANT_SEARCH=3 "$CKBENCH_SOURCE/tests/subjects/plant.c" -llz4 -o libplant.so
for accept in '' --accept-flags; do
    "$CKBENCH" ir --base "$SUBJECTS/plant-0" --path plant_ir --layouts 1 $accept >out
    echo "exit $?"
    awk '$1 == "plant_ir" { print $1, $NF }' out
    grep -Eo '^  compiler or flags differs: head ' out
done
