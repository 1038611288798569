// SPDX-License-Identifier: MIT
// MessagePack as interop/v1 has it, and tagged JSON. Values: null, booleans, BigInt, Float, strings,
// Buffer, arrays, Map; arguments also ArgumentSet, Moment and Uuid.
'use strict';

class Float {
    constructor(number) {
        this.number = number;
    }
}
class ArgumentSet {
    constructor(items) {
        this.items = items;
    }
}
class Moment {
    constructor(microseconds, text) {
        this.microseconds = microseconds;
        this.text = text;
    }
}
class Uuid {
    constructor(text) {
        this.text = text;
    }
}
class Refused extends Error {}

// ---- packing ----

function number(marker, value, width) {
    const out = Buffer.alloc(1 + width);
    out[0] = marker;
    for (let i = width; i > 0; i--, value >>= 8n) {
        out[i] = Number(value & 255n);
    }
    return out;
}

function packInteger(value) {
    if (value >= -32n && value < 128n) {
        return Buffer.from([Number(value & 255n)]);
    }
    for (let i = 0; i < 4; i++) {
        const width = 1 << i;
        const bits = BigInt(8 * width);
        if (value >= 0n && value < 1n << bits) {
            return number(0xcc + i, value, width);
        }
        if (value < 0n && value >= -(1n << bits - 1n)) {
            return number(0xd0 + i, value, width);
        }
    }
    throw new Error(`${value} is no 64-bit integer`);
}

function packFloat(value) {
    const out = Buffer.alloc(9);
    out[0] = 0xcb;
    out.writeDoubleBE(value, 1);
    return out;
}

// `short`: the marker that holds counts below `limit`; `first`: that of the narrowest header.
function header(count, short, limit, first, widths) {
    if (count < limit) {
        return Buffer.from([short + count]);
    }
    const i = widths.findIndex((width) => count < 2 ** (8 * width));
    return number(first + i, BigInt(count), widths[i]);
}

const packText = (text) => {
    const body = Buffer.from(text, 'utf8');
    return Buffer.concat([header(body.length, 0xa0, 32, 0xd9, [1, 2, 4]), body]);
};
const packBytes = (bytes) => Buffer.concat([header(bytes.length, 0, 0, 0xc4, [1, 2, 4]), bytes]);
const packArray = (items) =>
    Buffer.concat([header(items.length, 0x90, 16, 0xdc, [2, 4]), ...items]);

function packMap(map, pack, isSorted) {
    const pairs = [...map].map(([key, value]) => [Buffer.from(key, 'utf8'), packText(key), pack(value)]);
    if (isSorted) {
        pairs.sort((a, b) => Buffer.compare(a[0], b[0]));
    }
    return Buffer.concat([header(pairs.length, 0x80, 16, 0xde, [2, 4]),
        ...pairs.flatMap(([, key, value]) => [key, value])]);
}

function packScalar(value) {
    switch (typeof value) {
    case 'bigint':
        return packInteger(value);
    case 'string':
        return packText(value);
    case 'boolean':
        return Buffer.from([value ? 0xc3 : 0xc2]);
    }
    if (value === null) {
        return Buffer.from([0xc0]);
    }
    return value instanceof Float ? packFloat(value.number) : packBytes(value);
}

/** A value's canonical bytes, or with its maps in their own order. */
function packValue(value, isSorted = true) {
    if (Array.isArray(value)) {
        return packArray(value.map((item) => packValue(item, isSorted)));
    }
    if (value instanceof Map) {
        return packMap(value, (item) => packValue(item, isSorted), isSorted);
    }
    return packScalar(value);
}

const isIntegral = (number) => Number.isInteger(number) && number >= -(2 ** 63) && number < 2 ** 64;
const packCollapsed = (number) =>
    isIntegral(number) ? packInteger(BigInt(number)) : packFloat(number);

/** An argument's canonical bytes. */
function packArgument(value) {
    if (value instanceof Float) {
        return packCollapsed(value.number);
    }
    if (value instanceof Moment) {
        return packCollapsed(Number(value.microseconds) / 1e6);
    }
    if (value instanceof Uuid) {
        return packText(value.text.toLowerCase());
    }
    if (value instanceof ArgumentSet) {
        const items = value.items.map(packArgument).sort(Buffer.compare);
        return packArray(items.filter((item, i) => i === 0 || !item.equals(items[i - 1])));
    }
    if (Array.isArray(value)) {
        return packArray(value.map(packArgument));
    }
    return value instanceof Map ? packMap(value, packArgument, true) : packScalar(value);
}

// ---- unpacking ----

class Reader {
    constructor(bytes) {
        this.bytes = bytes;
        this.at = 0;
    }

    take(count) {
        if (count > this.bytes.length - this.at) {
            throw new Refused('cut');
        }
        this.at += count;
        return this.bytes.subarray(this.at - count, this.at);
    }

    unsigned(width) {
        return this.take(width).reduce((sum, byte) => sum << 8n | BigInt(byte), 0n);
    }

    text(count) {
        try {
            return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(this.take(count));
        } catch (error) {
            throw new Refused(error.message);
        }
    }

    array(count) {
        return Array.from({ length: Math.min(count, this.bytes.length) }, () => this.value());
    }

    map(count) {
        const map = new Map();
        for (let i = 0; i < count; i++) {
            const key = this.value();
            if (typeof key !== 'string' || map.has(key)) {
                throw new Refused('a key');
            }
            map.set(key, this.value());
        }
        return map;
    }

    value() {
        const marker = this.take(1)[0];
        const width = (first) => 1 << marker - first;
        const count = (first, narrowest = 1) => Number(this.unsigned(narrowest * width(first)));
        if (marker < 0x80) return BigInt(marker);
        if (marker < 0x90) return this.map(marker & 15);
        if (marker < 0xa0) return this.array(marker & 15);
        if (marker < 0xc0) return this.text(marker & 31);
        if (marker >= 0xe0) return BigInt(marker) - 256n;
        if (marker === 0xc0) return null;
        if (marker === 0xc2 || marker === 0xc3) return marker === 0xc3;
        if (marker >= 0xc4 && marker <= 0xc6) return Buffer.from(this.take(count(0xc4)));
        if (marker === 0xca) return new Float(this.take(4).readFloatBE());
        if (marker === 0xcb) return new Float(this.take(8).readDoubleBE());
        if (marker >= 0xcc && marker <= 0xcf) return this.unsigned(width(0xcc));
        if (marker >= 0xd0 && marker <= 0xd3) return BigInt.asIntN(8 * width(0xd0), this.unsigned(width(0xd0)));
        if (marker >= 0xd9 && marker <= 0xdb) return this.text(count(0xd9));
        if (marker === 0xdc || marker === 0xdd) return this.array(count(0xdc, 2));
        if (marker === 0xde || marker === 0xdf) return this.map(count(0xde, 2));
        throw new Refused(`marker ${marker}`);
    }
}

/** Exactly one document. */
function unpackValue(bytes) {
    const reader = new Reader(bytes);
    const value = reader.value();
    if (reader.at !== bytes.length) {
        throw new Refused('bytes behind the document');
    }
    return value;
}

module.exports = { Float, ArgumentSet, Moment, Uuid, Refused, packValue, packArgument, unpackValue };
