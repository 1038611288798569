// SPDX-License-Identifier: MIT
// What the library writes, Node reads, and the other way round. Usage: node test_node.js DRIVER
// values|keys|sealed|redis [SEED]. The seed is printed, so that a failure can be had again.
'use strict';

const assert = require('assert').strict;
const crypto = require('crypto');
const { spawn } = require('child_process');
const readline = require('readline');

const { blake2b } = require('./blake2b.js');
const { Refused, packArgument, packValue, unpackValue } = require('./msgpack.js');
const { Maker } = require('./random_values.js');
const { Kept, Resp } = require('./resp.js');
const { fromJson, toJson } = require('./tagged_json.js');

const ROOTS = 1000;
const SCALARS = ['nil', 'bool', 'int', 'uint64', 'float', 'str', 'bytes'];
const ALICE = '82a36167651ea46e616d65a5616c696365';

class Driver {
    constructor(path) {
        this.process = spawn(path, [], { stdio: ['pipe', 'pipe', 'inherit'] });
        this.waiting = [];
        this.ended = new Promise((resolve, reject) => {
            this.process.on('error', reject);
            this.process.on('close', resolve);
        });
        readline.createInterface({ input: this.process.stdout, crlfDelay: Infinity })
            .on('line', (line) => this.waiting.shift()(line.split('\t')));
    }

    answer(...fields) {
        assert(!fields.some((field) => /[\t\n]/.test(field)), fields.join('|'));
        this.process.stdin.write(`${fields.join('\t')}\n`);
        return Promise.race([new Promise((resolve) => this.waiting.push(resolve)),
            this.ended.then(() => ['gone'])]);
    }

    async ask(...fields) {
        const [verdict, text] = await this.answer(...fields);
        assert.equal(verdict, 'ok', `${fields.join(' ')}: ${text}`);
        return text;
    }

    async refusal(...fields) {
        const [verdict, text] = await this.answer(...fields);
        assert.equal(verdict, 'no', `passed: ${fields.join(' ')}`);
        return text;
    }

    async close() {
        this.process.stdin.end();
        assert.equal(await this.ended, 0, 'the driver failed at its end');
    }
}

function changed(maker, bytes) {
    const copy = Buffer.from(bytes);
    copy[maker.below(copy.length)] ^= 1 + maker.below(255);
    return copy;
}

// ---- values ----

/** One byte of the first header changed, so that the document is none: there is no checksum. */
function brokenHeader(bytes) {
    const copy = Buffer.from(bytes);
    const hasRoom = [[0xa0, 31], [0x90, 15], [0x80, 15]]
        .some(([start, most]) => copy[0] >= start && copy[0] < start + most);
    copy[0] = hasRoom ? copy[0] + 1 : 0xc1; // promises one more than there is, or is reserved
    return copy;
}

async function checkValue(driver, value) {
    const canonical = packValue(value);
    const ours = Buffer.from(await driver.ask('encode', toJson(value)), 'hex');
    assert.equal(ours.toString('hex'), canonical.toString('hex'), toJson(value));
    assert(packValue(unpackValue(ours)).equals(canonical), 'Node reads otherwise');
    const theirs = packValue(value, false); // in their own order of keys
    const read = await driver.ask('decode', theirs.toString('hex'));
    assert(packValue(fromJson(read)).equals(canonical), `${read} is not ${toJson(value)}`);
    assert.equal(await driver.refusal('decode', brokenHeader(theirs).toString('hex')), 'E_DECODE');
    assert.throws(() => unpackValue(brokenHeader(ours)), Refused);
    return theirs.equals(canonical) ? 0 : 1;
}

async function testValues(driver, seed) {
    const kinds = [...SCALARS, 'datetime', 'date', 'time', 'array', 'map'];
    const maker = new Maker(seed, kinds);
    let disordered = 0;
    for (let i = 0; i < ROOTS; i++) {
        disordered += await checkValue(driver, maker.value(0, kinds[i % kinds.length]));
    }
    assert(disordered >= 20, `${disordered} documents with maps in disorder`);
    return `${ROOTS} both ways, ${disordered} in disorder: ${maker.checkCounts()}`;
}

