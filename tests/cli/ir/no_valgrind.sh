mkdir empty
cd "$SUBJECTS/plant-0" || exit
PATH=$OLDPWD/empty "$CKBENCH" ir --base ../plant-1
