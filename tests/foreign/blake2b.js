// SPDX-License-Identifier: MIT
// BLAKE2b (RFC 7693) without a key, of any digest length: OpenSSL, and so Node, has 64 bytes only.
'use strict';

const START = [0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n,
    0x510e527fade682d1n, 0x9b05688c2b3e6c1fn, 0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n];
const SIGMA = ['0123456789abcdef', 'ea489fd61c02b753', 'b8c052fdae367194', '7931dcbe265a40f8',
    '905724afe1bc683d', '2c6a0b834d75fe19', 'c51fed4a0763928b', 'db7ec13950f4862a', '6fe9b308c2d714a5',
    'a2847615fb9e3cd0'].map((row) => [...row].map((digit) => parseInt(digit, 16)));
const COLUMNS = [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15],
    [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]];
const BLOCK = 128;

const word = (number) => BigInt.asUintN(64, number);
const turn = (number, bits) => word(number >> bits | number << 64n - bits);

function mix(v, [a, b, c, d], x, y) {
    v[a] = word(v[a] + v[b] + x);
    v[d] = turn(v[d] ^ v[a], 32n);
    v[c] = word(v[c] + v[d]);
    v[b] = turn(v[b] ^ v[c], 24n);
    v[a] = word(v[a] + v[b] + y);
    v[d] = turn(v[d] ^ v[a], 16n);
    v[c] = word(v[c] + v[d]);
    v[b] = turn(v[b] ^ v[c], 63n);
}

function compress(state, block, counted, isLast) {
    const v = [...state, ...START];
    v[12] ^= BigInt(counted);
    v[14] = isLast ? word(~v[14]) : v[14];
    for (let round = 0; round < 12; round++) {
        const order = SIGMA[round % 10];
        COLUMNS.forEach((column, i) => mix(v, column, block.readBigUInt64LE(8 * order[2 * i]),
            block.readBigUInt64LE(8 * order[2 * i + 1])));
    }
    return state.map((number, i) => number ^ v[i] ^ v[i + 8]);
}

/** The digest of a Buffer, `size` bytes, as lower-case hexadecimal text. */
function blake2b(data, size = 32) {
    let state = [...START];
    state[0] ^= 0x01010000n ^ BigInt(size);
    let at = 0;
    for (; data.length - at > BLOCK; at += BLOCK) {
        state = compress(state, data.subarray(at, at + BLOCK), at + BLOCK, false);
    }
    const last = Buffer.alloc(BLOCK);
    data.copy(last, 0, at);
    state = compress(state, last, data.length, true);
    const out = Buffer.alloc(64);
    state.forEach((number, i) => out.writeBigUInt64LE(number, 8 * i));
    return out.toString('hex', 0, size);
}

module.exports = { blake2b };
