// SPDX-License-Identifier: MIT
// A model of the byte cache: arrays that are looked through from end to end. It says who leaves and
// what is charged; test_byte_cache_model asks it beside the real one. For one source file.
#ifndef TESTS_BYTE_MODEL_H
#define TESTS_BYTE_MODEL_H

#include <criterion/criterion.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cachekit/cache.h>

#include "draw.h"
#include "memory/byte_inside.h"

enum { KEYS = 150, OWNERS = 2, HANDLES = 6, OPS = 100000, VALID_EVERY = 200, MS = 1000000 };

struct config {
    const char *name;
    size_t budget_bytes;
    uint32_t entries_max;
    uint64_t hash_mask;
    size_t size_most;
};

struct model_entry {
    bool is_live;
    size_t len, block_bytes;
    int64_t expires;
    uint64_t used, filed, generation, content;
    unsigned owner;
};

struct model_tracked {
    bool is_there;
    uint64_t turn;
    int64_t expires;
};

static struct {
    const struct config *config;
    struct cki_byte_cache cache;
    struct cki_owner owners[OWNERS];
    struct model_entry entries[KEYS];
    struct model_tracked tracked[OWNERS][KEYS];
    size_t tracked_count[OWNERS], buckets[OWNERS], tracked_bytes;
    uint64_t forgotten[OWNERS];
    // Blocks that readers hold; `key` KEYS once their entry has left or has other bytes.
    struct {
        struct cki_block *block;
        uint64_t content;
        unsigned key;
    } handles[HANDLES];
    size_t count, slots, nodes;
    uint64_t turns, contents;
    struct cki_byte_figures figures;
    int64_t now;
    uint64_t random, seed;
    unsigned op;
} m;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            cr_assert(0, "line %d: %s (config %s, CACHEKIT_SEED=%" PRIu64 ", operation %u)",       \
                      __LINE__, #condition, m.config->name, m.seed, m.op);                         \
        }                                                                                          \
    } while (0)

static uint64_t draw(uint64_t below)
{
    return draw_from(&m.random, below);
}

static int64_t now_ns(void *context)
{
    (void)context;
    return m.now;
}

static size_t key_len(unsigned key)
{
    return 4 + key % 9;
}

static struct cki_key key_of(unsigned key, uint8_t bytes[16])
{
    memset(bytes, 0x5a, 16);
    memcpy(bytes, &key, sizeof key);
    struct cki_key made = cki_byte_key(&m.cache, (cachekit_slice){bytes, key_len(key)});
    made.hash &= m.config->hash_mask;
    return made;
}

// Every byte of a value says which one it is.
static struct cki_block *block_of(uint64_t content, size_t len)
{
    uint8_t *bytes = malloc(len + 1);
    for (size_t i = 0; i < len; i++) {
        bytes[i] = (uint8_t)(content * 31 + i);
    }
    struct cki_block *block =
        cki_block_copy(&m.cache.ledger, (cachekit_slice){bytes, len}, CKI_BLOCK_STORED);
    free(bytes);
    return block;
}

static bool is_content(const struct cki_block *block, uint64_t content)
{
    for (size_t i = 0; i < block->len; i++) {
        if (block->data[i] != (uint8_t)(content * 31 + i)) {
            return false;
        }
    }
    return true;
}

static size_t entry_bytes(unsigned key)
{
    return sizeof(struct cki_entry) + key_len(key);
}

static size_t index_bytes(size_t slots, size_t nodes)
{
    return (slots != 0 ? sizeof(struct cki_slots) + slots * 8 : 0) +
           nodes * sizeof(struct cki_order_node);
}

// How long an outgrown index stays is not the model's business, what it costs is.
static size_t older_bytes(void)
{
    return m.cache.older != NULL ? index_bytes(m.cache.older->mask + 1, 0) : 0;
}

