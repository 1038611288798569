# needs: valgrind
cd "$SUBJECTS/plant-0" || exit
"$CKBENCH" ir --base ../plant-100 --path plant_ir --report "$TMPDIR/r.json" >/dev/null &&
    "$CKBENCH_SOURCE/tests/cli/valid" "$TMPDIR/r.json"
rm -f "$TMPDIR/r.json"