// ---- keys ----

const interopKey = (nameSpace, operation, args) =>
    `${nameSpace}:${operation}:${blake2b(packArgument(args))}`;

async function testKeys(driver, seed) {
    const maker = new Maker(seed, [...SCALARS, 'moment', 'uuid', 'array', 'map', 'set']);
    for (let i = 0; i < ROOTS; i++) {
        const args = Array.from({ length: maker.below(5) }, () => maker.value());
        const ours = await driver.ask('key', 'users', `get_user.${i}`, toJson(args));
        assert.equal(ours, interopKey('users', `get_user.${i}`, args), toJson(args));
    }
    return `${ROOTS} interop keys: ${maker.checkCounts()}`;
}

// ---- sealed bytes ----

function derive(master, tenant) {
    const name = Buffer.from(tenant, 'utf8');
    const size = Buffer.alloc(2);
    size.writeUInt16BE(name.length);
    const salt = Buffer.concat([Buffer.from('cachekit_v1_\x0aencryption'), size, name]);
    return Buffer.from(crypto.hkdfSync('sha256', master, salt, 'encryption', 32));
}

function additionalData(parts) {
    const encoded = parts.map((part) => Buffer.from(part, 'utf8'));
    const sizes = encoded.map((part) => {
        const size = Buffer.alloc(4);
        size.writeUInt32BE(part.length);
        return size;
    });
    return Buffer.concat([Buffer.from([3]), ...encoded.flatMap((part, i) => [sizes[i], part])]);
}

function seal(key, bound, nonce, text) {
    const cipher = crypto.createCipheriv('aes-256-gcm', key, nonce).setAAD(bound);
    return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
}

function unseal(key, bound, sealed) {
    const cipher = crypto.createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12)).setAAD(bound)
        .setAuthTag(sealed.subarray(-16));
    return Buffer.concat([cipher.update(sealed.subarray(12, -16)), cipher.final()]);
}

async function checkSealed(driver, maker, shape) {
    const master = maker.buffer(32);
    const tenant = maker.choice(['default', 'cross-sdk-test', 't\xe9nant \u20ac']);
    const named = [maker.choice(['users:get_user:', '\u{1f600}']) + maker.word(), ...shape];
    const text = maker.buffer(maker.choice([0, 1, 15, 16, 17, 64, maker.below(3000)]));
    const ring = [master.toString('hex'), '', tenant];
    const key = derive(master, tenant);
    const bound = additionalData([tenant, ...named].filter((part) => part !== ''));

    const ours = Buffer.from(await driver.ask('seal', ...ring, ...named, text.toString('hex')), 'hex');
    assert(unseal(key, bound, ours).equals(text));
    assert.throws(() => unseal(key, bound, changed(maker, ours)), /authenticate/);
    assert.throws(() => unseal(key, changed(maker, bound), ours), /authenticate/);

    const theirs = seal(key, bound, maker.buffer(12), text);
    assert.equal(await driver.ask('open', ...ring, ...named, theirs.toString('hex')), text.toString('hex'));
    const damaged = changed(maker, theirs).toString('hex');
    assert.equal(await driver.refusal('open', ...ring, ...named, damaged), 'E_AUTH');
}

async function testSealed(driver, seed) {
    const maker = new Maker(seed, []);
    const shapes = ['msgpack', 'orjson', 'arrow'].flatMap((format) => ['True', 'False'].flatMap(
        (compressed) => ['', 'msgpack'].map((original) => [format, compressed, original])));
    const each = Math.ceil(ROOTS / shapes.length);
    for (const shape of shapes) {
        for (let i = 0; i < each; i++) {
            await checkSealed(driver, maker, shape);
        }
    }
    assert(each >= 20 && each * shapes.length >= 500);
    return `${each} both ways of each of ${shapes.length} bindings`;
}

// ---- functions over a Redis ----

