# A base that differs from itself makes the host unfit: no verdict, whatever the candidates did. A
# few slow processes are a tail.
teller=$CKBENCH_SOURCE/tests/cli/ab/teller
"$CKBENCH" ab --subject "$teller" --path told --shapes small --blocks 30 --seed 7 --arm less:COST=90 \
    --record a.ndjson >out
sed '/"arm":1,/s/"cpu_ns":[0-9]*/"cpu_ns":5100000/' a.ndjson >unfit.ndjson
"$CKBENCH" report unfit.ndjson >out
echo "exit $?"
grep -oE 'unfit|UNFIT.*' out
"$CKBENCH" report a.ndjson unfit.ndjson
echo "exit $?"
sed -E '/"block":[1-9]?[05],.*"arm":2,/s/"cpu_ns":[0-9]*/"cpu_ns":9000000/' a.ndjson >tail.ndjson
"$CKBENCH" report tail.ndjson | grep -oE 'faster +TAIL, mean [^)]*.'
"$CKBENCH" report --strict --margin 15 a.ndjson | grep -oE 'less .*(trivial|same|inconclusive)' | grep -oE '[a-z]+$'
