# needs: valgrind
# The program against itself, moved about: pinned paths read nothing.
cd "$SUBJECTS/plant-0" || exit
"$CKBENCH" ir --self-test env=8000,path=150,heap=400 --layouts 2 | sed -E 's/ {2,}/ /g'
echo "exit ${PIPESTATUS[0]}"
