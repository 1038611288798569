// SPDX-License-Identifier: MIT
// Random values that meet the edges of all widths and orders, and how many there were of each.
'use strict';

const { Float, Moment, ArgumentSet, Uuid } = require('./msgpack.js');

const DEPTH_MAX = 4;
const EDGES = [0n, 0x20n, 0x80n, 0x100n, 0x8000n, 0x10000n, 1n << 31n, 1n << 32n, 1n << 53n, 1n << 63n];
const FLOATS = [0, -0, 2, 0.1, 5e-324, 1e300, 2 ** 63, -(2 ** 63), 2 ** 64, 1e16, 1e21, 1e-7];
const LETTERS = ['a', 'B', '_', ' ', '\0', '\n', '\t', '"', '\\', '\x7f', '\xe9', '\u20ac', '\uff61',
    '\u{10000}', '\u{1f600}'];
const SIZES = [0, 1, 15, 16, 17, 31, 32, 33, 255, 256];
const KEYS = ['$bytes', '$x', 'value', '__date__', 'same_key_a', 'same_key_b', 'same_key'];
const COLLECTIONS = ['array', 'map', 'set'];
const two = (number) => String(number).padStart(2, '0');

class Maker {
    constructor(seed, kinds) {
        this.state = seed;
        this.kinds = kinds;
        this.counts = new Map(kinds.map((kind) => [kind, 0]));
    }

    // mulberry32.
    word() {
        this.state = this.state + 0x6d2b79f5 | 0;
        let t = Math.imul(this.state ^ this.state >>> 15, 1 | this.state);
        t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
        return (t ^ t >>> 14) >>> 0;
    }

    below(limit) {
        return this.word() % limit;
    }

    choice(items) {
        return items[this.below(items.length)];
    }

    buffer(count) {
        return Buffer.from(Array.from({ length: count }, () => this.below(256)));
    }

    size(most) {
        return this.below(10) === 0 ? Math.min(this.choice(SIZES), most) : this.below(6);
    }

    nil() {
        return null;
    }

    bool() {
        return this.below(2) === 0;
    }

    int() {
        const number = this.choice(EDGES) + BigInt(this.below(3) - 1);
        const signed = this.below(2) === 0 ? number : -number;
        return BigInt.asIntN(64, signed);
    }

    uint64() {
        return 1n << 63n | this.buffer(8).readBigUInt64BE();
    }

    float() {
        const number = this.buffer(8).readDoubleBE();
        return new Float(this.below(2) === 0 || !Number.isFinite(number) ? this.choice(FLOATS) : number);
    }

    str() {
        const letters = this.below(2) === 0 ? LETTERS : ['a', 'b', 'c'];
        return Array.from({ length: this.size(256) }, () => this.choice(letters)).join('');
    }

    bytes() {
        return this.buffer(this.size(256));
    }

    array(depth) {
        return Array.from({ length: this.size(33) }, () => this.value(depth + 1));
    }

    set(depth) {
        const items = this.array(depth);
        return new ArgumentSet([...items, ...items.slice(0, this.below(2))]);
    }

    map(depth) {
        const key = () => this.below(10) === 0 ? this.choice(KEYS) : Array.from(this.str()).slice(0, 40).join('');
        return new Map(Array.from({ length: this.size(33) }, () => [key(), this.value(depth + 1)]));
    }

    /** A moment of the years 1970 - 1900 to 1970 + 1900, in any offset of whole minutes. */
    moment() {
        const seconds = BigInt(this.word() % 59958000) * 1000n + BigInt(this.below(1000));
        const fraction = BigInt(this.below(3) === 0 ? 0 : this.below(1000000));
        const microseconds = (this.below(2) === 0 ? seconds : -seconds) * 1000000n + fraction;
        const offset = this.choice([0, 0, 330, -480, this.below(2879) - 1439]);
        const local = Number((microseconds - fraction) / 1000n) + offset * 60000;
        const size = Math.abs(offset);
        const text = new Date(local).toISOString().slice(0, 19)
            + (fraction === 0n ? '' : `.${String(fraction).padStart(6, '0')}`)
            + `${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
        return new Moment(microseconds, text);
    }

    stamp(name, text) {
        const pairs = [[`__${name}__`, true], ['value', text]];
        return new Map(this.below(2) === 0 ? pairs : pairs.reverse());
    }

    datetime() {
        const { text } = this.moment();
        return this.stamp('datetime', this.below(2) === 0 ? text : text.slice(0, -6));
    }

    date() {
        return this.stamp('date', this.moment().text.slice(0, 10));
    }

    time() {
        return this.stamp('time', this.moment().text.slice(11));
    }

    uuid() {
        const hex = this.buffer(16).toString('hex');
        const text = [[0, 8], [8, 12], [12, 16], [16, 20], [20, 32]].map(([a, b]) => hex.slice(a, b)).join('-');
        return new Uuid(this.below(2) === 0 ? text : text.toUpperCase());
    }

    value(depth = 0, wanted = null) {
        const kinds = this.kinds.filter((kind) => depth < DEPTH_MAX || !COLLECTIONS.includes(kind));
        const kind = wanted ?? this.choice(kinds);
        this.counts.set(kind, this.counts.get(kind) + 1);
        return this[kind](depth);
    }

    checkCounts() {
        for (const [kind, count] of this.counts) {
            if (count < 20) {
                throw new Error(`${count} of ${kind}`);
            }
        }
        return [...this.counts].map(([kind, count]) => `${kind} ${count}`).join(', ');
    }
}

module.exports = { Maker };
