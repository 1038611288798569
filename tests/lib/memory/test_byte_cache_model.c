// SPDX-License-Identifier: MIT
// The byte cache against a model that knows no index, no heap and no lists: arrays that are looked
// through from end to end. It decides who leaves, to the entry, and what is charged, to the byte.
// CACHEKIT_SEED replays another run.
#include <criterion/criterion.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cachekit/cache.h>

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
    m.random += 0x9e3779b97f4a7c15U;
    uint64_t z = m.random;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return (z ^ (z >> 31)) % below;
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

static size_t draw_size(void)
{
    uint64_t kind = draw(100);
    return kind < 92 ? draw(m.config->size_most) : draw(m.config->budget_bytes / 7 + 2);
}

static int64_t draw_ttl(void)
{
    static const int64_t ttls[] = {1,    999,   1000,          1001,
                                   2000, 20000, INT64_MAX - 1, CACHEKIT_FOREVER_MS};
    return draw(2) == 0 ? 1000 + (int64_t)draw(6000) : ttls[draw(8)];
}

static void put(unsigned key)
{
    uint8_t bytes[16];
    struct cki_key k = key_of(key, bytes);
    unsigned owner = key % OWNERS;
    uint64_t epoch = cki_byte_cache_epoch(&m.cache, &k, &m.owners[owner]);
    bool overtaken = draw(8) == 0;
    size_t len = draw_size();
    int64_t ttl = draw_ttl();
    if (overtaken) {
        (void)cki_byte_cache_remove(&m.cache, &k);
        if (m.entries[key].is_live) {
            model_remove(key, &m.figures.removed);
        }
    }
    enum cki_byte_stored expected = expected_put(key, len, ttl, overtaken);
    struct cki_block *block = block_of(++m.contents, len);
    const struct cki_byte_store store = {&k, block, &m.owners[owner], ttl,
                                         draw(4) == 0 && !overtaken ? CKI_BYTES_ANY_EPOCH : epoch};
    CHECK(cki_byte_cache_put(&m.cache, &store) == expected);
    if (expected == CKI_BYTES_STORED) {
        int64_t life = ttl == CACHEKIT_FOREVER_MS ? 300000 : ttl;
        m.turns++;
        m.entries[key] =
            (struct model_entry){true,    len,     cki_block_bytes(block), model_end(life, 1000),
                                 m.turns, m.turns, m.cache.generation,     m.contents,
                                 owner};
        m.count++;
        CHECK(used() <= m.config->budget_bytes);
    }
    cki_block_release(block);
}

static bool model_find(unsigned key)
{
    struct model_entry *e = &m.entries[key];
    if (e->is_live && e->expires <= m.now) {
        model_remove(key, &m.figures.expired);
    }
    *(e->is_live ? &m.figures.hits : &m.figures.misses) += 1;
    if (e->is_live) {
        e->used = ++m.turns;
    }
    return e->is_live;
}

static void get(unsigned key)
{
    uint8_t bytes[16];
    struct cki_key k = key_of(key, bytes);
    struct cki_byte_hit hit;
    bool expected = model_find(key);
    CHECK(cki_byte_cache_get(&m.cache, &k, &hit) == expected);
    if (!expected) {
        return;
    }
    const struct model_entry *e = &m.entries[key];
    CHECK(hit.generation == e->generation && hit.block->len == e->len);
    CHECK(is_content(hit.block, e->content));
    unsigned i = (unsigned)draw(HANDLES * 8);
    if (i >= HANDLES || m.handles[i].block != NULL) {
        cki_block_release(hit.block);
        return;
    }
    m.handles[i].block = hit.block;
    m.handles[i].content = e->content;
    m.handles[i].key = key;
}

static void let_go(void)
{
    unsigned i = (unsigned)draw(HANDLES);
    if (m.handles[i].block != NULL) {
        CHECK(is_content(m.handles[i].block, m.handles[i].content));
        cki_block_release(m.handles[i].block);
        m.handles[i].block = NULL;
    }
}

static void upgrade(unsigned key)
{
    uint8_t bytes[16];
    struct cki_key k = key_of(key, bytes);
    struct model_entry *e = &m.entries[key];
    size_t len = e->is_live ? draw(e->len + 3) : 1;
    uint64_t generation = e->generation - (draw(4) == 0);
    bool expected = e->is_live && generation == e->generation && len <= e->len;
    struct cki_block *block = block_of(++m.contents, len);
    CHECK(cki_byte_cache_upgrade(&m.cache, &k, generation, block) == expected);
    if (expected) {
        detach(key);
        e->len = len;
        e->block_bytes = cki_block_bytes(block);
        e->content = m.contents;
        m.figures.upgraded++;
    }
    cki_block_release(block);
}

