# needs: seconds
# Documents of ab, time and terrain are shown again as they were shown first, worked out anew from what
# they hold; one whose figures do not follow from it is refused, the member named.
teller=$CKBENCH_SOURCE/tests/cli/ab/teller
story=$CKBENCH_SOURCE/tests/subjects/terrain_script.py
"$CKBENCH" ab --subject "$teller" --path told --shapes small --blocks 8 --seed 7 \
    --arm more:COST=110,FAULTS=24 --arm equal:OTHER=1 --report ab.json >ab.first
"$CKBENCH" time --subject "$CKBENCH_BUILD/workloads/ck-workloads" --path l1_hit_shared --shape one-key --threads 2 --rate 2000 --runs 3 --samples 7 --report time.json >time.first
"$CKBENCH" terrain --subject "$story" --terrain story --option slices=40 --l2-where 'a <script> | `x`' \
    --out terrain.json --html first.html >terrain.first
shown() {
    grep -v '^host:' "$1" | sed -E 's/ +/ /g; s/(\) )[-+0-9.]+ \([^)]*\)/\1WHOLE/'
}
for kind in ab time terrain; do
    "$CKBENCH" report $kind.json >$kind.again
    echo "$kind exit $?"
    # Of ab the whole process is kept to thousandths of a percent, so its last digit shown may differ.
    diff <(shown $kind.first) <(shown $kind.again)
    "$CKBENCH" report $kind.json --json | cmp - $kind.json
done
"$CKBENCH" report ab.json --markdown | sed -n 1,2p
"$CKBENCH" report time.json --markdown | grep "^|" | sed -n 1,2p
"$CKBENCH" report terrain.json --html again.html >/dev/null && cmp first.html again.html
cat >spoil.py <<'END'
import hashlib, json, re, sys
space = re.compile(r'("(?:[^"\\]|\\.)*")|[ \t\r\n]+')
name, old, new, out = sys.argv[1:]
text = open(name).read()
changed, count = re.subn(old, new, text, count=1)
assert count == 1, old
start = changed.index('"body":') + 7
end = start + json.JSONDecoder().raw_decode(changed[start:])[1]
digest = hashlib.sha256(space.sub(lambda m: m[1] or "", changed[start:end]).encode()).hexdigest()
open(out, "w").write(re.sub(r'"body_sha256":"\w+"', f'"body_sha256":"{digest}"', changed))
END
spoil() {
    python3 spoil.py "$1" "$2" "$3" spoilt.json && "$CKBENCH" report spoilt.json 2>&1 | sed 's/spoilt.json:[0-9]*/FILE/'
    echo "exit ${PIPESTATUS[0]}"
}
spoil ab.json '"verdict":"inconclusive"' '"verdict":"faster"'
spoil ab.json '"verdict":"\w+"\}' '"verdict":"slower"}'
spoil ab.json '"cpu_ns":\[' '"cpu_ns":[1,'
spoil ab.json '"in_loop":\{"change_pct":' '"in_loop":{"change_pct":1'
spoil ab.json '"settings":"[^"]*"' '"settings":"\\\\u001b[31m"' | grep -c "$(printf '\033')"
spoil time.json '"mean_ns":' '"mean_ns":1'
spoil time.json '"samples_wall_ns":\[\d+' '"samples_wall_ns":[-1'
spoil terrain.json '"verdict":"\w+"' '"verdict":"wrong"'
spoil terrain.json '"n":(\d)' '"n":9\1'
"$CKBENCH" report ab.json time.json 2>&1
echo "exit $?"
"$CKBENCH" report time.json time.json 2>&1
echo "exit $?"
