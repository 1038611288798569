// SPDX-License-Identifier: MIT
// The object cache against a model that knows no index, no heap and no limbo: an array of entries,
// looked through from end to end. Whatever leaves the cache is told to a listener; the model judges
// each removal, and all figures after each operation. CACHEKIT_SEED replays another run.
#include <criterion/criterion.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "memory/hit.h"
#include "memory/memory.h"

enum { KEYS = 400, OPS = 1000000, EVENTS = 8192, OBJECTS = OPS + 1, VALID_EVERY = 1000 };

struct config {
    const char *name;
    size_t budget_bytes;
    uint32_t entries_max;
    uint64_t hash_mask;
    size_t size_most;
};

struct model_entry {
    bool is_live;
    uintptr_t id;
    size_t charge;
    int64_t expires, used, filed;
    uint64_t turn;
};

struct event {
    uintptr_t id;
    unsigned key;
    enum cki_cause cause;
};

static struct {
    const struct config *config;
    struct cki_memory memory;
    struct model_entry entries[KEYS];
    size_t count, bytes;
    uint64_t turns, removals[CKI_CAUSES], stored, refused;
    int64_t now;
    struct event events[EVENTS];
    size_t event_count;
    uint8_t told[OBJECTS], destroyed[OBJECTS];
    uint16_t key_of[OBJECTS];
    uintptr_t ids;
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

// Nobody's code runs under the lock.
static void check_unlocked(void)
{
    CHECK(pthread_mutex_trylock(&m.memory.lock) == 0);
    (void)pthread_mutex_unlock(&m.memory.lock);
}

static void removed(void *context, const struct cki_entry *entry)
{
    uintptr_t id = (uintptr_t)entry->object;
    (void)context;
    check_unlocked();
    CHECK(m.told[id] == 0 && m.destroyed[id] == 0 && m.event_count < EVENTS);
    m.told[id] = 1;
    m.events[m.event_count++] = (struct event){id, m.key_of[id], (enum cki_cause)entry->cause};
}

static void destroy(void *object, size_t size, void *context)
{
    (void)size;
    (void)context;
    check_unlocked();
    CHECK(m.destroyed[(uintptr_t)object] == 0);
    m.destroyed[(uintptr_t)object] = 1;
}

static struct cki_key key_of(unsigned key, uint8_t bytes[8])
{
    memcpy(bytes, &key, sizeof key);
    memset(bytes + 4, 0x5a, 4);
    uint64_t hash = (key + 1) * 0x9e3779b97f4a7c15U;
    return (struct cki_key){hash & m.config->hash_mask, CKI_KEY_BYTES, 4 + key % 5, bytes};
}

static bool test_key(const struct cki_entry *entry, const void *key)
{
    return cki_key_equals(entry, key);
}

static bool any_expired(void)
{
    for (unsigned i = 0; i < KEYS; i++) {
        if (m.entries[i].is_live && m.entries[i].expires <= m.now) {
            return true;
        }
    }
    return false;
}

static bool is_before(const struct model_entry *a, const struct model_entry *b)
{
    return a->filed < b->filed || (a->filed == b->filed && a->turn < b->turn);
}

// Least recently used, to the tick; ties by filing, where an entry that was used is filed anew when
// its turn comes.
static unsigned oldest(void)
{
    for (;;) {
        struct model_entry *first = NULL;
        for (unsigned i = 0; i < KEYS; i++) {
            struct model_entry *e = &m.entries[i];
            if (e->is_live && (first == NULL || is_before(e, first))) {
                first = e;
            }
        }
        CHECK(first != NULL);
        if (first->used <= first->filed) {
            return (unsigned)(first - m.entries);
        }
        first->filed = first->used;
        first->turn = m.turns++;
    }
}

static void model_remove(unsigned key, enum cki_cause cause)
{
    struct model_entry *e = &m.entries[key];
    e->is_live = false;
    m.count--;
    m.bytes -= e->charge;
    m.removals[cause]++;
}

// Why an eviction may happen: bytes, the bound of entries, or an index that cannot grow.
static bool is_full(size_t more, const struct cki_memory_usage *before)
{
    size_t budget = m.config->budget_bytes, share = budget / 64;
    size_t limbo = before->limbo_bytes > share ? before->limbo_bytes : share;
    size_t slots = 16;
    while (slots / 2 < m.count) {
        slots *= 2;
    }
    return m.bytes + more + before->overhead_bytes + limbo > budget ||
           (m.config->entries_max != 0 && m.count >= m.config->entries_max) ||
           (m.count + 1 > slots / 2 &&
            m.bytes + more + before->overhead_bytes + slots * 2 * sizeof(uint64_t) >
                budget - share);
}

// The removals of one operation, in their order. `key` KEYS: none of its own.
static void judge_events(unsigned key, enum cki_cause own, size_t more,
                         const struct cki_memory_usage *before)
{
    for (size_t i = 0; i < m.event_count; i++) {
        const struct event *event = &m.events[i];
        const struct model_entry *e = &m.entries[event->key];
        CHECK(e->is_live && e->id == event->id);
        if (event->cause == CKI_EXPIRED) {
            CHECK(e->expires <= m.now);
        } else if (event->cause == CKI_EVICTED) {
            CHECK(more > 0 && event->key != key && !any_expired() && is_full(more, before));
            CHECK(oldest() == event->key);
        } else {
            CHECK(event->cause == own && (key == KEYS || event->key == key));
            CHECK(e->expires > m.now || own == CKI_INVALIDATED || own == CKI_CLOSED);
        }
        model_remove(event->key, event->cause);
    }
    m.event_count = 0;
}

static void judge_figures(size_t slack)
{
    struct cki_memory_usage usage;
    cki_memory_usage(&m.memory, &usage);
    CHECK(usage.entries == m.count);
    CHECK(usage.used_bytes - usage.limbo_bytes - usage.overhead_bytes == m.bytes);
    CHECK(usage.used_bytes <= m.config->budget_bytes + slack);
    CHECK(memcmp(usage.removals, m.removals, sizeof m.removals) == 0);
    CHECK(usage.stored == m.stored && usage.refused == m.refused && usage.unstored == 0);
    CHECK(m.config->entries_max == 0 || m.count <= m.config->entries_max);
}

static size_t draw_size(void)
{
    uint64_t kind = draw(100);
    return kind < 90   ? draw(m.config->size_most)
           : kind < 98 ? draw(m.config->budget_bytes / 4 + 1)
                       : draw(m.config->budget_bytes + m.config->budget_bytes / 4);
}

static int64_t draw_ttl(void)
{
    static const int64_t ttls[] = {1, 50, 1000, 1000, 1000, 20000, CKI_FOREVER - 5, CKI_FOREVER};
    return draw(4) == 0 ? 1 + (int64_t)draw(3000) : ttls[draw(8)];
}

static int64_t end_of(int64_t ttl)
{
    int64_t end;
    return ttl == CKI_FOREVER || __builtin_add_overflow(m.now, ttl, &end) ? CKI_FOREVER : end;
}

static void put(unsigned key)
{
    uint8_t bytes[8];
    struct cki_key k = key_of(key, bytes);
    struct cki_memory_usage before;
    cki_memory_usage(&m.memory, &before);
    struct cki_entry *entry = cki_entry_new(NULL, &k);
    uintptr_t id = ++m.ids;
    entry->object = (void *)id;
    entry->object_size = draw_size();
    entry->destroy = destroy;
    m.key_of[id] = (uint16_t)key;
    size_t charge = cki_entry_bytes(entry) + entry->object_size;
    const struct cki_store store = {.entry = entry, .ttl_ns = draw_ttl(), .due_ns = CKI_FOREVER};
    enum cki_stored stored = cki_memory_put(&m.memory, &store, NULL);
    bool had = m.entries[key].is_live;
    judge_events(key, CKI_REPLACED, charge, &before);
    CHECK(!had || !m.entries[key].is_live);
    if (stored != CKI_STORED) {
        CHECK(stored == CKI_REFUSED);
        size_t overhead = before.overhead_bytes > 920 ? before.overhead_bytes : 920;
        CHECK(charge + overhead + m.config->budget_bytes / 64 > m.config->budget_bytes);
        cki_entry_free(NULL, entry);
        CHECK(m.destroyed[id] == 1);
        m.refused++;
    } else {
        m.entries[key] =
            (struct model_entry){true, id, charge, end_of(store.ttl_ns), m.now, m.now, m.turns++};
        m.count++;
        m.bytes += charge;
        m.stored++;
    }
    judge_figures(charge);
}

static void judge_found(const struct cki_entry *entry, unsigned key)
{
    struct model_entry *e = &m.entries[key];
    CHECK((entry != NULL) == (e->is_live && m.now < e->expires));
    if (entry != NULL) {
        CHECK((uintptr_t)entry->object == e->id && m.destroyed[e->id] == 0);
        e->used = m.now;
    }
}

static void get(unsigned key)
{
    uint8_t bytes[8];
    struct cki_key k = key_of(key, bytes);
    struct cki_cell *cell = cki_cell_ready(m.memory.number);
    struct cki_grip grip = {cell, &cell->pins[0]};
    const struct cki_probe probe = {&m.memory, atomic_load(&m.memory.slots), cell, grip.pin, k.hash,
                                    m.now};
    const struct cki_entry *entry = cki_probe_all(&probe, test_key, &k);
    bool was_expired = m.entries[key].is_live && m.now >= m.entries[key].expires;
    if (entry == NULL) {
        entry =
            cki_memory_find(&m.memory, &k, draw(4) == 0 ? &(struct cki_grip){NULL, NULL} : &grip);
    }
    CHECK(!was_expired || (m.event_count == 1 && m.events[0].key == key));
    judge_found(entry, key);
    if (atomic_load(&cell->pins[0]) != NULL) {
        CHECK(atomic_load(&cell->pins[0]) == entry);
        cki_pin_release(&cell->pins[0]);
    } else if (entry != NULL) {
        cki_memory_unhold(&m.memory, (struct cki_entry *)(uintptr_t)entry);
    }
    judge_events(KEYS, CKI_EXPIRED, 0, NULL);
    judge_figures(0);
}

static void drop(unsigned key)
{
    uint8_t bytes[8];
    struct cki_key k = key_of(key, bytes);
    bool was_live = m.entries[key].is_live && m.now < m.entries[key].expires;
    CHECK(cki_memory_remove(&m.memory, &k) == was_live);
    judge_events(key, CKI_INVALIDATED, 0, NULL);
    CHECK(!m.entries[key].is_live);
    judge_figures(0);
}

static void sweep(void)
{
    size_t count = cki_memory_sweep(&m.memory);
    CHECK(count <= CKI_SWEEP_MAX && count == m.event_count);
    judge_events(KEYS, CKI_EXPIRED, 0, NULL);
    CHECK(count == CKI_SWEEP_MAX || !any_expired());
    judge_figures(0);
}

static void clear(void)
{
    size_t count = m.count;
    CHECK(cki_memory_clear(&m.memory, CKI_INVALIDATED) == count);
    judge_events(KEYS, CKI_INVALIDATED, 0, NULL);
    CHECK(m.count == 0);
    judge_figures(0);
}

static void operate(void)
{
    uint64_t kind = draw(1000);
    unsigned key = (unsigned)(draw(3) == 0 ? draw(KEYS) : draw(KEYS / 8));
    if (kind < 400) {
        put(key);
    } else if (kind < 850) {
        get(key);
    } else if (kind < 900) {
        drop(key);
    } else if (kind < 980) {
        m.now += (int64_t)(draw(20) == 0 ? draw(2000) : draw(20));
    } else if (kind < 999) {
        sweep();
    } else if (draw(4) == 0) {
        clear();
    }
}

static void run(const struct config *config)
{
    const char *seed = getenv("CACHEKIT_SEED");
    memset(&m, 0, sizeof m);
    m.config = config;
    m.seed = m.random = seed != NULL ? strtoull(seed, NULL, 10) : 20261130;
    m.now = -500; // clocks may start anywhere
    static const cachekit_clock clock = {now_ns, NULL};
    const struct cki_memory_options options = {.clock = &clock,
                                               .budget_bytes = config->budget_bytes,
                                               .entries_max = config->entries_max,
                                               .removed = removed};
    CHECK(cki_memory_init(&m.memory, &options) == CACHEKIT_OK);
    for (m.op = 0; m.op < OPS; m.op++) {
        operate();
        if (m.op % VALID_EVERY == 0) {
            CHECK(cki_memory_is_valid(&m.memory));
        }
    }
    CHECK(m.config->budget_bytes < 4000 || m.removals[CKI_EXPIRED] > 100);
    CHECK(cki_memory_release(&m.memory));
    judge_events(KEYS, CKI_CLOSED, 0, NULL);
    for (uintptr_t id = 1; id <= m.ids; id++) {
        CHECK(m.destroyed[id] == 1);
    }
    fprintf(stderr,
            "%s: %d operations, seed %" PRIu64 ", %" PRIu64 " evicted, %" PRIu64 " expired\n",
            config->name, OPS, m.seed, m.removals[CKI_EVICTED], m.removals[CKI_EXPIRED]);
}

Test(memory_model, every_operation_agrees_with_the_model_at_every_budget)
{
    static const struct config configs[] = {
        {"one byte", 1, 0, UINT64_MAX, 50},
        {"room for one", 1400, 0, UINT64_MAX, 150},
        {"2 KB", 2000, 0, UINT64_MAX, 200},
        {"4 KB", 4000, 0, UINT64_MAX, 300},
        {"20 KB", 20000, 0, UINT64_MAX, 300},
        {"20 KB, colliding", 20000, 0, 7, 300},
        {"100 KB", 100000, 0, UINT64_MAX, 900},
        {"1 MB", 1 << 20, 0, UINT64_MAX, 9000},
        {"1 MB, 7 entries", 1 << 20, 7, UINT64_MAX, 900},
        {"100 KB, one tag", 100000, 60, 0xffff, 900},
    };
    for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++) {
        run(&configs[i]);
    }
}
