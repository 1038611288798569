#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What the library writes, Python reads, and the other way round. Usage: test_python.py DRIVER
values|keys|envelopes|sealed|redis [SEED]. The seed is printed, so that a failure can be had again."""

import pathlib
import secrets
import sys

import oracle
from driver import Driver, from_json, names_to_json, to_json
from random_values import DATES, SCALARS, Maker

ROOTS = 1000
PLAIN_FIXED = {0xA0: 31, 0x90: 15, 0x80: 15}  # markers with a count, and its largest


def refused_by_oracle(read, data):
    try:
        read(data)
    except oracle.Refused:
        return
    raise AssertionError(f"Python took {data.hex()}")


def broken_header(data):
    """One byte of the first header changed, so that the document is none: there is no checksum."""
    for start, most in PLAIN_FIXED.items():
        if start <= data[0] < start + most:
            return bytes([data[0] + 1]) + data[1:]  # promises one more than there is
    return b"\xc1" + data[1:]


def changed(random, data, start=0, end=None):
    at = random.randrange(start, len(data) if end is None else end)
    return data[:at] + bytes([data[at] ^ random.randrange(1, 256)]) + data[at + 1 :]


# ---- values ----


def jsonable(value):
    return to_json(oracle.plain(value))


def check_value(driver, maker, value):
    canonical = oracle.pack_value(value)
    ours = bytes.fromhex(driver.ask("encode", jsonable(value)))
    assert ours == canonical, f"{value!r}: {ours.hex()} is not {canonical.hex()}"
    assert oracle.same(oracle.unpack_value(ours), value), f"Python reads {ours.hex()} otherwise"
    theirs = oracle.pack(oracle.plain(value))  # in their own order of keys
    assert oracle.same(from_json(driver.ask("decode", theirs.hex())), value), theirs.hex()
    assert driver.ask("encode", driver.ask("decode", canonical.hex())) == canonical.hex()
    assert driver.refusal("decode", broken_header(theirs).hex()) == "E_DECODE"
    refused_by_oracle(oracle.unpack_value, broken_header(ours))
    return theirs != canonical


def test_values(driver, seed):
    maker = Maker(seed, SCALARS + DATES + ["array", "map"])
    values = maker.roots(ROOTS)
    disordered = sum(check_value(driver, maker, value) for value in values)
    assert disordered >= 20, f"{disordered} documents with maps in disorder"
    return f"{len(values)} both ways, {disordered} in disorder: {maker.check_counts()}"


# ---- keys ----


def segment(maker):
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    while True:
        text = maker.choice(letters) + "".join(maker.choices(letters + "_-.", k=maker.randrange(64)))
        if ".." not in text and text not in ("ns", "nsapi", "ck"):
            return text


def check_interop_key(driver, maker):
    args = [maker.value() for _ in range(maker.randrange(5))]
    name_space, operation = segment(maker), segment(maker)
    ours = driver.ask("key", name_space, operation, to_json(args))
    assert ours == oracle.interop_key(name_space, operation, args), f"{args!r}: {ours}"


def check_auto_key(driver, maker):
    args = [maker.value() for _ in range(maker.randrange(4))]
    kwargs = {maker.key(): maker.value() for _ in range(maker.randrange(4))}
    name_space = maker.choice(["", "users", "two words", "\xe9\u20ac" * 20, "n" * 220])
    function = "".join(maker.choices(["a", "B", ".", "<", ">", "\xe9", "_"], k=maker.choice([1, 20, 250])))
    parts = [name_space, function, maker.choice(["s", "a", "o", "w", "l", "x23d5"]), maker.choice("01")]
    ours = driver.ask("auto", *parts, to_json(args), names_to_json(kwargs))
    theirs = oracle.auto_key(*parts[:3], parts[3] == "1", args, kwargs)
    assert ours == theirs, f"{parts}, {args!r}, {kwargs!r}: {ours} is not {theirs}"
    return len(theirs) - len(theirs.rstrip("0123456789abcdef")) == 32  # cut, with a digest of its own


def test_keys(driver, seed):
    interop = Maker(seed, SCALARS + ["moment", "uuid", "array", "map", "set"])
    for _ in range(ROOTS):
        check_interop_key(driver, interop)
    auto = Maker(seed + 1, SCALARS + ["nonfinite", "moment", "uuid", "array", "map"])
    cut = sum(check_auto_key(driver, auto) for _ in range(ROOTS))
    assert cut >= 20, f"{cut} long keys"
    return (f"{ROOTS} interop keys: {interop.check_counts()}; {ROOTS} auto keys, {cut} cut: "
            f"{auto.check_counts()}")


# ---- envelopes ----

PAYLOADS = {
    "empty": lambda maker: b"",
    "one byte": lambda maker: maker.randbytes(1),
    "short": lambda maker: maker.randbytes(maker.randrange(2, 64)),
    "noise": lambda maker: maker.randbytes(maker.randrange(64, 5000)),
    "zeros": lambda maker: bytes(maker.randrange(64, 70000)),
    "document": lambda maker: oracle.pack_value(maker.value(0, "map")),
    "text": lambda maker: b"".join(maker.choices([b"cache", b"kit", b" ", b"{}"], k=maker.randrange(3000))),
}


def check_damage(random, read, data, payload):
    """A changed checksum is refused; a change anywhere never gives other bytes than were stored."""
    checksum, size = oracle.envelope_parts(data)[1:3]
    form = len(oracle.pack("msgpack"))
    end = len(data) - form - len(oracle.pack(size))
    start = end - len(oracle.pack(checksum)) + 1
    assert read(changed(random, data, start, end)) is None, data.hex()
    assert read(changed(random, data, 0, len(data) - form)) in (None, payload), data.hex()


def check_envelope(driver, maker, payload, is_legacy):
    def theirs_read(data):
        try:
            return oracle.read_envelope(data)
        except oracle.Refused:
            return None

    def ours_read(data):
        verdict, text, *_ = driver.answer("payload", data.hex())
        return bytes.fromhex(text) if verdict == "ok" else None

    ours = bytes.fromhex(driver.ask("envelope", payload.hex()))
    assert theirs_read(ours) == payload, ours.hex()
    check_damage(maker, theirs_read, ours, payload)
    theirs = oracle.make_envelope(payload, is_legacy)
    assert ours_read(theirs) == payload, theirs.hex()
    check_damage(maker, ours_read, theirs, payload)


def test_envelopes(driver, seed):
    maker = Maker(seed, SCALARS + DATES + ["array", "map"])
    each = ROOTS // len(PAYLOADS) + 1
    for make in PAYLOADS.values():
        for i in range(each):
            check_envelope(driver, maker, make(maker), i % 4 == 0)
    assert each >= 20 and each * len(PAYLOADS) >= 500
    return f"{each} both ways of each of {', '.join(PAYLOADS)}; every fourth of theirs in the old form"


# ---- sealed bytes ----


def check_sealed(driver, maker, form, compressed, original_type):
    master, retired = maker.randbytes(32), maker.randbytes(32)
    tenant = maker.choice(["default", "cross-sdk-test", "t\xe9nant \u20ac", "t" * 1024])
    cache_key = maker.choice(["users:get_user:", "k", "\U0001f600"]) + str(maker.randrange(10**9))
    text = maker.randbytes(maker.choice([0, 1, 15, 16, 17, 64, maker.randrange(3000)]))
    spelt = maker.choice([master.hex(), master.hex().upper()])
    ring = [spelt, maker.choice(["", retired.hex()]), tenant]
    named = [cache_key, form, str(compressed), original_type]
    bound = oracle.additional_data(tenant, cache_key, form, compressed, original_type)
    key = oracle.derive(master, tenant)
    assert driver.ask("fingerprint", *ring) == oracle.fingerprint(key)

    ours = bytes.fromhex(driver.ask("seal", *ring, *named, text.hex()))
    assert len(ours) == len(text) + 28 and oracle.unseal(key, bound, ours) == text
    refused_by_oracle(lambda data: oracle.unseal(key, bound, data), changed(maker, ours))
    refused_by_oracle(lambda data: oracle.unseal(key, data, ours), changed(maker, bound))

    is_retired = ring[1] != "" and maker.random() < 0.5
    used = oracle.derive(retired, tenant) if is_retired else key
    theirs = oracle.seal(used, bound, maker.randbytes(12), text)
    assert driver.answer("open", *ring, *named, theirs.hex()) == ["ok", text.hex(), str(int(is_retired))]
    assert driver.refusal("open", *ring, *named, changed(maker, theirs).hex()) == "E_AUTH"
    other = [cache_key + "x", *named[1:]]
    assert driver.refusal("open", *ring, *other, theirs.hex()) == "E_AUTH"
    return is_retired


def test_sealed(driver, seed):
    maker = Maker(seed, SCALARS)
    shapes = [(form, compressed, original) for form in ("msgpack", "orjson", "arrow")
              for compressed in (True, False) for original in ("", "msgpack", "dataframe")]
    each = ROOTS // len(shapes) + 1
    retired = sum(check_sealed(driver, maker, *shape) for shape in shapes for _ in range(each))
    assert each >= 20 and each * len(shapes) >= 500 and retired >= 20
    return f"{each} both ways of each of {len(shapes)} bindings, {retired} under a retired key"


# ---- functions over a Redis ----


class Shape:
    """How a function stores its results: key and bytes, computed here."""

    names = ["plain", "envelope", "sealed", "interop", "sealed-interop"]

    def __init__(self, name, master, tenant):
        self.name = name
        self.is_interop = name.endswith("interop")
        self.is_sealed = name.startswith("sealed")
        self.has_envelope = name in ("envelope", "sealed")
        self.tenant = tenant
        self.aead_key = oracle.derive(master, tenant)

    def key(self, args):
        if self.is_interop:
            return oracle.interop_key("users", "get_user", args)
        return oracle.auto_key("users", "get_user", "s", self.name != "plain", args, {})

    def bound(self, key):
        return oracle.additional_data(self.tenant, key, "msgpack", self.has_envelope, "")

    def write(self, key, value, nonce):
        data = oracle.pack_value(value) if self.is_interop else oracle.pack(oracle.plain(value))
        data = oracle.make_envelope(data, False) if self.has_envelope else data
        return oracle.seal(self.aead_key, self.bound(key), nonce, data) if self.is_sealed else data

    def read(self, key, data):
        data = oracle.unseal(self.aead_key, self.bound(key), data) if self.is_sealed else data
        return oracle.unpack_value(oracle.read_envelope(data) if self.has_envelope else data)


def check_call(driver, maker, server, client, shape, master):
    """Stored by C, read here; written here, found by C, whose loader would have given another."""

    def call(args, value):
        layer, text = driver.answer("call", server.url, "users", "get_user", shape.name, master.hex(), shape.tenant,
                                    to_json(args), jsonable(value))[1:]
        return layer, from_json(text)

    stored, written = maker.value(), maker.value()
    args = [maker.randrange(2**40), maker.str(0), maker.float(0)]
    key = shape.key(args)
    layer, result = call(args, stored)
    assert layer == "3" and oracle.same(result, stored), (layer, result, stored)
    data = client.get(key)
    assert data is not None, f"nothing under {key}"
    assert oracle.same(shape.read(key, data), stored), data.hex()
    assert 0 < client.pttl(key) <= 600000
    layer, result = call(args, written)
    assert layer == "2" and oracle.same(result, stored), (layer, result, stored)

    client.set(key, shape.write(key, written, maker.randbytes(12)))
    layer, result = call(args, stored)
    assert layer == "2" and oracle.same(result, written), (layer, result, written)
    if shape.is_sealed:
        client.set(key, changed(maker, data))
        layer, result = call(args, written)
        assert layer == "3" and oracle.same(shape.read(key, client.get(key)), written), layer


def test_redis(driver, seed):
    sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "redis"))
    from kept import Kept

    each = 50
    maker = Maker(seed, SCALARS + DATES + ["array", "map"])
    master = maker.randbytes(32)
    server = Kept()
    with server.client() as client:
        for name in Shape.names:
            shape = Shape(name, master, maker.choice(["default", "t\xe9nant \u20ac"]))
            for _ in range(each):
                check_call(driver, maker, server, client, shape, master)
    asked = server.calls("get"), server.calls("set")
    server.close()
    assert asked[0] >= 3 * each * len(Shape.names) and asked[1] >= each * len(Shape.names), asked
    return f"{each} both ways of each of {', '.join(Shape.names)}; {asked[0]} GETs, {asked[1]} SETs"


TESTS = {"values": test_values, "keys": test_keys, "envelopes": test_envelopes, "sealed": test_sealed,
         "redis": test_redis}


def main():
    path, name, *rest = sys.argv[1:]
    seed = int(rest[0]) if rest else secrets.randbelow(2**32)
    print(f"foreign: {name}, seed {seed}", flush=True)
    oracle.self_check()
    driver = Driver(path)
    told = TESTS[name](driver, seed)
    driver.close()
    print(f"foreign: {told}")


if __name__ == "__main__":
    main()
