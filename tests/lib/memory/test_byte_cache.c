// SPDX-License-Identifier: MIT
// The byte cache's rules one by one, where each begins and ends.
#include "byte_kit.h"

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BUDGET = 32768 };

static struct byte_kit kit;

static void start(void)
{
    byte_kit_init(&kit, BUDGET, NULL);
}

static void stop(void)
{
    byte_kit_release(&kit);
}

TestSuite(byte_cache, .init = start, .fini = stop);

Test(byte_cache, entries_end_a_second_before_their_life_does)
{
    static const struct {
        int64_t ttl_ms, lives_ms; // 0: is not stored
    } rows[] = {
        {INT64_MIN, 0}, {-1, 0},   {0, 0},       {999, 0},
        {1000, 0},      {1001, 1}, {2500, 1500}, {CACHEKIT_FOREVER_MS, 299000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t begin_ns = kit.now_ns;
        cr_assert(byte_kit_put(&kit, "k", 'o', 10, 60000) == CKI_BYTES_STORED);
        enum cki_byte_stored stored = byte_kit_put(&kit, "k", 'n', 10, rows[i].ttl_ms);
        cr_assert(stored == (rows[i].lives_ms > 0 ? CKI_BYTES_STORED : CKI_BYTES_SHORT), "row %zu",
                  i);
        if (rows[i].lives_ms == 0) {
            cr_assert(byte_kit_get(&kit, "k") == 0, "row %zu: the old entry must go", i);
            continue;
        }
        kit.now_ns = begin_ns + rows[i].lives_ms * KIT_MS - 1;
        cr_assert(byte_kit_get(&kit, "k") == 'n', "row %zu", i);
        kit.now_ns++;
        cr_assert(byte_kit_get(&kit, "k") == 0, "row %zu", i);
        kit.now_ns++;
        cr_assert(byte_kit_get(&kit, "k") == 0, "row %zu", i);
    }
}

Test(byte_cache, lives_beyond_all_time_and_clocks_that_run_back_do_no_harm)
{
    cr_assert(byte_kit_put(&kit, "long", 'l', 10, INT64_MAX - 1) == CKI_BYTES_STORED);
    cr_assert(byte_kit_put(&kit, "short", 's', 10, 2000) == CKI_BYTES_STORED);
    kit.now_ns += 1000 * KIT_MS;
    cr_assert(byte_kit_get(&kit, "other") == 0);
    kit.now_ns -= 900 * KIT_MS;
    cr_assert(byte_kit_get(&kit, "short") == 0);
    kit.now_ns = INT64_MAX - 1;
    cr_assert(byte_kit_get(&kit, "long") == 'l');
}

Test(byte_cache, a_value_over_an_eighth_of_the_budget_is_refused_and_the_old_one_goes)
{
    cr_assert(byte_kit_put(&kit, "k", 'o', BUDGET / 8, 60000) == CKI_BYTES_STORED);
    cr_assert(byte_kit_get(&kit, "k") == 'o');
    uint8_t bytes[BUDGET / 8 + 1] = {0};
    struct cki_block *block =
        cki_block_copy(&kit.cache.ledger, (cachekit_slice){bytes, sizeof bytes}, CKI_BLOCK_STORED);
    struct cki_key key = byte_kit_key(&kit, "k");
    const struct cki_byte_store store = {&key, block, &kit.owner, 60000, CKI_BYTES_ANY_EPOCH};
    cr_assert(cki_byte_cache_put(&kit.cache, &store) == CKI_BYTES_TOO_LARGE);
    cki_block_release(block);
    cr_assert(byte_kit_get(&kit, "k") == 0);
}

Test(byte_cache, the_least_recently_used_leaves_and_a_hit_is_a_use)
{
    char text[16];
    unsigned stored = 0;
    while (kit.cache.figures.evicted == 0) {
        struct cki_key key = byte_kit_number(&kit, stored++, text);
        cr_assert(byte_kit_put_at(&kit, &key, 'v', 1000, 60000, CKI_BYTES_ANY_EPOCH) ==
                  CKI_BYTES_STORED);
        cr_assert(byte_kit_get(&kit, "key 0") == 'v');
    }
    cr_assert(stored > 10 && byte_kit_get(&kit, "key 1") == 0 &&
              byte_kit_get(&kit, "key 2") == 'v');
}

Test(byte_cache, readers_keep_their_bytes_and_leave_no_room_meanwhile)
{
    struct cki_block *held[64];
    unsigned count = 0;
    char text[16];
    for (; count < 64; count++) {
        struct cki_key key = byte_kit_number(&kit, count, text);
        struct cki_byte_hit hit;
        if (byte_kit_put_at(&kit, &key, (char)('A' + count % 26), 2000, 60000,
                            CKI_BYTES_ANY_EPOCH) != CKI_BYTES_STORED) {
            break;
        }
        cr_assert(cki_byte_cache_get(&kit.cache, &key, &hit));
        held[count] = hit.block;
    }
    struct cki_byte_usage usage;
    cki_byte_cache_usage(&kit.cache, &usage);
    cr_assert(count > 5 && count < 17 && usage.figures.unstored == 1);
    cr_assert(usage.used_bytes <= BUDGET && usage.adrift_bytes >= (size_t)count * 2000);
    cr_assert(!cki_byte_cache_release(&kit.cache), "blocks are out");
    for (unsigned i = 0; i < count; i++) {
        cr_assert(held[i]->data[1999] == 'A' + i % 26);
        cki_block_release(held[i]);
    }
    cr_assert(byte_kit_put(&kit, "k", 'v', 2000, 60000) == CKI_BYTES_STORED);
}

Test(byte_cache, an_upgrade_keeps_deadline_place_and_identity)
{
    struct cki_key key = byte_kit_key(&kit, "k");
    struct cki_byte_hit hit, again;
    cr_assert(byte_kit_put(&kit, "k", 'o', 100, 3000) == CKI_BYTES_STORED);
    cr_assert(byte_kit_put(&kit, "later", 'l', 100, 3000) == CKI_BYTES_STORED);
    cr_assert(cki_byte_cache_get(&kit.cache, &key, &hit));
    cr_assert(byte_kit_get(&kit, "later") == 'l');
    struct cki_block *block = cki_block_copy(
        &kit.cache.ledger, (cachekit_slice){(const uint8_t *)"nn", 2}, CKI_BLOCK_HELD);
    cr_assert(!cki_byte_cache_upgrade(&kit.cache, &key, hit.generation + 1, block));
    cr_assert(cki_byte_cache_upgrade(&kit.cache, &key, hit.generation, block));
    // Its place: still the least recently used of the two.
    cr_assert(cki_order_first(&kit.cache.orders[CKI_BY_USE])->generation == hit.generation);
    cr_assert(cki_byte_cache_get(&kit.cache, &key, &again));
    cr_assert(again.generation == hit.generation && again.block == block);
    cr_assert(again.block->kind == CKI_BLOCK_HELD && hit.block->data[99] == 'o');
    cki_block_release(again.block);
    cr_assert(!cki_byte_cache_upgrade(&kit.cache, &key, hit.generation, hit.block),
              "larger than what is there");
    kit.now_ns += 2000 * KIT_MS;
    cr_assert(byte_kit_get(&kit, "k") == 0);
    // One that was stored anew is another entry.
    cr_assert(byte_kit_put(&kit, "k", 'x', 100, 3000) == CKI_BYTES_STORED);
    cr_assert(!cki_byte_cache_upgrade(&kit.cache, &key, hit.generation, block));
    cr_assert(!cki_byte_cache_evict(&kit.cache, &key, hit.generation));
    cr_assert(byte_kit_get(&kit, "k") == 'x');
    cki_block_release(block);
    cki_block_release(hit.block);
}

Test(byte_cache, bad_bytes_are_evicted_by_identity)
{
    struct cki_key key = byte_kit_key(&kit, "k");
    struct cki_byte_hit hit;
    uint64_t epoch = cki_byte_cache_epoch(&kit.cache, &key, &kit.owner);
    cr_assert(byte_kit_put(&kit, "k", 'b', 100, 3000) == CKI_BYTES_STORED);
    cr_assert(cki_byte_cache_get(&kit.cache, &key, &hit));
    cki_block_release(hit.block);
    cr_assert(cki_byte_cache_evict(&kit.cache, &key, hit.generation));
    cr_assert(!cki_byte_cache_evict(&kit.cache, &key, hit.generation));
    cr_assert(byte_kit_get(&kit, "k") == 0);
    // It overtakes nothing: the computation that follows lands.
    cr_assert(byte_kit_put_at(&kit, &key, 'g', 100, 3000, epoch) == CKI_BYTES_STORED);
}

// The same bytes of hash, other keys.
Test(byte_cache, a_hash_is_no_identity)
{
    static const uint8_t bytes[] = "abcdef";
    const struct cki_key keys[] = {{5, CKI_KEY_BYTES, 3, bytes},
                                   {5, CKI_KEY_BYTES, 3, bytes + 1},
                                   {5, CKI_KEY_BYTES, 4, bytes}};
    for (unsigned i = 0; i < 3; i++) {
        cr_assert(byte_kit_get_at(&kit, &keys[i]) == 0);
        cr_assert(byte_kit_put_at(&kit, &keys[i], (char)('0' + i), 9, 3000, CKI_BYTES_ANY_EPOCH) ==
                  CKI_BYTES_STORED);
    }
    for (unsigned i = 0; i < 3; i++) {
        cr_assert(byte_kit_get_at(&kit, &keys[i]) == (char)('0' + i));
    }
}

static void invalidate(int how, const struct cki_key *key)
{
    switch (how) {
    case 0:
        (void)cki_byte_cache_remove(&kit.cache, key);
        break;
    case 1:
        cki_byte_cache_remove_many(&kit.cache, key, 1);
        break;
    case 2:
        (void)cki_byte_cache_clear(&kit.cache);
        break;
    default:
        (void)cki_owner_begin(&kit.cache, &kit.owner);
        if (how == 4) {
            cr_assert(byte_kit_get_at(&kit, key) == 0, "begun is enough");
        }
        (void)cki_owner_end(&kit.cache, &kit.owner);
    }
}

Test(byte_cache, what_an_invalidation_overtook_does_not_land)
{
    struct cki_key key = byte_kit_key(&kit, "k");
    for (int how = 0; how < 5; how++) {
        cr_assert(byte_kit_put(&kit, "k", 'o', 100, 3000) == CKI_BYTES_STORED);
        uint64_t before = cki_byte_cache_epoch(&kit.cache, &key, &kit.owner);
        invalidate(how, &key);
        cr_assert(byte_kit_get(&kit, "k") == 0, "way %d", how);
        cr_assert(byte_kit_put_at(&kit, &key, 's', 100, 3000, before) == CKI_BYTES_OVERTAKEN,
                  "way %d", how);
        cr_assert(byte_kit_get(&kit, "k") == 0, "way %d", how);
        uint64_t after = cki_byte_cache_epoch(&kit.cache, &key, &kit.owner);
        cr_assert(byte_kit_put_at(&kit, &key, 'n', 100, 3000, after) == CKI_BYTES_STORED);
        // What is refused so leaves the newer entry alone.
        cr_assert(byte_kit_put_at(&kit, &key, 's', 100, 3000, before) == CKI_BYTES_OVERTAKEN);
        cr_assert(byte_kit_get(&kit, "k") == 'n', "way %d", how);
    }
}

Test(byte_cache, an_invalidation_of_all_that_has_begun_stops_what_begins_before_its_end)
{
    struct cki_key key = byte_kit_key(&kit, "k");
    (void)cki_owner_begin(&kit.cache, &kit.owner);
    uint64_t meanwhile = cki_byte_cache_epoch(&kit.cache, &key, &kit.owner);
    cr_assert(byte_kit_put_at(&kit, &key, 'm', 100, 3000, meanwhile) == CKI_BYTES_STORED);
    (void)cki_owner_end(&kit.cache, &kit.owner);
    cr_assert(byte_kit_get(&kit, "k") == 0);
    cr_assert(byte_kit_put_at(&kit, &key, 'm', 100, 3000, meanwhile) == CKI_BYTES_OVERTAKEN);
}

Test(byte_cache, other_owners_and_most_other_keys_are_not_overtaken)
{
    static struct cki_owner other; // stays as long as the cache
    char text[16];
    cki_owner_add(&kit.cache, &other);
    struct cki_key key = byte_kit_key(&kit, "k");
    uint64_t epoch = cki_byte_cache_epoch(&kit.cache, &key, &other);
    invalidate(3, &key);
    cr_assert(cki_byte_cache_epoch(&kit.cache, &key, &other) == epoch);
    unsigned touched = 0;
    for (unsigned i = 0; i < 1000; i++) {
        struct cki_key neighbour = byte_kit_number(&kit, i, text);
        epoch = cki_byte_cache_epoch(&kit.cache, &neighbour, &other);
        (void)cki_byte_cache_remove(&kit.cache, &key);
        touched += cki_byte_cache_epoch(&kit.cache, &neighbour, &other) != epoch;
    }
    cr_assert(touched < 20, "%u of 1,000", touched);
}

Test(byte_cache, names_in_thousands_are_removed)
{
    enum { MANY = 2500, HERE = 20 };
    static struct cki_key keys[MANY];
    static char texts[MANY][16];
    for (unsigned i = 0; i < MANY; i++) {
        keys[i] = byte_kit_number(&kit, i, texts[i]);
    }
    for (unsigned i = 0; i < HERE; i++) {
        cr_assert(byte_kit_put_at(&kit, &keys[i * (MANY / HERE)], 'v', 9, 3000,
                                  CKI_BYTES_ANY_EPOCH) == CKI_BYTES_STORED);
    }
    cki_byte_cache_remove_many(&kit.cache, keys, MANY);
    cr_assert(kit.cache.count == 0 && kit.cache.figures.removed == HERE);
}

Test(byte_cache, blocks_take_buffers_over_or_copy_them)
{
    cachekit_buffer buffer = CACHEKIT_BUFFER_INIT;
    uint8_t bytes[1000];
    memset(bytes, 'q', sizeof bytes);
    cr_assert(cachekit_buffer_append(&buffer, bytes, sizeof bytes) == CACHEKIT_OK);
    const uint8_t *data = buffer.data;
    struct cki_block *block = cki_block_take(&kit.cache.ledger, &buffer, CKI_BLOCK_STORED);
    cr_assert(block->data == data && block->len == 1000 && buffer.data == NULL);
    cr_assert(cki_block_bytes(block) == sizeof *block + 1000);
    cki_block_release(block);
    // Half of this one is empty.
    cr_assert(cachekit_buffer_reserve(&buffer, 2000) == CACHEKIT_OK);
    cr_assert(cachekit_buffer_append(&buffer, bytes, sizeof bytes) == CACHEKIT_OK);
    block = cki_block_take(&kit.cache.ledger, &buffer, CKI_BLOCK_STORED);
    cr_assert(block->data != buffer.data && buffer.len == 1000 && block->data[999] == 'q');
    cki_block_release(block);
    cachekit_buffer_release(&buffer);
    cr_assert(atomic_load(&kit.cache.ledger.bytes) == 0);
}

Test(byte_cache, its_own_clock_counts_suspension)
{
    struct timespec boot;
    int64_t now = cki_boot_ns();
    cr_assert(clock_gettime(CLOCK_BOOTTIME, &boot) == 0);
    int64_t later = (int64_t)boot.tv_sec * 1000000000 + boot.tv_nsec;
    cr_assert(later >= now && later - now < INT64_C(60) * 1000000000);
}

Test(byte_cache, a_forked_child_begins_empty_and_may_release_what_was_out)
{
    struct cki_key key = byte_kit_key(&kit, "k");
    struct cki_byte_hit hit, loose; // the second one's entry has left
    cr_assert(byte_kit_put(&kit, "k", 'l', 100, 3000) == CKI_BYTES_STORED);
    cr_assert(cki_byte_cache_get(&kit.cache, &key, &loose));
    cr_assert(byte_kit_put(&kit, "k", 'p', 100, 3000) == CKI_BYTES_STORED);
    cr_assert(cki_owner_track(&kit.cache, &kit.owner, &key, 3000));
    cr_assert(cki_byte_cache_get(&kit.cache, &key, &hit));
    uint64_t epoch = cki_byte_cache_epoch(&kit.cache, &key, &kit.owner);
    cki_byte_lock(&kit.cache); // as if another thread were in it
    pid_t child = fork();
    if (child == 0) {
        (void)alarm(20); // a lock that is held in the child is waited for in vain
        cki_byte_cache_forked(&kit.cache);
        bool good = byte_kit_get(&kit, "k") == 0 && kit.owner.count == 0;
        good = good && byte_kit_put_at(&kit, &key, 's', 9, 3000, epoch) == CKI_BYTES_OVERTAKEN;
        good = good && byte_kit_put(&kit, "k", 'c', 9, 3000) == CKI_BYTES_STORED;
        good = good && byte_kit_get(&kit, "k") == 'c' && hit.block->data[99] == 'p';
        cki_block_release(hit.block);
        good = good && loose.block->data[99] == 'l';
        cki_block_release(loose.block);
        good = good && cki_byte_cache_is_valid(&kit.cache) && cki_byte_cache_release(&kit.cache);
        _exit(good ? 0 : 1);
    }
    cki_byte_unlock(&kit.cache);
    int status = -1;
    cr_assert(waitpid(child, &status, 0) == child && status == 0);
    cr_assert(byte_kit_get(&kit, "k") == 'p');
    cki_block_release(hit.block);
    cki_block_release(loose.block);
}

// With a budget of their own.

static void fill(struct byte_kit *big, unsigned count)
{
    char text[16];
    for (unsigned i = 0; i < count; i++) {
        struct cki_key key = byte_kit_number(big, i, text);
        cr_assert(byte_kit_put_at(big, &key, 'v', 20, 3000 + i % 7, CKI_BYTES_ANY_EPOCH) ==
                  CKI_BYTES_STORED);
    }
}

Test(byte_sweep, a_hundred_thousand_leave_128_per_hold)
{
    static struct byte_kit big;
    byte_kit_init(&big, (size_t)256 << 20, NULL);
    fill(&big, 100000);
    cr_assert(cki_byte_cache_sweep(&big.cache) == 0);
    big.now_ns += 2007 * KIT_MS;
    cr_assert(cki_byte_cache_maintain(&big.cache, 0) == CKI_BYTES_SWEEP, "one hold");
    cr_assert(cki_byte_cache_maintain(&big.cache, INT64_MAX) == 100000 - CKI_BYTES_SWEEP);
    const struct cki_byte_figures *f = &big.cache.figures;
    cr_assert(f->most_removed == CKI_BYTES_SWEEP && f->sweeps == 782 && f->expired == 100000);
    // So do those that are cleared, and those that a store has to push out.
    fill(&big, 1000);
    cr_assert(cki_byte_cache_clear(&big.cache) == 1000);
    cr_assert(f->most_removed == CKI_BYTES_SWEEP);
    byte_kit_release(&big);
}

Test(byte_sweep, an_index_grows_a_little_with_every_store)
{
    static struct byte_kit big;
    char text[16];
    byte_kit_init(&big, (size_t)64 << 20, NULL);
    unsigned moving = 0;
    for (unsigned i = 0; i < 20000; i++) {
        struct cki_key key = byte_kit_number(&big, i, text);
        size_t moved = big.cache.older != NULL ? big.cache.older->used : SIZE_MAX;
        cr_assert(byte_kit_put_at(&big, &key, 'v', 20, 60000, CKI_BYTES_ANY_EPOCH) ==
                  CKI_BYTES_STORED);
        size_t left = big.cache.older != NULL ? big.cache.older->used : 0;
        cr_assert(moved == SIZE_MAX || moved - left <= 128);
        moving += left > 0;
        struct cki_key some = byte_kit_number(&big, (i * 7919U) % (i + 1), text);
        cr_assert(byte_kit_get_at(&big, &some) == 'v');
        if (i % 3 == 0) {
            (void)cki_byte_cache_remove(&big.cache, &some);
            cr_assert(byte_kit_put_at(&big, &some, 'v', 20, 60000, CKI_BYTES_ANY_EPOCH) ==
                      CKI_BYTES_STORED);
        }
    }
    cr_assert(moving > 100 && big.cache.older == NULL && big.cache.count == 20000);
    cr_assert(big.cache.slots->mask + 1 == 65536);
    byte_kit_release(&big);
}

Test(byte_sweep, a_store_takes_a_few_expired_ones_along)
{
    static struct byte_kit big;
    byte_kit_init(&big, (size_t)1 << 20, NULL);
    fill(&big, 100);
    big.now_ns += 2007 * KIT_MS;
    cr_assert(byte_kit_put(&big, "new", 'n', 20, 3000) == CKI_BYTES_STORED);
    cr_assert(big.cache.figures.expired == 8 && big.cache.count == 93);
    byte_kit_release(&big);
}

Test(byte_sweep, a_large_value_pushes_out_as_many_as_it_needs_in_several_holds)
{
    static struct byte_kit big;
    byte_kit_init(&big, (size_t)1 << 20, NULL);
    fill(&big, 4000);
    cr_assert(big.cache.figures.evicted > 0, "full");
    uint64_t evicted = big.cache.figures.evicted;
    static uint8_t bytes[(1 << 20) / 8];
    struct cki_block *block =
        cki_block_copy(&big.cache.ledger, (cachekit_slice){bytes, sizeof bytes}, CKI_BLOCK_STORED);
    struct cki_key key = byte_kit_key(&big, "large");
    const struct cki_byte_store store = {&key, block, &big.owner, 3000, CKI_BYTES_ANY_EPOCH};
    cr_assert(cki_byte_cache_put(&big.cache, &store) == CKI_BYTES_STORED);
    cki_block_release(block);
    cr_assert(big.cache.figures.evicted - evicted > 2 * CKI_BYTES_SWEEP);
    cr_assert(big.cache.figures.most_removed == CKI_BYTES_SWEEP);
    byte_kit_release(&big);
}
