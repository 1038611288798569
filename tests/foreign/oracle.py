# SPDX-License-Identifier: MIT
"""CacheKit's formats a second time, from Python's own libraries and the protocol's text only."""

import datetime
import hashlib
import re
import sys
import uuid

try:
    import lz4.block
    import msgpack
    import xxhash
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF
except ImportError as error:
    sys.exit(f"foreign: {error.name} is missing for {sys.executable}; ci/setup installs python3-msgpack, "
             "python3-lz4, python3-xxhash and python3-cryptography for Debian's Python")

SENTINELS = {datetime.datetime: "__datetime__", datetime.date: "__date__", datetime.time: "__time__"}
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


class Refused(Exception):
    """Bytes that a reader may not take."""


class Set(list):
    """A set among arguments, as it was spelt: in any order, elements more than once."""


# ---- values ----


def plain(value):
    """Dates as the maps that they travel as."""
    if type(value) in SENTINELS:
        return {SENTINELS[type(value)]: True, "value": value.isoformat()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


def in_order(value):
    """Maps in bytewise order of their keys."""
    if isinstance(value, list):
        return [in_order(item) for item in value]
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode())
        return {key: in_order(value[key]) for key in keys}
    return value


def pack(value):
    return msgpack.packb(value, use_bin_type=True)


def pack_value(value):
    return pack(in_order(plain(value)))


def revive(pairs):
    if len(pairs) == 2 and isinstance(pairs.get("value"), str):
        for kind, name in SENTINELS.items():
            if pairs.get(name) is True:
                try:
                    return kind.fromisoformat(pairs["value"])
                except ValueError:  # somebody's own map
                    return pairs
    return pairs


def unpack_value(data):
    try:
        return msgpack.unpackb(data, raw=False, strict_map_key=True, object_hook=revive)
    except (ValueError, msgpack.exceptions.UnpackException) as error:
        raise Refused(str(error)) from error


def same(a, b):
    """Equal in type and value on every level; -0.0 is not 0.0, True is not 1."""
    if type(a) is not type(b):
        return False
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (float, datetime.datetime, datetime.time)):
        return repr(a) == repr(b)
    return a == b


# ---- keys ----


def microseconds(moment):
    return (moment - EPOCH) // datetime.timedelta(microseconds=1)


def collapsed(number):
    return int(number) if number.is_integer() and -(2**63) <= number < 2**64 else number


def pack_head(pack_header, count, bodies):
    return pack_header(msgpack.Packer(), count) + b"".join(bodies)


def pack_interop_argument(value):
    if isinstance(value, float):
        return pack(collapsed(value))
    if isinstance(value, datetime.datetime):
        return pack(collapsed(microseconds(value) / 1e6))
    if isinstance(value, uuid.UUID):
        return pack(str(value))
    if isinstance(value, Set):
        elements = sorted({pack_interop_argument(item) for item in value})
        return pack_head(msgpack.Packer.pack_array_header, len(elements), elements)
    if isinstance(value, list):
        items = [pack_interop_argument(item) for item in value]
        return pack_head(msgpack.Packer.pack_array_header, len(items), items)
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode())
        pairs = [pack(key) + pack_interop_argument(value[key]) for key in keys]
        return pack_head(msgpack.Packer.pack_map_header, len(pairs), pairs)
    return pack(value)


def digest(data, size=32):
    return hashlib.blake2b(data, digest_size=size).hexdigest()


def interop_key(name_space, operation, args):
    return f"{name_space}:{operation}:{digest(pack_interop_argument(list(args)))}"


def auto_argument(value):
    if isinstance(value, float):
        return 0.0 if value == 0 else value
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, list):
        return [auto_argument(item) for item in value]
    if isinstance(value, dict):
        return {key: auto_argument(value[key]) for key in sorted(value)}
    return value


def auto_key(name_space, function, code, integrity, args, kwargs):
    function = re.sub(r"[^A-Za-z0-9_.]", "_", function)
    function = re.sub(r"\.{2,}", ".", function)[:200]
    hashed = digest(pack([auto_argument(list(args)), auto_argument(kwargs)]))
    start = f"ns:{name_space}:" if name_space else ""
    key = f"{start}func:{function}:args:{hashed}:{'1' if integrity else '0'}{code}"
    key = re.sub(r"[ \r\n]", "_", key)
    return key if len(key) <= 250 else f"{key[:50]}:{digest(key.encode())[:32]}"


# ---- envelopes ----


def make_envelope(payload, is_legacy):
    block = lz4.block.compress(payload, store_size=False)
    checksum = list(xxhash.xxh3_64_digest(payload))
    return pack([list(block) if is_legacy else block, checksum, len(payload), "msgpack"])


def envelope_parts(data):
    return msgpack.unpackb(data, raw=False)


def read_envelope(data):
    try:
        block, checksum, size, _ = envelope_parts(data)
        if size > 1000 * len(block):
            raise Refused("ratio")
        payload = lz4.block.decompress(block, uncompressed_size=size)
    except (ValueError, TypeError, OverflowError, lz4.block.LZ4BlockError,
            msgpack.exceptions.UnpackException) as error:
        raise Refused(str(error)) from error
    # Packed, since False equals 0 in Python.
    if pack(list(xxhash.xxh3_64_digest(payload))) != pack(checksum) or len(payload) != size:
        raise Refused("checksum")
    return payload


# ---- sealed bytes ----


def derive(master, tenant):
    domain, tenant = b"encryption", tenant.encode()
    salt = b"cachekit_v1_" + bytes([len(domain)]) + domain + len(tenant).to_bytes(2, "big") + tenant
    return HKDF(algorithm=hashes.SHA256(), length=32, salt=salt, info=domain).derive(master)


def fingerprint(key):
    return hashlib.sha256(b"key_fingerprint_v1" + key).hexdigest()[:32]


def additional_data(tenant, cache_key, form, compressed, original_type):
    parts = [tenant, cache_key, form, str(compressed)] + [original_type] * bool(original_type)
    encoded = [part.encode() for part in parts]
    return b"\x03" + b"".join(len(part).to_bytes(4, "big") + part for part in encoded)


def seal(key, bound, nonce, text):
    return nonce + AESGCM(key).encrypt(nonce, text, bound)


def unseal(key, bound, sealed):
    try:
        return AESGCM(key).decrypt(sealed[:12], sealed[12:], bound)
    except InvalidTag as error:
        raise Refused("tag") from error


def self_check():
    """The oracle is right where the protocol prints what is right."""
    assert digest(pack_interop_argument([42]))[:16] == "6159871625508008"
    assert fingerprint(derive(b"a" * 32, "cross-sdk-test")) == "96179a9bc881aa7ca83f04b78a66afd3"
    assert digest(b"cbor", 2) == "23d5"
    assert xxhash.xxh3_64_hexdigest(b"hello, cachekit!") == "6d8a34b63a3c52d3"
    assert pack_value({"name": "alice", "age": 30}).hex() == "82a36167651ea46e616d65a5616c696365"
