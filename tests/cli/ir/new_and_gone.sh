# needs: valgrind
# Nothing in common is nothing compared; a path that is gone fails unless base accepts it.
cp -r "$SUBJECTS/plant-0" base
cd "$SUBJECTS/reader_of_clock" || exit
"$CKBENCH" ir --base ../plant-0 --path reads_nothing --layouts 1 | tail -n 1
echo "exit ${PIPESTATUS[0]}"
"$CKBENCH" ir --base ../plant-0 --path reads_nothing --path plant_ir --layouts 1 | tail -n 1
cd - >/dev/null || exit
cd base || exit
sed -i 's/"accept": \[\]/"accept": [{"path":"plant_ir","metric":"gone","reason":"moved","expires":"9999-12-31"}]/' \
    ckbench.json
cd "$SUBJECTS/reader_of_clock" || exit
"$CKBENCH" ir --base "$OLDPWD" --path reads_nothing --path plant_ir --layouts 1 | tail -n 4
echo "exit ${PIPESTATUS[0]}"
