// SPDX-License-Identifier: MIT
// The byte cache against a model that knows no index, no heap and no lists: arrays that are looked
// through from end to end. It decides who leaves, to the entry, and what is charged, to the byte.
// CACHEKIT_SEED replays another run.
#include "byte_model.h"

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
