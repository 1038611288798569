// SPDX-License-Identifier: MIT
// The driver's JSON in and out. JSON.parse would lose which numbers were integers.
'use strict';

const { Float, Moment, ArgumentSet, Uuid } = require('./msgpack.js');

function floatText(number) {
    const text = Object.is(number, -0) ? '-0' : String(number);
    return /[.e]/.test(text) ? text : `${text}.0`;
}

function toJson(value) {
    if (value === null || typeof value === 'boolean' || typeof value === 'string') {
        return JSON.stringify(value);
    }
    if (typeof value === 'bigint') {
        const isSafe = value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER);
        return isSafe ? `${value}` : `{"$int":"${value}"}`;
    }
    if (value instanceof Float) return floatText(value.number);
    if (value instanceof ArgumentSet) return `{"$set":${toJson(value.items)}}`;
    if (value instanceof Moment) return `{"$datetime":"${value.text}"}`;
    if (value instanceof Uuid) return `{"$uuid":"${value.text}"}`;
    if (Buffer.isBuffer(value)) return `{"$bytes":"${value.toString('hex')}"}`;
    if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`;
    const pairs = [...value].map(([key, item]) => [JSON.stringify(key), toJson(item)]);
    if (pairs.length === 1 && pairs[0][0].startsWith('"$')) {
        return `{"$map":[[${pairs[0].join(',')}]]}`;
    }
    return `{${pairs.map((pair) => pair.join(':')).join(',')}}`;
}

function untagged(map) {
    const [tag, body] = map.size === 1 ? [...map][0] : ['', null];
    switch (tag) {
    case '$bytes':
        return Buffer.from(body, 'hex');
    case '$int':
        return BigInt(body);
    case '$map':
        return new Map(body);
    }
    return map;
}

const TOKEN = /[[\]{},:]|"(?:[^"\\]|\\.)*"|[-+.eE\d]+|true|false|null/y;

/** Reads compact JSON as the library writes it: integers are BigInt, other numbers Float. */
function fromJson(text) {
    let at = 0;
    const next = () => {
        TOKEN.lastIndex = at;
        const found = TOKEN.exec(text);
        if (found === null) {
            throw new Error(`no JSON at ${at}: ${text}`);
        }
        at = TOKEN.lastIndex;
        return found[0];
    };
    const list = (end, item) => {
        const items = [];
        if (text[at] === end) {
            at++;
            return items;
        }
        do {
            items.push(item());
        } while (next() === ',');
        return items;
    };
    const pair = () => {
        const key = JSON.parse(next());
        next(); // the colon
        return [key, value()];
    };
    const value = () => {
        const token = next();
        if (token === '[') return list(']', value);
        if (token === '{') return untagged(new Map(list('}', pair)));
        if (!/^[-\d]/.test(token)) return JSON.parse(token);
        return /[.eE]/.test(token) ? new Float(Number(token)) : BigInt(token);
    };
    return value();
}

module.exports = { toJson, fromJson };
