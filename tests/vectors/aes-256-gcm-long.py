#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes aes-256-gcm-long.txt, beside itself: rows as in aes-256-gcm.txt, by OpenSSL through
python3-cryptography, for what NIST's rows are too short to reach: the edges of 16 and of 128 bytes,
where implementations go from one loop to another."""
import pathlib
import random

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

rng = random.Random(20261130)
lengths = [1, 15, 16, 17, 31, 33, 63, 65, 112, 127, 128, 129, 143, 144, 145, 255, 256, 257, 271, 400]
rows = []
for index, length in enumerate(lengths):
    key, nonce, plain = rng.randbytes(32), rng.randbytes(12), rng.randbytes(length)
    aad = rng.randbytes(lengths[-1 - index])
    sealed = AESGCM(key).encrypt(nonce, plain, aad)
    row = (key, nonce, aad, plain, sealed[:-16], sealed[-16:])
    rows.append("ossl " + " ".join(part.hex() for part in row))
(pathlib.Path(__file__).parent / "aes-256-gcm-long.txt").write_text("\n".join(rows) + "\n")
