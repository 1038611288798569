# needs: seconds
# Equal build and seed, equal body; another seed, another one. The books are of the real library.
ours=$CKBENCH_BUILD/workloads/ck-workloads
run() {
    "$CKBENCH" terrain --subject "$ours" --clock virtual --l2 memory --l2-ms 0.05 --calls 20000 --l2-where "in process" "$@"
}
run --out a.json >table || cat table
run --out b.json >table || cat table
run --out c.json --seed 2 >table || cat table
run --out d.json --arrivals closed --late queue --miss-ms exponential:1 >table || cat table
"$CKBENCH_SOURCE/tests/cli/valid" a.json b.json c.json d.json
printf 'a\nb\na\nc\nb\na\n' | run --trace - --out e.json >table || cat table
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