// All that the budget counts, added up anew.
static size_t used(void)
{
    size_t sum = index_bytes(m.slots, m.nodes) + older_bytes() + m.tracked_bytes;
    for (unsigned i = 0; i < KEYS; i++) {
        sum += m.entries[i].is_live ? entry_bytes(i) + m.entries[i].block_bytes : 0;
    }
    for (unsigned i = 0; i < HANDLES; i++) {
        bool counted = m.handles[i].block == NULL || m.handles[i].key != KEYS;
        for (unsigned k = 0; k < i; k++) {
            counted = counted || m.handles[k].block == m.handles[i].block;
        }
        sum += counted ? 0 : cki_block_bytes(m.handles[i].block);
    }
    return sum;
}

static void detach(unsigned key)
{
    for (unsigned i = 0; i < HANDLES; i++) {
        if (m.handles[i].block != NULL && m.handles[i].key == key) {
            m.handles[i].key = KEYS;
        }
    }
}

static void model_remove(unsigned key, uint64_t *figure)
{
    m.entries[key].is_live = false;
    m.count--;
    ++*figure;
    detach(key);
}

static unsigned first_expired(void)
{
    unsigned first = KEYS;
    for (unsigned i = 0; i < KEYS; i++) {
        const struct model_entry *e = &m.entries[i];
        if (e->is_live && e->expires <= m.now &&
            (first == KEYS || e->expires < m.entries[first].expires ||
             (e->expires == m.entries[first].expires && e->filed < m.entries[first].filed))) {
            first = i;
        }
    }
    return first;
}

static unsigned least_used(void)
{
    unsigned first = KEYS;
    for (unsigned i = 0; i < KEYS; i++) {
        if (m.entries[i].is_live && (first == KEYS || m.entries[i].used < m.entries[first].used)) {
            first = i;
        }
    }
    return first;
}

static size_t expire(size_t gone, size_t most)
{
    for (unsigned key; gone < most && (key = first_expired()) != KEYS; gone++) {
        model_remove(key, &m.figures.expired);
    }
    return gone;
}

static void grown(size_t *slots, size_t *nodes)
{
    *slots = m.slots;
    *nodes = m.nodes;
    if (m.slots == 0 || m.count + 1 > m.slots / 2) {
        *slots = m.slots == 0 ? 16 : m.slots * 2;
    }
    if (m.count + 1 > m.nodes) {
        *nodes = m.nodes < 16 ? 16 : m.nodes * 2;
    }
}

// Somebody leaves; false: nobody is left.
static bool evict_one(void)
{
    unsigned key = first_expired();
    uint64_t *figure = &m.figures.expired;
    if (key == KEYS) {
        key = least_used();
        figure = &m.figures.evicted;
    }
    if (key == KEYS) {
        return false;
    }
    model_remove(key, figure);
    return true;
}

// `in_flight`: the new block, which the ledger has counted already.
static bool make_room(size_t gone, size_t more, size_t in_flight)
{
    const size_t budget = m.config->budget_bytes;
    for (;;) {
        size_t slots, nodes;
        grown(&slots, &nodes);
        bool grows = slots != m.slots;
        size_t growth = index_bytes(grows ? slots : 0, nodes - m.nodes);
        bool has_place = (m.config->entries_max == 0 || m.count < m.config->entries_max) &&
                         (!grows || m.cache.older == NULL);
        if (used() + growth + more + in_flight <= budget && has_place) {
            m.slots = slots;
            m.nodes = nodes;
            return true;
        }
        if (gone == 128) {
            gone = expire(0, 8);
            continue;
        }
        if (!evict_one()) {
            return false;
        }
        gone++;
    }
}

static int64_t model_end(int64_t ttl_ms, int64_t margin_ms)
{
    int64_t ns;
    return __builtin_mul_overflow(ttl_ms - margin_ms, MS, &ns) ||
                   __builtin_add_overflow(m.now, ns, &ns)
               ? INT64_MAX
               : ns;
}

