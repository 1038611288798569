#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes key-rules.json, beside itself: keys that the protocol's vectors do not cover.

Written from the protocol's text, with a packer and an order of its own; hashlib, datetime and uuid
are Python's. The tags are those of interop-mode.json, and: $us (a moment in microseconds), $map
(pairs, where keys are no texts or not to be sorted), $raw (the bytes of a text that is no UTF-8).
"""
import datetime
import hashlib
import json
import math
import pathlib
import random
import re
import struct
import uuid

HERE = pathlib.Path(__file__).parent
rng = random.Random(20261130)
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


class Us(int):
    """A moment."""


class Set(list):
    """A set, in the order in which it is given."""


class Pairs(list):
    """A map, in the order in which it is given."""


class Stamp(str):
    """A moment as text."""


class Raw(bytes):
    """The bytes of a text."""


# ---- MessagePack, shortest forms ----

def head(number, rows):
    for limit, marker, form in rows:
        if number <= limit:
            return bytes([marker]) + struct.pack(form, number)
    raise OverflowError


def pack_int(n):
    if 0 <= n < 128:
        return bytes([n])
    if -32 <= n < 0:
        return bytes([256 + n])
    if n > 0:
        return head(n, [(0xff, 0xcc, ">B"), (0xffff, 0xcd, ">H"), (2**32 - 1, 0xce, ">I"),
                        (2**64 - 1, 0xcf, ">Q")])
    for bits, marker, form in ((7, 0xd0, ">b"), (15, 0xd1, ">h"), (31, 0xd2, ">i"), (63, 0xd3, ">q")):
        if n >= -2**bits:
            return bytes([marker]) + struct.pack(form, n)
    raise OverflowError


def pack_f64(x):
    return b"\xcb" + struct.pack(">d", x)


def pack_str(text):
    data = text.encode()
    if len(data) < 32:
        return bytes([0xa0 + len(data)]) + data
    return head(len(data), [(0xff, 0xd9, ">B"), (0xffff, 0xda, ">H"), (2**32 - 1, 0xdb, ">I")]) + data


def pack_bin(data):
    return head(len(data), [(0xff, 0xc4, ">B"), (0xffff, 0xc5, ">H"), (2**32 - 1, 0xc6, ">I")]) + data


def pack_count(n, fix, wide):
    if n < 16:
        return bytes([fix + n])
    return head(n, [(0xffff, wide, ">H"), (2**32 - 1, wide + 1, ">I")])


def pack_array(parts):
    return pack_count(len(parts), 0x90, 0xdc) + b"".join(parts)


def pairs_of(value):
    return list(value.items()) if isinstance(value, dict) else [tuple(pair) for pair in value]


# ---- the two profiles ----

def microseconds(moment):
    return (moment - EPOCH) // datetime.timedelta(microseconds=1)


def interop_float(x):
    if math.isnan(x) or math.isinf(x):
        raise ValueError
    if x == math.floor(x) and -2**63 <= x < 2**64:
        return pack_int(int(x))
    return pack_f64(x)


def interop(value):
    if isinstance(value, Us):
        return interop_float(int(value) / 1e6)
    if isinstance(value, Stamp):
        return interop_float(microseconds(datetime.datetime.fromisoformat(value)) / 1e6)
    if isinstance(value, float):
        return interop_float(value)
    if isinstance(value, Set):
        return pack_array(sorted({interop(item) for item in value}))
    if isinstance(value, (dict, Pairs)):
        pairs = sorted((key.encode(), item) for key, item in pairs_of(value))
        return pack_count(len(pairs), 0x80, 0xde) + b"".join(
            pack_str(key.decode()) + interop(item) for key, item in pairs)
    return plain(value, interop)


def auto(value):
    if isinstance(value, Us):
        return pack_str((EPOCH + datetime.timedelta(microseconds=int(value))).isoformat())
    if isinstance(value, Stamp):
        return pack_str(datetime.datetime.fromisoformat(value).isoformat())
    if isinstance(value, float):
        return pack_f64(0.0 if value == 0 else value)
    if isinstance(value, (dict, Pairs)):
        pairs = sorted(dict(pairs_of(value)).items())
        return pack_count(len(pairs), 0x80, 0xde) + b"".join(
            auto(key) + auto(item) for key, item in pairs)
    return plain(value, auto)


def plain(value, pack):
    if value is None:
        return b"\xc0"
    if value is True or value is False:
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        return pack_int(value)
    if isinstance(value, str):
        return pack_str(value)
    if isinstance(value, bytes):
        return pack_bin(value)
    if isinstance(value, uuid.UUID):
        return pack_str(str(value))
    return pack_array([pack(item) for item in value])


def auto_key(namespace, function, args, kwargs, no_integrity, code):
    name = re.sub(r"[^A-Za-z0-9_.]", "_", function)
    name = re.sub(r"\.{2,}", ".", name)[:200]
    digest = hashlib.blake2b(b"\x92" + auto(args) + auto(kwargs), digest_size=32).hexdigest()
    key = f"ns:{namespace}:" if namespace else ""
    key += f"func:{name}:args:{digest}:{0 if no_integrity else 1}{code}"
    key = key.replace(" ", "_").replace("\n", "_").replace("\r", "_")
    if len(key) > 250:
        key = key[:50] + ":" + hashlib.blake2b(key.encode(), digest_size=32).hexdigest()[:32]
    return key


# ---- rows ----

def tagged(value):
    if isinstance(value, Us):
        return {"$us": str(int(value))}
    if isinstance(value, Stamp):
        return {"$datetime": str(value)}
    if isinstance(value, Raw):
        return {"$raw": value.hex()}
    if isinstance(value, bytes):
        return {"$bytes": value.hex()}
    if isinstance(value, uuid.UUID):
        return {"$uuid": str(value)}
    if isinstance(value, float):
        return {"$float": repr(value)}
    if isinstance(value, Set):
        return {"$set": [tagged(item) for item in value]}
    if isinstance(value, (dict, Pairs)):
        return {"$map": [[tagged(key), tagged(item)] for key, item in pairs_of(value)]}
    if isinstance(value, list):
        return [tagged(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53:
        return {"$int": str(value)}
    return value


def auto_row(name, args, kwargs=(), namespace=None, function="app.f", no_integrity=False, code="s"):
    kwargs = Pairs(kwargs)
    return {"name": name, "namespace": namespace, "function": function, "code": code,
            "no_integrity": no_integrity, "args": tagged(list(args)), "kwargs": tagged(kwargs)["$map"],
            "key": auto_key(namespace, function, list(args), kwargs, no_integrity, code)}


def interop_row(name, args):
    data = interop(list(args))
    return {"name": name, "args": tagged(list(args)), "canonical": data.hex(),
            "digest": hashlib.blake2b(data, digest_size=32).hexdigest()}


ID = uuid.UUID("550e8400-e29b-41d4-a716-446655440000")
STAMPS = [
    "2024-01-01T12:30:45.123456+00:00", "2024-01-01T12:30:45.120000+00:00", "2024-01-01T00:00:00Z",
    "2024-01-01T18:00:45.123456+05:30", "1969-12-31T23:59:59.123456-00:00", "1969-12-31T23:59:59.999999+00:00",
    "2024-02-29T23:59:59-11:30", "2000-02-29T12:00:00+00:00", "1900-03-01T00:00:00.000001+00:00",
    "1600-12-31T23:59:59+23:59", "2024-01-01T00:00:00+05:30:15", "2024-01-01T00:00:00.500000-05:30:15.000250",
    "0001-01-02T00:00:00+00:00", "9999-12-30T23:59:59.999999+00:00",
]
INSTANTS = [0, 1, -1, 999999, -999999, 1000000, -1000000, -1000001, 86400 * 10**6, -86400 * 10**6,
            -86400 * 10**6 - 1, 1704112245123456, -2208988800000000, -62135596800000000, 253402300799999999,
            -11676096000000000, 951782400000000]
FLOATS = [0.0, -0.0, 1.0, 3.0, -1.0, 0.5, -0.5, 1e15, 1e16, 1e300, 5e-324, 2.0**63, -2.0**63, 2.0**53 + 1,
          18446744073709549568.0, 2.0**64, 9223372036854774784.0, -9223372036854777856.0, 1.7976931348623157e308]
INTS = [0, 127, 128, 255, 256, 65535, 65536, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1, -1, -32, -33,
        -128, -129, -32768, -32769, -2**31, -2**31 - 1, -2**63]
TEXTS = ["", "a", "aa", "b", "ab", "é", "\uff61", "\U00010000", "a" * 16, "a" * 17, "é" * 16, "x" * 31, "x" * 32,
         "line\nbreak", "nul\0in", "\u20ac", "\x7f"]


def random_value(depth, with_sets):
    kind = rng.randrange(12 if depth > 0 else 8)
    if kind >= 8:
        count = rng.choice([0, 1, 2, 3, 5, 17])
        items = [random_value(depth - 1, with_sets) for _ in range(count)]
        if kind == 8 and with_sets:
            return Set(items + items[:2])
        if kind >= 10:
            keys = list({rng.choice(TEXTS) + str(rng.randrange(100)) for _ in items})
            rng.shuffle(keys)
            return Pairs(zip(keys, items))
        return items
    return rng.choice([lambda: None, lambda: rng.random() < 0.5, lambda: rng.choice(INTS),
                       lambda: rng.choice(FLOATS), lambda: rng.choice(TEXTS), lambda: rng.randbytes(rng.randrange(40)),
                       lambda: Us(rng.choice(INSTANTS)), lambda: uuid.UUID(bytes=rng.randbytes(16))])()


def interop_rows():
    yield from (interop_row(f"instant {us}", [Us(us)]) for us in INSTANTS)
    yield interop_row("instants at the ends", [Us(2**63 - 1), Us(-2**63), Us(2**53 + 1)])
    yield from (interop_row(f"stamp {text}", [Stamp(text)]) for text in STAMPS)
    yield from (interop_row(f"float {x!r}", [x]) for x in FLOATS)
    yield interop_row("texts", TEXTS)
    yield interop_row("integers", INTS)
    yield interop_row("16 brief texts", ["abcdefgh"] * 16)
    yield interop_row("15 of 16 bytes", ["abcdefghijklmnop"] * 15)
    yield interop_row("prefix first", [Set([b"\1\2", b"\1", [1, 2], [1], "ab", "a", 1, 1.0, True])])
    yield interop_row("keys of many lengths", [Pairs((t, i) for i, t in enumerate(reversed(TEXTS)))])
    yield interop_row("uuid and its text", [ID, str(ID)])
    yield interop_row("one moment", [Set([Us(0), 0, Stamp("1970-01-01T05:30:00+05:30")])])
    yield interop_row("equal after normalising", [Set([[2.0], [2], Set([1, 2]), [1, 2], Pairs([("a", 1)])])])
    yield interop_row("set of 40", [Set(range(39, -1, -1))])
    yield interop_row("set of 40, 20 distinct", [Set(list(range(20)) * 2)])
    yield interop_row("set of 16, 15 distinct", [Set(list(range(15)) + [0])])
    yield interop_row("map of 40", [Pairs((f"k{i:02}", i) for i in range(39, -1, -1))])
    for i in range(60):
        yield interop_row(f"random {i}", [random_value(3, True) for _ in range(rng.randrange(1, 4))])


def auto_rows():
    yield auto_row("floats stay", FLOATS + [math.nan, math.inf, -math.inf])
    yield auto_row("integers", INTS)
    yield auto_row("texts", TEXTS)
    yield from (auto_row(f"instant {us}", [Us(us)]) for us in INSTANTS)
    yield from (auto_row(f"stamp {text}", [Stamp(text)]) for text in STAMPS)
    yield auto_row("uuid", [ID, bytes(16)])
    yield auto_row("named, sorted", [1], [("b", 1), ("a", 2.0), ("\U00010000", 3), ("\uff61", 4), ("aa", 5)])
    yield auto_row("text keys", [Pairs((t, i) for i, t in enumerate(reversed(TEXTS)))])
    yield auto_row("integer keys", [Pairs((n, str(n)) for n in reversed(INTS))])
    yield auto_row("float keys", [Pairs((x, None) for x in FLOATS if math.copysign(1, x) > 0 or x)])
    yield auto_row("infinite keys", [Pairs([(math.inf, 1), (0.0, 2), (-math.inf, 3), (-1.5, 4)])])
    yield auto_row("bytes keys", [Pairs([(b"b", 1), (b"a" * 300, 2), (b"a", 3), (b"", 4)])])
    yield auto_row("truth keys", [Pairs([(True, 1), (False, 2)])])
    yield auto_row("a nil key alone", [Pairs([(None, 1)])])
    yield auto_row("no integrity", [42], no_integrity=True)
    yield auto_row("a long code", [42], code="x23d5")
    names = ["f.<locals>.<lambda>", "a..b...c....d", "mod:é.ñ", "m.\U0001f600x", "m." + "f" * 250, "m." + "f" * 198,
             "m" * 199 + "..b", "m" * 198 + ".é..b", "..", "a-b c\nd"]
    yield from (auto_row(f"function {i}", [42], function=name) for i, name in enumerate(names))
    spaces = ["", "test", "with space", "line\nand\rreturn", "tab\tstays", "ckx", "c", "ck2:x", "Ü:ß", "a:b"]
    yield from (auto_row(f"name space {i}", [42], namespace=name) for i, name in enumerate(spaces))
    fixed = len("ns::func:app.f:args::1s") + 64
    for text in ("a", "é", "\u20ac", "\U0001f600"):
        for chars in (250, 251, 400):
            yield auto_row(f"{chars} characters of {len(text.encode())} bytes", [42], namespace=text * (chars - fixed))
    yield auto_row("spaces and a cut", [42], namespace="é \n\r" * 100, function="m." + "f" * 250)
    for i in range(60):
        yield auto_row(f"random {i}", [random_value(3, False) for _ in range(rng.randrange(0, 4))],
                       [(f"k{n}", random_value(2, False)) for n in rng.sample(range(20), rng.randrange(0, 4))])


BOTH_REFUSED = [
    ("surrogate", [Raw(b"\xed\xa0\x80")]), ("overlong", [Raw(b"\xc0\x80")]), ("cut", [Raw(b"ab\xe2\x82")]),
    ("above U+10FFFF", [Raw(b"\xf4\x90\x80\x80")]), ("surrogate in a long text", [Raw(b"a" * 40 + b"\xed\xbf\xbf")]),
    ("surrogate in a list", [[Raw(b"\xed\xa0\x80")]]), ("surrogate in a key", [Pairs([(Raw(b"\xed\xa0\x80"), 1)])]),
    ("naive", [Stamp("2024-01-01T00:00:00")]), ("day only", [Stamp("2024-01-01")]), ("no moment", [Stamp("yesterday")]),
    ("no text", [Stamp("")]), ("13th month", [Stamp("2024-13-01T00:00:00Z")]), ("leap second", [Stamp("2016-12-31T23:59:60Z")]),
    ("30 February", [Stamp("2024-02-30T00:00:00Z")]), ("seven digits", [Stamp("2024-01-01T00:00:00.1234567Z")]),
    ("key twice", [Pairs([("a", 1), ("b", 2), ("a", 3)])]), ("key twice, deep", [[[Pairs([("", 1), ("", 1)])]]]),
    ("list as key", [Pairs([([1], 1)])]), ("moment as key", [Pairs([(Us(0), 1)])]), ("uuid as key", [Pairs([(ID, 1)])]),
    ("text and integer as keys", [Pairs([("a", 1), (1, 2)])]),
]
INTEROP_REFUSED = [
    ("NaN", [math.nan]), ("infinity", [math.inf]), ("minus infinity", [-math.inf]), ("NaN in a set", [Set([1, math.nan])]),
    ("integer key", [Pairs([(1, 1)])]), ("nil key", [Pairs([(None, 1)])]), ("bytes key", [Pairs([(b"a", 1)])]),
    ("NaN under a key", [Pairs([("a", math.nan)])]),
]
AUTO_REFUSED = [
    ("set", [Set([1])]), ("set in a map", [Pairs([("a", Set([]))])]), ("integer and text as keys", [Pairs([(1, 1), ("a", 2)])]),
    ("nil among keys", [Pairs([(None, 1), (2, 2)])]), ("two nils", [Pairs([(None, 1), (None, 2)])]), ("NaN as key", [Pairs([(math.nan, 1), (1.0, 2)])]),
    ("integer twice", [Pairs([(1, 1), (1, 2)])]), ("bytes and text as keys", [Pairs([("a", 1), (b"a", 2)])]),
    ("before year 1", [Us(-62135596800000001)]), ("after year 9999", [Us(253402300800000000)]), ("far", [Us(2**63 - 1)]), ("long ago", [Us(-2**63)]),
]


def refused(rows):
    return [{"name": name, "args": tagged(args)} for name, args in rows]


def code_rows():
    fixed = {"default": "s", "std": "s", "standard": "s", "auto": "a", "pythonic": "a", "orjson": "o", "arrow": "w",
             "local": "l"}
    others = ["cbor", "<custom>:ArrowSerializer", "Default", "std ", "s", "sérialiseur"]
    return [{"name": n, "code": c} for n, c in fixed.items()] + [
        {"name": n, "code": "x" + hashlib.blake2b(n.encode(), digest_size=2).hexdigest()} for n in others]


document = {
    "interop": list(interop_rows()),
    "interop_refused": refused(BOTH_REFUSED + INTEROP_REFUSED),
    "auto": list(auto_rows()),
    "auto_refused": refused(BOTH_REFUSED + AUTO_REFUSED),
    "codes": code_rows(),
}
lines = []
for name, rows in document.items():
    body = ",\n".join("  " + json.dumps(row) for row in rows)
    lines.append(f' {json.dumps(name)}: [\n{body}\n ]')
(HERE / "key-rules.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
