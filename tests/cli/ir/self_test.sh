# needs: valgrind
# The program against itself, moved about: pinned paths read nothing.
cd "$SUBJECTS/plant-0" || exit
"$CKBENCH" ir --self-test env=8000,path=150,heap=400 --layouts 2 |
    awk '/%/ { print $1, $4, $6, $NF; next } { print }'
echo "exit ${PIPESTATUS[0]}"
cd "$SUBJECTS/liar-env" || exit
"$CKBENCH" ir --self-test env=8000 --layouts 1 | grep -E '^[A-Z]+'
echo "exit ${PIPESTATUS[0]}"
