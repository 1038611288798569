# needs: seconds
# Equal build and seed, equal body; another seed, another one. The books are of the real library. Slices
# without a call are slices too, and no figure comes of them.
ours=$CKBENCH_BUILD/workloads/ck-workloads
run() {
    "$CKBENCH" terrain --subject "$ours" --clock virtual --l2 memory --l2-ms 0.05 --l2-where "in process" "$@"
}
run --calls 20000 --out a.json >table || cat table
run --calls 20000 --out b.json >table || cat table
run --calls 20000 --out c.json --seed 2 >table || cat table
run --calls 20000 --out d.json --arrivals closed --late queue --miss-ms exponential:1 >table || cat table
run --rate 0.2 --slice 2 --minutes 0.2 --arrivals constant --keys 1 --calls 1000 --out f.json >table || cat table
grep -ciE '[:,[](-?nan|-?inf)' f.json table
grep -oE '"asked":[0-9]+' f.json | tr '\n' ' '
"$CKBENCH_SOURCE/tests/cli/valid" f.json a.json b.json c.json d.json
printf 'a\nb\na\nc\nb\na\n' | run --calls 20000 --trace - --out e.json >table || cat table
python3 - <<'END'
import json
a, b, c, d, e = (json.load(open(f"{name}.json")) for name in "abcde")
print(a["body_sha256"] == b["body_sha256"], a["body_sha256"] == c["body_sha256"])
for document in (a, d):
    body = document["body"]
    print(body["regime"], body["verdict"], body["reason"], body["totals"]["calls"], [r["layer"] for r in body["results"] if "service" in r],
          "response" in body["results"][0])
print(e["body"]["reason"], e["body"]["totals"]["calls"], e["body"]["totals"]["dropped"], [s for s in e["body"]["settings"] if s.startswith("trace")])
END
