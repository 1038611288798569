# needs: valgrind
# What a user set for valgrind neither breaks nor bends a count.
export VALGRIND_OPTS='--tool=memcheck --nonsense'
cp -r "$SUBJECTS/plant-0" "$SUBJECTS/plant-10" .
cd plant-0 || exit
echo --tool=none >.valgrindrc
cp .valgrindrc "$HOME/"
"$CKBENCH" ir --base ../plant-10 --path plant_ir | grep '^plant_ir'
