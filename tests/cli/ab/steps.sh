# A change that faults leave unexplained: the steps say where it lies, unless they miss the call by
# more than a tenth. A change of nothing is not taken apart.
"$CKBENCH" ab --subject "$CKBENCH_SOURCE/tests/cli/ab/teller" --path told --shapes small --blocks 20 --seed 7 \
    --explain --arm more:COST=110,SECOND=27,APART=101 --arm hidden:COST=110,HIDDEN=4 --arm equal:OTHER=1 |
    sed -n '/^Steps of/,$p'
echo "exit ${PIPESTATUS[0]}"
