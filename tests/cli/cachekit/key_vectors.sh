# Every key of the protocol's vectors, and every argument that they say must be refused.
python3 - <<'PY'
import json, os, subprocess

vectors = os.environ["CKBENCH_SOURCE"] + "/tests/vectors/"


def key(*words):
    done = subprocess.run([os.environ["CACHEKIT"], "key", *words], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def differs(name, got, wanted):
    if got != wanted:
        print(f"{name}: {got}, wanted {wanted}")


rows = json.load(open(vectors + "interop-mode.json"))
for row in rows["key_vectors"]:
    got = key("--namespace", row["namespace"], "--operation", row["operation"], json.dumps(row["args"]))
    differs(row["name"], got, (0, row["expected_key"] + "\n", ""))
print("interop", len(rows["key_vectors"]))

for row in rows["error_vectors"]:
    words = ["--namespace", row.get("namespace", "t"), "--operation", row.get("operation", "op")]
    code, out, err = key(*words, json.dumps(row["args"]))
    told = err.startswith(("cachekit: E_VALUE: ", "cachekit: E_INVALID: ")) and err.count("\n") == 1
    differs(row["name"], (code, out, told), (2, "", True))
print("refused", len(rows["error_vectors"]))

count = 0
for row in json.load(open(vectors + "cache-keys.json"))["vectors"]:
    words = ["--auto", "--function", row["function_module"] + "." + row["function_qualname"]]
    if row["namespace"]:
        words += ["--namespace", row["namespace"]]
    if row["kwargs"]:
        words += ["--kwargs", json.dumps(row["kwargs"])]
    if not row["integrity_checking"]:
        words += ["--no-integrity"]
    got = key(*words, "--serializer", row["serializer_type"], json.dumps(row["args"]))
    differs(row["name"], got, (0, row["expected_key"] + "\n", ""))
    count += 1
print("auto", count)
PY
