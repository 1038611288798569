# The values of the protocol's vectors, both ways; then the law: the encoding of the decoding of
# canonical bytes is those bytes. The documents are canonical by construction, and their JSON is
# what the rules for output say, worked out by hand.
python3 - <<'PY'
import json, os, subprocess

vectors = os.environ["CKBENCH_SOURCE"] + "/tests/vectors/"


def run(verb, data, *words):
    done = subprocess.run([os.environ["CACHEKIT"], verb, *words], input=data, capture_output=True)
    return done.stdout if done.returncode == 0 and not done.stderr else done


def differs(name, got, wanted):
    if got != wanted:
        print(f"{name}: {got}, wanted {wanted}")


rows = json.load(open(vectors + "interop-mode.json"))["value_vectors"]
for row in rows:
    wanted = bytes.fromhex(row["canonical_msgpack_hex"])
    differs(row["name"], run("encode", json.dumps(row["value"]).encode()), wanted)
    differs(row["name"] + " back", run("encode", run("decode", wanted)), wanted)
print("vectors", len(rows))

rows = [
    ("c0", "null"), ("c2", "false"), ("c3", "true"), ("00", "0"), ("e0", "-32"), ("d0df", "-33"),
    ("cf001fffffffffffff", "9007199254740991"),
    ("cf0020000000000000", '{"$int":"9007199254740992"}'),
    ("d3ffe0000000000001", "-9007199254740991"),
    ("d3ffe0000000000000", '{"$int":"-9007199254740992"}'),
    ("cfffffffffffffffff", '{"$int":"18446744073709551615"}'),
    ("d38000000000000000", '{"$int":"-9223372036854775808"}'),
    ("cb4000000000000000", "2.0"), ("cb8000000000000000", "-0.0"), ("cb3fb999999999999a", "0.1"),
    ("cb7e37e43c8800759c", "1e300"), ("cb43f0000000000000", "1.8446744073709552e19"),
    ("a0", '""'), ("a3e282ac", '"\u20ac"'), ("a109", '"\\t"'), ("a4f0908080", '"\U00010000"'),
    ("c400", '{"$bytes":""}'), ("c40200ff", '{"$bytes":"00ff"}'),
    ("90", "[]"), ("93010203", "[1,2,3]"), ("80", "{}"),
    ("82a16101a16202", '{"a":1,"b":2}'),
    ("81a42473657401", '{"$map":[["$set",1]]}'),
    ("82a42473657401a16102", '{"$set":1,"a":2}'),
    ("82a85f5f646174655f5fc3a576616c7565aa323032342d30322d3239",
     '{"__date__":true,"value":"2024-02-29"}'),
    ("82a85f5f646174655f5fc3a576616c7565a36e6f74", '{"__date__":true,"value":"not"}'),
]
for raw, text in rows:
    wanted = bytes.fromhex(raw)
    got = run("decode", wanted)
    differs(raw, got, (text + "\n").encode())
    differs(raw + " back", run("encode", got), wanted)
print("documents", len(rows))

depth = b"\x91" * 1024 + b"\xc0"
differs("1,024 levels", run("encode", run("decode", depth)), depth)

# Not canonical, and read all the same: wide integers, binary32, other orders, keys twice.
rows = [
    ("cd002a", "42"), ("d3000000000000002a", "42"), ("ca3fc00000", "1.5"), ("d90161", '"a"'),
    ("dc000101", "[1]"), ("82a16202a16101", '{"b":2,"a":1}'), ("82a16101a16102", '{"a":1,"a":2}'),
    ("8101a161", '{"$map":[[1,"a"]]}'), ("8190c0", '{"$map":[[[],null]]}'),
    ("82a576616c7565aa323032342d30322d3239a85f5f646174655f5fc3",
     '{"value":"2024-02-29","__date__":true}'),
]
for raw, text in rows:
    differs(raw, run("decode", bytes.fromhex(raw)), (text + "\n").encode())
    differs(raw, run("decode", bytes.fromhex(raw), "--format", "msgpack"), (text + "\n").encode())
print("foreign", len(rows))

# MessagePack as it comes says more than interop: the infinities, keys of any type, any order.
rows = [
    ("cb7ff0000000000000", '{"$float":"inf"}'), ("cbfff0000000000000", '{"$float":"-inf"}'),
    ("cb7ff8000000000000", '{"$float":"nan"}'), ("8101a161", '{"$map":[[1,"a"]]}'),
    ("82a16202a16101", '{"b":2,"a":1}'),
]
for raw, text in rows:
    wanted = bytes.fromhex(raw)
    differs(raw, run("encode", text.encode(), "-f", "msgpack"), wanted)
    differs(raw, run("decode", wanted, "-f", "msgpack"), (text + "\n").encode())
print("msgpack", len(rows))
PY
