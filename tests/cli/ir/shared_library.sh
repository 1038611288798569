# needs: valgrind
# Two programs that run one library compare it with itself, whatever led there.
cp -r "$SUBJECTS/plant-0" head
cp -r "$SUBJECTS/plant-1000" linked
ln -sf ../head/libplant.so linked/libplant.so
cp -r head unlisted
ln -sf ../head/libplant.so unlisted/libplant.so
sed -i 's/"libplant.so"//' unlisted/ckbench.json
cd head || exit
for base in linked unlisted; do
    "$CKBENCH" ir --base "../$base" --path plant_ir --layouts 1 2>&1 | sed "s:${PWD%/head}:WORK:g"
    echo "$base ${PIPESTATUS[0]}"
done
# The other way round: the head runs its base's.
cd ../linked && "$CKBENCH" ir --base ../head --path plant_ir --layouts 1 2>&1 | sed "s:${PWD%/linked}:WORK:g"
