python3 -B "$CKBENCH_SOURCE/tests/reports/honest.py" .
printf '{"body":{"schema":"ckbench/time/1"},"provenance":{},"body_sha256":""}' >time.json
printf '{"body":{"schema":"ckbench/list/1"}}' >list.json
try() {
    "$CKBENCH" report "$@" 2>&1
    echo "exit $?"
}
try
try good.json time.json
try list.json
try missing.json
try good.json --margin 2
try good.json --json --markdown
try good.json --expect-shards 0
try good.json --expect-shards 1001
try good.json --format csv
try good.json --html /dev/full/x
try time.json --html x
for link in 1 =https://x x=https://x 0=https://x 1=http://example.org/x 1=javascript:alert 1=https:// '1=https://x y' \
    $'1=https://x\n' '1=https://é' "1=https://$(printf 'x%.0s' {1..1100})"; do
    try good.json --shard-link "$link" | cut -c 1-120
done
"$CKBENCH" report good.json --shard-link "1=https://x/(a)<b>\"'\`|*_[c]@d&e" --html page.html >/dev/null
grep -o 'href="[^"]*"' page.html
