# needs: valgrind
# A run that cannot prove itself is no pass: planted costs that read otherwise, a control that does
# not move, a stack that is not pinned, a path that costs what its environment says.
for lie in plant hoard still loose env; do
    cp -r "$SUBJECTS/liar-$lie" base
    cd "$SUBJECTS/liar-$lie" || exit
    "$CKBENCH" ir --base "$OLDPWD/base" --layouts 1 | sed -nE 's/[0-9]{3,}/N/g; /prove/p; /^[A-Z]+:/p'
    echo "exit ${PIPESTATUS[0]}"
    cd - >/dev/null || exit
    rm -rf base
done
cp -r "$SUBJECTS/liar-plant" head
mkdir head/baselines
cd head || exit
"$CKBENCH" ir --update --layouts 1 2>&1 | tail -n 1
echo "exit ${PIPESTATUS[0]}"
ls baselines
