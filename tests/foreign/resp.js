// SPDX-License-Identifier: MIT
// A private redis-server through tests/redis/keeper.py, and a client that speaks RESP2 to it: status,
// error, integer and bulk string, which is all that GET and SET answer.
'use strict';

const net = require('net');
const path = require('path');
const { spawn } = require('child_process');
const readline = require('readline');

const KEEPER = path.join(__dirname, '..', 'redis', 'keeper.py');

class Kept {
    static async start() {
        const kept = new Kept();
        kept.process = spawn(KEEPER, [], { stdio: ['pipe', 'pipe', 'inherit'] });
        kept.ended = new Promise((resolve) => kept.process.on('close', resolve));
        const line = await new Promise((resolve, reject) => {
            kept.process.on('error', reject);
            kept.ended.then(() => reject(new Error('keeper.py gave up')));
            readline.createInterface({ input: kept.process.stdout }).once('line', resolve);
        });
        kept.port = Number(/ports=(\d+)/.exec(line)[1]);
        kept.url = `redis://127.0.0.1:${kept.port}`;
        return kept;
    }

    async close() {
        this.process.stdin.end();
        await this.ended;
    }
}

/** The first reply in `bytes` and where it ends; undefined if it is not all there. */
function parse(bytes) {
    const end = bytes.indexOf('\r\n');
    if (end < 0) {
        return undefined;
    }
    const text = bytes.toString('latin1', 1, end);
    const sign = String.fromCharCode(bytes[0]);
    if (sign === '-') {
        return { error: new Error(text), end: end + 2 };
    }
    if (sign === '+' || sign === ':') {
        return { value: text, end: end + 2 };
    }
    if (sign !== '$') {
        throw new Error(`a reply of another kind: ${sign}`);
    }
    const size = Number(text);
    if (size < 0) {
        return { value: null, end: end + 2 };
    }
    const start = end + 2;
    return bytes.length < start + size + 2 ? undefined
        : { value: Buffer.from(bytes.subarray(start, start + size)), end: start + size + 2 };
}

class Resp {
    constructor(port) {
        this.rest = Buffer.alloc(0);
        this.waiting = [];
        this.socket = net.connect(port, '127.0.0.1');
        this.socket.on('data', (chunk) => this.take(chunk));
        this.socket.on('error', (error) => this.waiting.forEach((one) => one.reject(error)));
    }

    take(chunk) {
        this.rest = Buffer.concat([this.rest, chunk]);
        for (let reply; (reply = parse(this.rest)) !== undefined; this.rest = this.rest.subarray(reply.end)) {
            const { resolve, reject } = this.waiting.shift();
            reply.error === undefined ? resolve(reply.value) : reject(reply.error);
        }
    }

    ask(...words) {
        const parts = [Buffer.from(`*${words.length}\r\n`)];
        for (const word of words) {
            const bytes = Buffer.isBuffer(word) ? word : Buffer.from(String(word), 'utf8');
            parts.push(Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n'));
        }
        this.socket.write(Buffer.concat(parts));
        return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
    }

    close() {
        this.socket.end();
    }
}

module.exports = { Kept, Resp };
