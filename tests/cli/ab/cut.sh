# A record cut in mid-line loses that block and says so; cut in its header, or with a line that does
# not fit, it is none; several are merged.
teller=$CKBENCH_SOURCE/tests/cli/ab/teller
"$CKBENCH" ab --subject "$teller" --path told --shapes small --blocks 8 --seed 7 --arm less:COST=90 \
    --record a.ndjson >out
head -c -40 a.ndjson >cut.ndjson
"$CKBENCH" report cut.ndjson 2>&1 | grep -E 'blocks,|incomplete|cut'
head -n 1 a.ndjson | head -c 100 >head.ndjson
"$CKBENCH" report head.ndjson 2>&1
(cat a.ndjson && tail -n 1 a.ndjson) >twice.ndjson
"$CKBENCH" report twice.ndjson 2>&1
sed '5s/"cpu_ns":[0-9]*/"cpu_ns":-1/' a.ndjson >wrong.ndjson
"$CKBENCH" report wrong.ndjson 2>&1
sed '5s/"digest":"[0-9a-f]*/"digest":"0000000000000bad/' a.ndjson >unlike.ndjson
"$CKBENCH" report unlike.ndjson 2>&1
head -n 20 a.ndjson >short.ndjson
"$CKBENCH" report short.ndjson 2>&1
echo "exit $?"
echo '{}' >other.json
"$CKBENCH" report other.json 2>&1
"$CKBENCH" report a.ndjson a.ndjson 2>&1
"$CKBENCH" ab --subject "$teller" --path told --shapes small --blocks 8 --seed 8 --arm less:COST=80 \
    --record b.ndjson >out
"$CKBENCH" report a.ndjson b.ndjson | grep -v '^$'
sed '/"block":0,/s/"minor_faults":[0-9]*/"minor_faults":777/' a.ndjson >first.ndjson
"$CKBENCH" report a.ndjson >ra && "$CKBENCH" report first.ndjson >rb && cmp ra rb && echo "block 0 is not judged"
