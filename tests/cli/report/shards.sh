# Four shards of one run are one result, as table and as Markdown, whatever the order of the files.
python3 -B "$CKBENCH_SOURCE/tests/reports/honest.py" .
"$CKBENCH" report shard-*.json
echo "exit $?"
"$CKBENCH" report shard-*.json --markdown | tee in_order
echo "exit ${PIPESTATUS[0]}"
"$CKBENCH" report shard-4.json shard-2.json shard-1.json shard-3.json --expect-shards 4 --markdown | cmp - in_order
for form in github-action-benchmark bencher; do
    "$CKBENCH" report shard-1.json shard-3.json --format "$form"
    echo "exit $?"
done
"$CKBENCH" report shard-*.json --report merged.json --html page.html >/dev/null
"$CKBENCH" report shard-*.json --json | cmp <("$CKBENCH" report shard-*.json --json) - && "$CKBENCH_SOURCE/tests/cli/valid" merged.json
grep -o "^<h1.*\|default-src[^;]*; style-src" page.html
"$CKBENCH" report good.json
echo "exit $?"
"$CKBENCH" report adopted-*.json --expect-shards 2 --markdown | head -n 1
echo "exit ${PIPESTATUS[0]}"
"$CKBENCH" report adopted-1.json --expect-shards 2 | tail -n 1
