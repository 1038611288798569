# needs: valgrind
# Two builds: another build id is proof enough, the same one is no arm.
cd "$SUBJECTS/plant-1000" || exit
"$CKBENCH" ab --base ../plant-0 --path plant_ir --blocks 6 --loop-us 200 --json | python3 -c '
import json, sys
print([(arm["name"], arm["proof"]) for arm in json.load(sys.stdin)["body"]["arms"]])'
home=$TMPDIR/copy
cp -r ../plant-0 "$home"
cd ../plant-0 && "$CKBENCH" ab --base "$home" --path plant_ir 2>&1 | sed 's/: .*planted:/: planted:/'
rm -r "$home"
