# What differs comes first; the verdict needs slices, books and hosts; one layer of two is found slower.
story=$CKBENCH_SOURCE/tests/subjects/terrain_script.py
record() {
    "$CKBENCH" terrain --subject "$story" --terrain story --l2-where "$1" --out "$2" --option slices="$3" --option percent="$4" >out || echo "exit $?"
}
record "in a script" a.json 40 100
record "in a script" b.json 40 110
record "in a script" same.json 40 100
record "in a script" few.json 19 100
record "elsewhere" far.json 40 100
for pair in "a same" "a b" "b a" "a few" "a far" "a far --force"; do
    echo "== $pair"
    read -r left right force <<<"$pair"
    "$CKBENCH" terrain diff "$left.json" "$right.json" $force 2>&1
    echo "exit $?"
done
echo "== not to be believed"
sed 's/"asked":62/"asked":63/' a.json >changed.json
"$CKBENCH" terrain diff a.json changed.json 2>&1 | sed 's/is [0-9a-f]\{64\}/is HASH/'
python3 - <<'END'
import hashlib, json
document = json.load(open("a.json"))
document["body"]["slices"][3]["cells"][0]["count"][0] += 1
document["body_sha256"] = hashlib.sha256(json.dumps(document["body"], separators=(",", ":")).encode()).hexdigest()
json.dump(document, open("cooked.json", "w"))
document["body"]["layers"] = ["l1\x1b[31m"]
document["body_sha256"] = hashlib.sha256(json.dumps(document["body"], separators=(",", ":")).encode()).hexdigest()
json.dump(document, open("odd.json", "w"))
END
for other in cooked odd nowhere; do
    "$CKBENCH" terrain diff a.json $other.json 2>&1
    echo "exit $?"
done
"$CKBENCH" terrain diff a.json 2>&1
echo "exit $?"
