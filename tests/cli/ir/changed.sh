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
# So deep that no path of it fits 1,024 bytes.
part=$(printf 'd%.0s' {1..200})
deep=../$part/$part/$part/$part/$part/$part
mkdir -p "$deep"
cp -r "$SUBJECTS/plant-0" "$deep/base"
rm stop
(
    while [ -d . ] && [ ! -e stop ]; do
        cp "$deep/base/libplant.so" "$deep/next" && mv "$deep/next" "$deep/base/libplant.so"
        sleep 0.2
    done
) &
"$CKBENCH" ir --base "$deep/base" --path plant_lz4 2>&1 | sed -E 's:/.* \.\.\. .*/base/:DEEP/base/:'
echo "exit ${PIPESTATUS[0]}"
touch stop
wait