static enum cki_byte_stored expected_put(unsigned key, size_t len, int64_t ttl_ms, bool overtaken)
{
    if (overtaken) {
        m.figures.overtaken++;
        return CKI_BYTES_OVERTAKEN;
    }
    size_t gone = 0, block = sizeof(struct cki_block) + len;
    if (m.entries[key].is_live) {
        model_remove(key, &m.figures.replaced);
        gone++;
    }
    gone = expire(gone, 8);
    if (ttl_ms <= 1000) {
        m.figures.refused++;
        return CKI_BYTES_SHORT;
    }
    if (len > m.config->budget_bytes / 8 ||
        entry_bytes(key) + block + index_bytes(16, 16) > m.config->budget_bytes) {
        m.figures.refused++;
        return CKI_BYTES_TOO_LARGE;
    }
    if (!make_room(gone, entry_bytes(key), block)) {
        m.figures.unstored++;
        return CKI_BYTES_NO_ROOM;
    }
    m.figures.stored++;
    return CKI_BYTES_STORED;
}

// What is tracked, by the same rules and no lists.

static size_t tracked_charge(unsigned key)
{
    return sizeof(struct cki_tracked) + key_len(key);
}

static unsigned oldest_tracked(unsigned owner)
{
    unsigned first = KEYS;
    for (unsigned i = 0; i < KEYS; i++) {
        const struct model_tracked *t = &m.tracked[owner][i];
        if (t->is_there && (first == KEYS || t->turn < m.tracked[owner][first].turn)) {
            first = i;
        }
    }
    return first;
}

static void model_untrack(unsigned owner, unsigned key)
{
    m.tracked[owner][key].is_there = false;
    m.tracked_count[owner]--;
    m.tracked_bytes -= tracked_charge(key);
}

// Owners are asked from the one that was added last.
static bool forget_one(void)
{
    unsigned out = KEYS, whose = 0;
    for (unsigned o = OWNERS; o-- > 0;) {
        unsigned key = oldest_tracked(o);
        if (key == KEYS) {
            continue;
        }
        bool is_over = m.tracked[o][key].expires <= m.now;
        if (out == KEYS || is_over || m.tracked[o][key].turn < m.tracked[whose][out].turn) {
            out = key;
            whose = o;
        }
        if (is_over) {
            break;
        }
    }
    if (out == KEYS) {
        return false;
    }
    m.forgotten[whose] += m.tracked[whose][out].expires > m.now;
    model_untrack(whose, out);
    return true;
}

static bool expected_track(unsigned owner, unsigned key, int64_t end)
{
    struct model_tracked *t = &m.tracked[owner][key];
    const size_t bound = m.config->budget_bytes / 4;
    if (t->is_there) {
        t->turn = ++m.turns;
        t->expires = end > t->expires ? end : t->expires;
        return true;
    }
    for (unsigned i = 0, k; i < 2 && (k = oldest_tracked(owner)) != KEYS; i++) {
        if (m.tracked[owner][k].expires > m.now) {
            break;
        }
        model_untrack(owner, k);
    }
    bool is_filed = tracked_charge(key) <= bound;
    while (is_filed && m.tracked_bytes + tracked_charge(key) > bound) {
        is_filed = forget_one();
    }
    if (!is_filed) {
        m.forgotten[owner]++;
        return false;
    }
    size_t buckets = m.buckets[owner] != 0 ? m.buckets[owner] * 2 : 16;
    size_t growth = (buckets - m.buckets[owner]) * sizeof(void *);
    if (m.tracked_count[owner] >= m.buckets[owner] && m.tracked_bytes + growth <= bound) {
        m.tracked_bytes += growth;
        m.buckets[owner] = buckets;
    }
    *t = (struct model_tracked){true, ++m.turns, end};
    m.tracked_count[owner]++;
    m.tracked_bytes += tracked_charge(key);
    return true;
}

#endif