/** Stored by C, read here; written here, found by C, whose loader would have given another. */
async function checkCall(driver, maker, server, client, ring) {
    const isSealed = ring.shape === 'sealed-interop';
    const call = async (args, value) => {
        const [verdict, layer, text] = await driver.answer('call', server.url, 'users', 'get_user', ring.shape,
            ring.master, ring.tenant, toJson(args), toJson(value));
        assert.equal(verdict, 'ok', text);
        return [layer, packValue(fromJson(text)).toString('hex')];
    };
    const kinds = ['array', 'map'];
    const [stored, written] = kinds.map((kind) => maker.value(0, kind));
    const [storedBytes, writtenBytes] = [stored, written].map((value) => packValue(value));
    const args = [BigInt(maker.word()), maker.value(0, 'str'), maker.value(0, 'float')];
    const key = interopKey('users', 'get_user', args);
    const bound = additionalData([ring.tenant, key, 'msgpack', 'False']);

    assert.deepEqual(await call(args, stored), ['3', storedBytes.toString('hex')]);
    const data = await client.ask('GET', key);
    assert(data !== null, `nothing under ${key}`);
    assert((isSealed ? unseal(ring.key, bound, data) : data).equals(storedBytes), data.toString('hex'));
    assert.deepEqual(await call(args, written), ['2', storedBytes.toString('hex')]);

    const theirs = isSealed ? seal(ring.key, bound, maker.buffer(12), writtenBytes) : writtenBytes;
    assert.equal(await client.ask('SET', key, theirs, 'PX', 60000), 'OK');
    assert.deepEqual(await call(args, stored), ['2', writtenBytes.toString('hex')]);
    if (isSealed) {
        await client.ask('SET', key, changed(maker, theirs));
        assert.deepEqual(await call(args, stored), ['3', storedBytes.toString('hex')]);
    }
}

async function testRedis(driver, seed) {
    const each = 50;
    const maker = new Maker(seed, [...SCALARS, 'datetime', 'date', 'time', 'array', 'map']);
    const master = maker.buffer(32);
    const tenant = 't\xe9nant \u20ac';
    const server = await Kept.start();
    const client = new Resp(server.port);
    const shapes = ['interop', 'sealed-interop'];
    for (const shape of shapes) {
        const ring = { shape, master: master.toString('hex'), tenant, key: derive(master, tenant) };
        for (let i = 0; i < each; i++) {
            await checkCall(driver, maker, server, client, ring);
        }
    }
    const [, gets] = /cmdstat_get:calls=(\d+)/.exec(await client.ask('INFO', 'commandstats'));
    client.close();
    await server.close();
    assert(Number(gets) >= 4 * each * shapes.length, `${gets} GETs`);
    return `${each} both ways of each of ${shapes.join(', ')}; ${gets} GETs`;
}

/** The second opinion is right where the protocol and RFC 7693 print what is right. */
function selfCheck() {
    assert.equal(blake2b(Buffer.from('abc'), 64), crypto.createHash('blake2b512').update('abc').digest('hex'));
    assert.equal(blake2b(Buffer.alloc(300), 64),
        crypto.createHash('blake2b512').update(Buffer.alloc(300)).digest('hex'));
    assert.equal(blake2b(packArgument([42n])).slice(0, 16), '6159871625508008');
    assert.equal(packValue(unpackValue(Buffer.from(ALICE, 'hex'))).toString('hex'), ALICE);
    const key = derive(Buffer.alloc(32, 'a'), 'cross-sdk-test').toString('hex');
    assert.equal(key.slice(0, 16), 'cf7fc0bcba58980e');
}

const TESTS = { values: testValues, keys: testKeys, sealed: testSealed, redis: testRedis };

async function main() {
    const [path, name, given] = process.argv.slice(2);
    const seed = given === undefined ? crypto.randomInt(2 ** 32) : Number(given);
    console.log(`foreign: ${name}, seed ${seed}`);
    selfCheck();
    const driver = new Driver(path);
    const told = await TESTS[name](driver, seed);
    await driver.close();
    console.log(`foreign: ${told}`);
}

main().catch((error) => {
    console.error(error);
    process.exit(1);
});
