teller=$CKBENCH_SOURCE/tests/cli/ab/teller
try() {
    "$CKBENCH" ab --subject "$teller" --path told "$@" 2>&1 | sed "s:$CKBENCH_SOURCE/::; s:$PWD/::; s:[^ ]*/stepping/:stepping/:"
    echo "exit ${PIPESTATUS[0]}"
}
try
try --blocks 1 --candidate-env A=1
try --margin 0 --candidate-env A=1
try --margin 1e1 --candidate-env A=1
try --json --markdown --candidate-env A=1
try --explain --json --candidate-env A=1
try --blocks 6 --max-blocks 36 --candidate-env A=1
try --points 3 --candidate-env A=1
try --one-length --candidate-env A=1
try --calibrate --blocks 6
try --calibrate --strict
try --candidate-env A
try --candidate-env CKBENCH_FD=4
try --candidate-env A=1 --candidate-env A=2
try --candidate-env MALLOC_TRIM_TRESHOLD_=1
try --candidate-env MALLOC_CONF=narenas:1
try --candidate-preload ./none.so
try --arm x
try --arm x:A=1 --arm x:A=2
try --arm base:A=1
try --candidate-env A=1 --shapes small huge
try --candidate-env A=1 --ops get,put
try --candidate-env A=1 --path nothing
try --candidate-env A=1 --record .
try --candidate-subject "$teller" --blocks 6
touch starts
try --arm "flaky:CRASH=$PWD/starts" --blocks 6 --seed 7
try --arm idle:COST=0 --blocks 6
try --candidate-subject "$SUBJECTS/stepping/stepping" --blocks 6
try --arm odd:DIGEST=00000000000000bb --blocks 6
