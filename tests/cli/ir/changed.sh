# needs: valgrind
# A side that is built while it is measured has no figures.
cp -r "$SUBJECTS/plant-0" head
cd head || exit
(
    while [ -d . ] && [ ! -e stop ]; do
        cp libplant.so next && mv next libplant.so
        sleep 0.2
    done
) &
"$CKBENCH" ir --base "$SUBJECTS/plant-1" --path plant_lz4 2>&1 | sed "s:$PWD:WORK:"
echo "exit ${PIPESTATUS[0]}"
touch stop
wait
