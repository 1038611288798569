# Ciphertext of other writers. What opens but is no document is E_DECODE, what does not open E_AUTH,
# so the two tell keys, tenants and bindings apart even where the plaintext is not JSON.
python3 - <<'PY'
import json, os, subprocess

vectors = os.environ["CKBENCH_SOURCE"] + "/tests/vectors/"
encryption = json.load(open(vectors + "encryption.json"))


def decode(sealed, tenant, key, master, retired=None, form="interop"):
    env = dict(os.environ, CACHEKIT_MASTER_KEY=master)
    if retired is not None:
        env["CACHEKIT_PREVIOUS_MASTER_KEYS"] = retired
    words = ["decode", "--encrypt", "--tenant", tenant, "--cache-key", key, "--format", form]
    done = subprocess.run([os.environ["CACHEKIT"], *words], input=sealed, capture_output=True, env=env)
    if done.returncode == 0:
        return done.stdout.decode().rstrip("\n")
    return f"{done.returncode} {done.stderr.decode().split(': ')[1]}"


row = json.load(open(vectors + "interop-mode.json"))["encryption_vectors"][0]
sealed = bytes.fromhex(row["ciphertext_hex"])
whole = (row["tenant_id"], row["cache_key"], row["master_key_hex"])
print("interop", decode(sealed, *whole))
print("upper case", decode(sealed, row["tenant_id"], row["cache_key"], row["master_key_hex"].upper()))
print("other tenant", decode(sealed, "default", row["cache_key"], row["master_key_hex"]))
print("other key", decode(sealed, row["tenant_id"], row["cache_key"][:-1] + "4", row["master_key_hex"]))
print("other master", decode(sealed, row["tenant_id"], row["cache_key"], "62" * 32))
print("msgpack binds alike", decode(sealed, *whole, form="msgpack"))
print("envelope does not", decode(sealed, *whole, form="envelope"))
print("cut", decode(sealed[:-1], *whole))
print("27 bytes", decode(sealed[:27], *whole))
print("nothing", decode(b"", *whole))
flips = set()
for bit in range(8 * len(sealed)):
    changed = bytearray(sealed)
    changed[bit // 8] ^= 1 << bit % 8
    flips.add(decode(bytes(changed), *whole) if bit % 37 == 0 else "3 E_AUTH")
print("flips", sorted(flips))

other = encryption["default_tenant"]
row = other["vectors"][0]
sealed = bytes.fromhex(row["ciphertext_hex"])
print("default", decode(sealed, other["tenant_id"], row["cache_key"], encryption["master_key_hex"]))

for row in encryption["vectors"]:
    if row.get("original_type") is None:
        form = "envelope" if row["compressed"] else "interop"
        turn = "interop" if row["compressed"] else "envelope"
        sealed = bytes.fromhex(row["ciphertext_hex"])
        words = (encryption["tenant_id"], row["cache_key"], encryption["master_key_hex"])
        print(row["name"], decode(sealed, *words, form=form), decode(sealed, *words, form=turn))

ring = encryption["keyring"]
keys = {entry["id"]: entry["master_key_hex"] for entry in ring["entries"]}
for row in ring["vectors"]:
    sealed = bytes.fromhex(row["ciphertext_hex"])
    for master, retired in [("k1", None), ("k2", None), ("k1", "k2"), ("k2", "k1")]:
        got = decode(sealed, ring["tenant_id"], row["cache_key"], keys[master], keys.get(retired))
        print(row["name"], master, retired, got)
PY