static void evict(unsigned key)
{
    uint8_t bytes[16];
    struct cki_key k = key_of(key, bytes);
    uint64_t generation = m.entries[key].generation - (draw(2) == 0);
    bool expected = m.entries[key].is_live && generation == m.entries[key].generation;
    CHECK(cki_byte_cache_evict(&m.cache, &k, generation) == expected);
    if (expected) {
        model_remove(key, &m.figures.removed);
    }
}

static void remove_some(void)
{
    uint8_t bytes[5][16];
    struct cki_key keys[5];
    for (unsigned i = 0; i < 5; i++) {
        unsigned key = (unsigned)draw(KEYS);
        keys[i] = key_of(key, bytes[i]);
        if (m.entries[key].is_live) {
            model_remove(key, &m.figures.removed);
        }
    }
    cki_byte_cache_remove_many(&m.cache, keys, 5);
}

static void clear(void)
{
    size_t count = m.count;
    for (unsigned i = 0; i < KEYS; i++) {
        if (m.entries[i].is_live) {
            model_remove(i, &m.figures.removed);
        }
    }
    CHECK(cki_byte_cache_clear(&m.cache) == count);
}

static void sweep(void)
{
    size_t count = expire(0, SIZE_MAX);
    CHECK(cki_byte_cache_maintain(&m.cache, INT64_MAX) == count);
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

static void track(unsigned key)
{
    uint8_t bytes[16];
    struct cki_key k = key_of(key, bytes);
    unsigned owner = key % OWNERS;
    int64_t ttl = draw_ttl();
    int64_t end = ttl == CACHEKIT_FOREVER_MS ? INT64_MAX : model_end(ttl, 0);
    bool expected = expected_track(owner, key, end);
    while (used() > m.config->budget_bytes && evict_one()) {
    }
    CHECK(cki_owner_track(&m.cache, &m.owners[owner], &k, ttl) == expected);
}

static unsigned number_of(const struct cki_tracked *tracked)
{
    unsigned key;
    memcpy(&key, tracked->key, sizeof key);
    return key;
}

// All of an owner's: every tracked key comes once, all its entries are gone.
static void invalidate_all(unsigned owner)
{
    struct cki_tracked *list;
    uint64_t mark = cki_owner_begin(&m.cache, &m.owners[owner]);
    while ((list = cki_owner_take(&m.cache, &m.owners[owner], mark)) != NULL) {
        for (struct cki_tracked *t = list; t != NULL; t = t->next) {
            unsigned key = number_of(t);
            CHECK(m.tracked[owner][key].is_there);
            model_untrack(owner, key);
            if (m.entries[key].is_live) {
                model_remove(key, &m.figures.removed);
            }
        }
        cki_owner_give(&m.cache, &m.owners[owner], list);
    }
    CHECK(m.tracked_count[owner] == 0);
    CHECK(cki_owner_end(&m.cache, &m.owners[owner]) == m.forgotten[owner]);
    m.forgotten[owner] = 0;
    // Those that were not tracked are dead: a look at each buries them.
    for (unsigned key = owner; key < KEYS; key += OWNERS) {
        uint8_t bytes[16];
        struct cki_key k = key_of(key, bytes);
        struct cki_byte_hit hit;
        CHECK(!cki_byte_cache_get(&m.cache, &k, &hit));
        m.figures.misses++;
        if (m.entries[key].is_live) {
            model_remove(key, &m.figures.removed);
        }
    }
}

static void judge_figures(void)
{
    struct cki_byte_usage usage;
    cki_byte_cache_usage(&m.cache, &usage);
    const struct cki_byte_figures *f = &usage.figures, *g = &m.figures;
    CHECK(usage.entries == m.count);
    CHECK(usage.used_bytes == used());
    CHECK(usage.overhead_bytes == index_bytes(m.slots, m.nodes) + older_bytes());
    CHECK(usage.tracked_bytes == m.tracked_bytes);
    // An upgrade leaves its reader with the old bytes; nobody is evicted for that.
    CHECK(usage.used_bytes - usage.adrift_bytes <= m.config->budget_bytes);
    CHECK(m.config->entries_max == 0 || m.count <= m.config->entries_max);
    CHECK(f->hits == g->hits && f->misses == g->misses && f->stored == g->stored);
    CHECK(f->refused == g->refused && f->unstored == g->unstored);
    CHECK(f->overtaken == g->overtaken && f->upgraded == g->upgraded);
    CHECK(f->evicted == g->evicted && f->expired == g->expired);
    CHECK(f->replaced == g->replaced && f->removed == g->removed);
    CHECK(f->most_removed <= 128);
}

static void judge_all(void)
{
    CHECK(cki_byte_cache_is_valid(&m.cache));
    for (unsigned i = 0; i < KEYS; i++) {
        uint8_t bytes[16];
        struct cki_key k = key_of(i, bytes);
        const struct cki_entry *entry = cki_byte_find_locked(&m.cache, &k);
        CHECK((entry != NULL) == m.entries[i].is_live);
        CHECK(entry == NULL || is_content(cki_byte_block(entry), m.entries[i].content));
        for (unsigned o = 0; o < OWNERS; o++) {
            CHECK((cki_track_find(&m.owners[o], &k) != NULL) == m.tracked[o][i].is_there);
        }
    }
}

static void operate(void)
{
    uint64_t kind = draw(1000);
    unsigned key = (unsigned)(draw(3) == 0 ? draw(KEYS) : draw(KEYS / 4));
    if (kind < 300) {
        put(key);
    } else if (kind < 600) {
        get(key);
    } else if (kind < 680) {
        let_go();
    } else if (kind < 750) {
        upgrade(key);
    } else if (kind < 780) {
        evict(key);
    } else if (kind < 800) {
        remove_some();
    } else if (kind < 900) {
        track(key);
    } else if (kind < 985) {
        m.now += (int64_t)draw(draw(10) == 0 ? 4000U * MS : 40U * MS);
    } else if (kind < 995) {
        sweep();
    } else if (kind < 998) {
        invalidate_all(key % OWNERS);
    } else {
        clear();
    }
    judge_figures();
}

static void run(const struct config *config)
{
    const char *seed = getenv("CACHEKIT_SEED");
    memset(&m, 0, sizeof m);
    m.config = config;
    m.seed = m.random = seed != NULL ? strtoull(seed, NULL, 10) : 20261201;
    m.now = -500;
    static const cachekit_clock clock = {now_ns, NULL};
    const struct cki_byte_options options = {.clock = &clock,
                                             .budget_bytes = config->budget_bytes,
                                             .entries_max = config->entries_max,
                                             .seed = 7};
    CHECK(cki_byte_cache_init(&m.cache, &options) == CACHEKIT_OK);
    for (unsigned i = 0; i < OWNERS; i++) {
        cki_owner_add(&m.cache, &m.owners[i]);
    }
    for (m.op = 0; m.op < OPS; m.op++) {
        operate();
        if (m.op % VALID_EVERY == 0) {
            judge_all();
        }
    }
    CHECK(config->budget_bytes < 4000 || m.figures.evicted > 100);
    CHECK(config->budget_bytes < 4000 ||
          (m.figures.expired > 100 && m.figures.upgraded > 10 && m.figures.hits > 100));
    for (unsigned i = 0; i < HANDLES; i++) {
        cki_block_release(m.handles[i].block);
    }
    fprintf(stderr, "%s: %" PRIu64 " stored, %" PRIu64 " evicted, %" PRIu64 " expired\n",
            config->name, m.figures.stored, m.figures.evicted, m.figures.expired);
    CHECK(cki_byte_cache_release(&m.cache));
    CHECK(atomic_load(&m.cache.ledger.bytes) == 0);
}

Test(byte_cache_model, every_operation_agrees_with_the_model_at_every_budget)
{
    static const struct config configs[] = {
        {"one byte", 1, 0, UINT64_MAX, 50},
        {"room for none", 700, 0, UINT64_MAX, 80},
        {"room for one", 1200, 0, UINT64_MAX, 120},
        {"4 KB", 4000, 0, UINT64_MAX, 300},
        {"20 KB", 20000, 0, UINT64_MAX, 300},
        {"20 KB, colliding", 20000, 0, 7, 300},
        {"60 KB", 60000, 0, UINT64_MAX, 2500},
        {"1 MB", 1 << 20, 0, UINT64_MAX, 60000},
        {"1 MB, 7 entries", 1 << 20, 7, UINT64_MAX, 900},
    };
    for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++) {
        run(&configs[i]);
    }
}
