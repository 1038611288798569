# Files by name, what cannot be read, lives that end in the future, and that content is not shown.
printf '\x82\xa3age\x1e\xa4name\xa6secret' >document
"$CACHEKIT" inspect document
"$CACHEKIT" inspect <document
"$CACHEKIT" inspect -- document | grep -c secret
"$CACHEKIT" encode --format envelope <<<'{"secret": ["secret", {"$bytes": "736563726574"}]}' >envelope
"$CACHEKIT" inspect envelope | grep -c 'secret\|736563726574'
mkfifo pipe
cat document >pipe &
"$CACHEKIT" inspect pipe
wait
for words in missing . 'document document' '--json document' '--format raw document' ''; do
    # shellcheck disable=SC2086 # words are split
    "$CACHEKIT" inspect $words <&-
    echo $?
done
python3 - <<'PY'
import json, os, subprocess, time

for row in json.load(open(os.environ["CKBENCH_SOURCE"] + "/tests/vectors/file-backend.json"))["vectors"]:
    raw = bytes.fromhex(row["file_hex"])
    now = int(time.time())
    done = subprocess.run([os.environ["CACHEKIT"], "inspect"], input=raw, capture_output=True)
    got = json.loads(done.stdout)
    expiry = row.get("expiry_unix_seconds")
    assert got["expiry_unix_s"] == expiry, got
    if expiry is not None:
        assert max(0, expiry - now - 60) <= got["left_s"] <= max(0, expiry - now), got
    assert (got["flags"], got["reserved"]) == (row.get("flags", 0), row.get("reserved", 0)), got
    if "payload_hex" in row:
        assert got["payload"]["bytes"] == len(row["payload_hex"]) // 2, got
    print(row["name"], "-", got["reader"])
PY
