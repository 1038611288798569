# needs: valgrind
# Interrupted at any moment of a run: soon gone, nothing printed, written or left; two signals are
# as good as one, and a pause is no silence of the children.
cp -r "$SUBJECTS/plant-0" head
cp -r "$SUBJECTS/plant-1" base
cd head || exit
for step in 0.3 1.2 2.4; do
    for signal in INT TERM HUP; do
        timeout --preserve-status -s $signal $step "$CKBENCH" ir --base ../base --layouts 3 --jobs 8 \
            --report r.json >out 2>messages
        status=$?
        case "$status $(cat messages)" in
        '130 ckbench: interrupted; nothing was written' | '143 ckbench: interrupted; nothing was written' | \
            '129 ckbench: interrupted; nothing was written' | '0 ') ;;
        *) echo "$step $signal: $status $(cat messages)" ;;
        esac
        [ "$status" = 0 ] || cat out
        [ "$status" = 0 ] || ls r.json 2>/dev/null
        rm -f r.json
        ls -A "$TMPDIR"
    done
done
"$CKBENCH" ir --base ../base --path plant_lz4 --layouts 2 --child-timeout 0.1 --jobs 1 >out &
pid=$!
sleep 1
kill -STOP $pid
sleep 8
kill -CONT $pid
wait $pid
tail -n 1 out
