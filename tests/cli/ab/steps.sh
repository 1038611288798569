# A change that faults leave unexplained: the steps say where it lies, unless they miss the call by
# more than a tenth. A change of nothing is not taken apart. What cannot be asked for is said, and costs nothing else.
"$CKBENCH" ab --subject "$CKBENCH_SOURCE/tests/cli/ab/teller" --path told --shapes small --blocks 20 --seed 7 \
    --explain --arm more:COST=110,SECOND=27,APART=101 --arm hidden:COST=110,HIDDEN=4 --arm none:COST=90,STEPLESS=1 --arm equal:OTHER=1 |
    sed -n '/^Steps of/,$p'
echo "exit ${PIPESTATUS[0]}"
