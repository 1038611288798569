#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes float-repr.txt and float-read.txt, beside itself: doubles and what Python says of them.

float-repr.txt: the bits of a double in hexadecimal, and repr() of it (its exponent without `+`
and without a leading 0). float-read.txt: the bits that float() gives for a text, and the text;
`inf` instead of bits where it overflows.
"""
import pathlib
import random
import struct
from decimal import Decimal, getcontext

getcontext().prec = 1200
HERE = pathlib.Path(__file__).parent
rng = random.Random(20261130)


def double(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def bits_of(number):
    return struct.unpack("<Q", struct.pack("<d", number))[0]


def is_finite(bits):
    return (bits >> 52) & 0x7FF != 0x7FF


def short(text):
    return text.replace("e+", "e").replace("e-0", "e-")


def doubles():
    yield from (0, 1 << 63, 1, 2, 3, (1 << 52) - 1, 1 << 52, (1 << 52) + 1)  # subnormals, edges
    yield from (0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF)
    for exponent in range(2047):  # every power of two, and its neighbours now and then
        yield exponent << 52
        if exponent % 8 == 0 and exponent > 0:
            yield (exponent << 52) + 1
            yield (exponent << 52) - 1
    for power in range(-323, 309, 3):
        yield bits_of(float(f"1e{power}"))
    for number in (0.1, 0.2, 0.1 + 0.2, 1 / 3, 2 / 3, 1.0, 10.0, 123456789012345.0, 1e15, 1e16,
                   9999999999999998.0, 9007199254740992.0, 9007199254740993.0, 1e22, 1e23,
                   0.0001, 0.00001, 5e-324, 1.7976931348623157e308, 2.2250738585072014e-308,
                   4.35, 299792458.0, 6.02214076e23, 1e21, 123e-7):
        yield bits_of(number)
        yield bits_of(-number)
    for _ in range(400):
        yield rng.getrandbits(64)
        yield rng.getrandbits(52)  # subnormal
        yield (rng.randrange(960, 1090) << 52) | rng.getrandbits(52)
        yield bits_of(round(rng.uniform(-1000, 1000), rng.randrange(17)))
        yield bits_of(float(rng.getrandbits(rng.randrange(1, 70))))


def texts():
    yield from ("0.0", "-0.0", "0e5", "0.000e-999999999999999999999", "1e-400", "-1e-400",
                "1e309", "-1e309", "1e999999999999999999999", "1.7976931348623157e308",
                "1.7976931348623158e308", "1.7976931348623159e308", "2.4703282292062327e-324",
                "2.4703282292062328e-324", "4.9e-324", "9007199254740993.0",
                "9007199254740992.99999999999999999999", "2.2250738585072011e-308",
                "2.2250738585072014e-308", "1" + "0" * 400 + "e-400", "0." + "0" * 400 + "1e400",
                "8.5", "0.1e1", "1E5", "1e+5", "1e05", "123456789012345678901234567890.5")
    for i in range(120):
        bits = rng.getrandbits(63)
        if i % 3 == 1:
            bits = rng.getrandbits(51)
        if i % 3 == 2:
            bits = (rng.randrange(960, 1090) << 52) | rng.getrandbits(52)
        if not is_finite(bits + 1):
            continue
        middle = (Decimal(double(bits)) + Decimal(double(bits + 1))) / 2
        for text in (middle, middle * (1 + Decimal(10) ** -790), middle * (1 - Decimal(10) ** -790),
                     middle * (1 + Decimal(10) ** -40)) if i % 4 == 0 else (middle,):
            text = format(text, "e").replace("e+", "e")
            yield text if "." in text or "e" in text else text + ".0"
        yield "%.*e" % (rng.randrange(0, 25), double(bits))


def main():
    seen = set()
    with open(HERE / "float-repr.txt", "w", encoding="ascii") as out:
        for bits in doubles():
            if is_finite(bits) and bits not in seen:
                seen.add(bits)
                out.write(f"{bits:016x} {short(repr(double(bits)))}\n")
    with open(HERE / "float-read.txt", "w", encoding="ascii") as out:
        for text in texts():
            number = float(text)
            bits = "inf" if number in (float("inf"), float("-inf")) else f"{bits_of(number):016x}"
            out.write(f"{bits} {text}\n")


main()
