# needs: valgrind
# Equal measurements of an honest path are equal; a path that hangs on chance shows its spread.
cp -r "$SUBJECTS/plant-0" base
cd "$SUBJECTS/plant-0" || exit
"$CKBENCH" ir --base "$OLDPWD/base" --path plant_ir --path plant_alloc --layouts 2 --repeat 3 |
    awk '/%/ { print $1, $(NF - 2), $(NF - 1), $NF }'
cd - >/dev/null || exit
rm -rf base
cp -r "$SUBJECTS/liar-chance" base
cd "$SUBJECTS/liar-chance" || exit
"$CKBENCH" ir --base "$OLDPWD/base" --layouts 2 --repeat 3 |
    awk '/%/ { print $1, ($(NF - 1) > 0 && $NF > 0) ? "spreads" : "does not spread" }'
