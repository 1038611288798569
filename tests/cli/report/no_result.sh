# A shard that is missing, given twice, of other commits, of another attempt, without a verdict or
# not readable has no result; the whole is never a PASS.
python3 -B "$CKBENCH_SOURCE/tests/reports/honest.py" .
head=$(printf 'a%.0s' {1..40}) base=$(printf 'b%.0s' {1..40})
tell() {
    "$CKBENCH" report "$@" --expect-shards 4 --expect-head "$head" --expect-base "$base" --expect-run 77-1 \
        --shard-link '2=https://ci.example/job?a=1&b=(2)' --markdown 2>&1 | sed -n '1s/;.*//p; /^- \[\?shard\|^- a report/p'
    echo "exit ${PIPESTATUS[0]}"
}
tell shard-[1234].json
tell shard-[134].json
tell shard-[1234].json shard-2.json
tell shard-[134].json foreign-2.json
tell shard-[134].json later-2.json
tell shard-[234].json lying.json
: >shard-2-empty.json
tell shard-[134].json shard-2-empty.json
head -c 700 shard-2.json >cut
tell shard-[134].json cut
echo '{"body":{"schema":"ckbench/ir/1","shard":"2/4"}}' >verdictless
tell shard-[134].json verdictless
tell shard-[1234].json good.json
tell shard-[134].json missing-shard-2.json
mkdir folder
tell shard-[134].json folder
sed 's/"total_ir":100007/"total_ir":100008/' shard-2.json >changed.json
tell shard-[134].json changed.json
echo '{"body":{"schema":"ckbench/time/1"},"provenance":{},"body_sha256":""}' >other-shard-2.json
tell shard-[134].json other-shard-2.json
tell nothing
# Without expectations what most reports say is what the others must say.
"$CKBENCH" report shard-[134].json foreign-2.json | sed -n '1p; $p'
"$CKBENCH" report shard-[134].json | sed -n '1p; $p'
"$CKBENCH" report shard-2.json "$CKBENCH_SOURCE/README.md" 2>err
echo "exit $?"
sed "s:$CKBENCH_SOURCE/::" err >&2
