# SPDX-License-Identifier: MIT
"""Random values, that meet the edges of all widths and orders, and how many there were of each."""

import collections
import datetime
import math
import random
import struct
import uuid

import oracle

DEPTH_MAX = 4
EDGES = [0, 0x1F, 0x20, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 2**31, 2**32, 2**53, 2**63, 2**64]
LETTERS = ["a", "B", "_", " ", "\0", "\n", "\t", '"', "\\", "\x7f", "\xe9", "\u20ac", "\uff61", "\U00010000", "\U0001f600"]
SIZES = [0, 1, 15, 16, 17, 31, 32, 33, 255, 256]
SCALARS = ["nil", "bool", "int", "uint64", "float", "str", "bytes"]
DATES = ["datetime", "date", "time"]


class Maker(random.Random):
    """Values of the types in `kinds`; `counts` is of all nodes made, of every level."""

    def __init__(self, seed, kinds):
        super().__init__(seed)
        self.kinds = kinds
        self.counts = collections.Counter()

    def size(self, most):
        return min(self.choice(SIZES), most) if self.random() < 0.1 else self.randrange(6)

    def nil(self, _):
        return None

    def bool(self, _):
        return self.random() < 0.5

    def int(self, _):
        number = self.choice(EDGES) + self.randint(-1, 1)
        number = number if self.random() < 0.5 else -number
        return min(max(number, -(2**63)), 2**63 - 1)

    def uint64(self, _):
        return self.choice([2**63, 2**64 - 1, self.randrange(2**63, 2**64)])

    def float(self, _):
        if self.random() < 0.5:
            return float(self.choice([0.0, -0.0, 2.0, 0.1, 5e-324, 1e300, 2.0**63, -(2.0**63), 2.0**64, 1e16]))
        number = struct.unpack(">d", self.getrandbits(64).to_bytes(8, "big"))[0]
        return number if math.isfinite(number) else 0.5

    def nonfinite(self, _):
        return self.choice([math.nan, math.inf, -math.inf])

    def str(self, _):
        letters = LETTERS if self.random() < 0.5 else "abc"
        return "".join(self.choices(letters, k=self.size(256)))

    def bytes(self, _):
        return self.randbytes(self.size(256))

    def array(self, depth):
        return [self.value(depth + 1) for _ in range(self.size(33))]

    def set(self, depth):
        elements = self.array(depth)
        return oracle.Set(elements + elements[: self.randrange(2)])

    def key(self):
        if self.random() < 0.1:
            return self.choice(["$bytes", "$x", "value", "__date__", "same_key_a", "same_key_b", "same_key"])
        return self.str(0)[:40]

    def map(self, depth):
        return {self.key(): self.value(depth + 1) for _ in range(self.size(33))}

    def offset(self):
        # Whole seconds, since Python 3.7 and 3.11 differ in how they read fractions of one.
        minutes = self.choice([0, 0, 330, -480, self.randrange(-1439, 1440)])
        seconds = self.choice([0, 0, 0, 7])
        return datetime.timezone(datetime.timedelta(minutes=minutes, seconds=seconds))

    def moment(self, _):
        """Aware, as arguments must be."""
        start = datetime.datetime(1, 1, 3, tzinfo=datetime.timezone.utc)
        us = self.choice([self.randrange(9998 * 365 * 86400 * 10**6), 62_000_000_000_000_000 + self.randrange(10**14)])
        us = us if self.random() < 0.6 else us // 10**6 * 10**6
        return (start + datetime.timedelta(microseconds=us)).astimezone(self.offset())

    def datetime(self, _):
        moment = self.moment(0)
        return moment if self.random() < 0.5 else moment.replace(tzinfo=None)

    def date(self, _):
        return self.moment(0).date()

    def time(self, _):
        return self.datetime(0).timetz()

    def uuid(self, _):
        return uuid.UUID(int=self.getrandbits(128))

    def value(self, depth=0, kind=None):
        kinds = [kind for kind in self.kinds if depth < DEPTH_MAX or kind not in ("array", "map", "set")]
        kind = kind or self.choice(kinds)
        self.counts[kind] += 1
        return getattr(self, kind)(depth)

    def roots(self, count):
        """As many of each type at the root."""
        return [self.value(0, self.kinds[i % len(self.kinds)]) for i in range(count)]

    def check_counts(self):
        for kind in self.kinds:
            assert self.counts[kind] >= 20, f"{self.counts[kind]} of {kind}"
        return ", ".join(f"{kind} {self.counts[kind]}" for kind in self.kinds)
