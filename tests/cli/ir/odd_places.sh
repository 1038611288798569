# needs: valgrind
# Checkouts and TMPDIR at odd places: as good as any, or refused in one line.
plain=$'sp ace "q\'`|$(x)\xc3\xa9%p%%n'
lines=$'two\n\e[31mlines'
cp -r "$SUBJECTS/plant-0" head
for place in "$plain" "$lines"; do
    mkdir -p "$place/tmp"
    cp -r head "$place/base"
    cd head || exit
    "$CKBENCH" ir --base "../$place/base" --path plant_ir --layouts 1 2>&1 | sed "s:${PWD%/head}:WORK:g"
    echo "base ${PIPESTATUS[0]}"
    TMPDIR="$PWD/../$place/tmp" "$CKBENCH" ir --base "$SUBJECTS/plant-1" --path plant_ir --layouts 1 2>&1 |
        sed "s:${PWD%/head}:WORK:g"
    echo "TMPDIR ${PIPESTATUS[0]}"
    cd ..
    ls -A "$place/tmp"
done
