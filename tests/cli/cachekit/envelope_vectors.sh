# Envelopes of other writers, in both forms: the pinned frame's payload by content, the protocol's
# vectors by what inspect says of them.
python3 - <<'PY'
import json, os, subprocess

vectors = os.environ["CKBENCH_SOURCE"] + "/tests/vectors/"


def run(verb, data, *words):
    done = subprocess.run([os.environ["CACHEKIT"], verb, *words], input=data, capture_output=True)
    return done.stdout if done.returncode == 0 and not done.stderr else done


users = bytes.fromhex(
    "94c422f01183a7757365725f69642aa46e616d65a863616368656b6974a6616374697665c398ccdaccf46861cc8e62"
    "4bccfe20a76d73677061636b")
print(run("decode", users, "--format", "envelope").decode(), end="")
again = run("encode", run("decode", users, "--format", "envelope"), "--format", "envelope")
print(again == users)

rows = json.load(open(vectors + "wire-format.json"))["vectors"]
for row in rows:
    raw = bytes.fromhex(row["envelope_hex"])
    got = json.loads(run("inspect", raw))
    form = "bin" if raw[1] in (0xC4, 0xC5, 0xC6) else "legacy"
    wanted = {"kind": "envelope", "bytes": row["envelope_size"], "payload_bytes": row["input_size"],
              "format": row["format"], "form": form, "checksum_ok": True, "refused": None}
    for name, value in wanted.items():
        if got[name] != value:
            print(row["name"], name, got[name])
    if got["payload"]["bytes"] != row["input_size"]:
        print(row["name"], got["payload"])
print("vectors", len(rows))
PY
