// SPDX-License-Identifier: MIT
// Tracked keys: what an invalidation of all finds, what stays owed, and what the bound does.
#include "byte_kit.h"

#include <pthread.h>
#include <sched.h>

#include "fault_allocator.h"

enum { BUDGET = 1 << 18, MANY = 1500 };

static struct byte_kit kit;

static void start(void)
{
    byte_kit_init(&kit, BUDGET * 4, NULL);
}

static void stop(void)
{
    byte_kit_release(&kit);
}

TestSuite(byte_owner, .init = start, .fini = stop);

static bool track(unsigned number, int64_t ttl_ms)
{
    char text[16];
    struct cki_key key = byte_kit_number(&kit, number, text);
    return cki_owner_track(&kit.cache, &kit.owner, &key, ttl_ms);
}

static bool owes(const char *text)
{
    struct cki_key key = byte_kit_key(&kit, text);
    return cki_owner_owes(&kit.cache, &kit.owner, &key);
}

static void owe(const char *text, int64_t ttl_ms)
{
    struct cki_key key = byte_kit_key(&kit, text);
    cki_owner_owe(&kit.cache, &kit.owner, &key, ttl_ms);
}

// Gives all up; the backend fails on those where `fails` says so. Returns how many there were.
static size_t give_up(bool (*fails)(const struct cki_tracked *tracked), uint64_t *forgotten)
{
    size_t count = 0;
    struct cki_tracked *list;
    uint64_t mark = cki_owner_begin(&kit.cache, &kit.owner);
    while ((list = cki_owner_take(&kit.cache, &kit.owner, mark)) != NULL) {
        size_t some = 0;
        for (struct cki_tracked *t = list; t != NULL; t = t->next) {
            t->is_owed = fails != NULL && fails(t);
            some++;
        }
        cr_assert(some <= CKI_BYTES_BATCH && count < 20000, "the same ones again and again");
        count += some;
        cki_owner_give(&kit.cache, &kit.owner, list);
    }
    *forgotten = cki_owner_end(&kit.cache, &kit.owner);
    return count;
}

Test(byte_owner, every_key_is_found_once_whether_it_is_in_memory_or_not)
{
    uint64_t forgotten;
    for (unsigned i = 0; i < MANY; i++) {
        cr_assert(track(i, 60000) && track(i, 60000));
    }
    cr_assert(byte_kit_put(&kit, "key 3", 'v', 20, 60000) == CKI_BYTES_STORED);
    cr_assert(byte_kit_put(&kit, "untracked", 'v', 20, 60000) == CKI_BYTES_STORED);
    cr_assert(give_up(NULL, &forgotten) == MANY && forgotten == 0);
    cr_assert(byte_kit_get(&kit, "key 3") == 0 && byte_kit_get(&kit, "untracked") == 0);
    cr_assert(give_up(NULL, &forgotten) == 0 && kit.cache.tracked_count == 0);
}

static bool ends_in_seven(const struct cki_tracked *tracked)
{
    return tracked->key[tracked->len - 1] == '7';
}

Test(byte_owner, what_the_backend_did_not_remove_is_owed_until_it_is)
{
    uint64_t forgotten;
    for (unsigned i = 0; i < 100; i++) {
        cr_assert(track(i, 60000));
    }
    cr_assert(!owes("key 7") && atomic_load(&kit.owner.owed_count) == 0);
    cr_assert(give_up(ends_in_seven, &forgotten) == 100);
    cr_assert(owes("key 7") && owes("key 97") && !owes("key 8"));
    struct cki_tracked *list = cki_owner_take_owed(&kit.cache, &kit.owner);
    cr_assert(list != NULL && owes("key 7") && owes("anything"), "on its way: all are");
    for (struct cki_tracked *t = list; t != NULL; t = t->next) {
        t->is_owed = t->key[4] == '9'; // 97 fails once more
    }
    cki_owner_give(&kit.cache, &kit.owner, list);
    cr_assert(!owes("key 7") && owes("key 97") && !owes("anything"));
    cr_assert(give_up(NULL, &forgotten) == 1 && !owes("key 97"));
    cr_assert(cki_owner_take_owed(&kit.cache, &kit.owner) == NULL);
}

Test(byte_owner, a_write_settles_the_debt_unless_an_invalidation_overtook_it)
{
    struct cki_key key = byte_kit_key(&kit, "k");
    uint64_t epoch = cki_byte_cache_epoch(&kit.cache, &key, &kit.owner);
    cr_assert(cki_owner_track(&kit.cache, &kit.owner, &key, 60000));
    cr_assert(cki_owner_written(&kit.cache, &kit.owner, &key, epoch));
    (void)cki_byte_cache_remove(&kit.cache, &key);
    cr_assert(!cki_owner_written(&kit.cache, &kit.owner, &key, epoch), "nothing is owed yet");
    owe("k", 60000);
    cr_assert(!cki_owner_written(&kit.cache, &kit.owner, &key, epoch) && owes("k"));
    cr_assert(cki_owner_track(&kit.cache, &kit.owner, &key, 60000) && owes("k"));
    epoch = cki_byte_cache_epoch(&kit.cache, &key, &kit.owner);
    cr_assert(cki_owner_written(&kit.cache, &kit.owner, &key, epoch) && !owes("k"));
    cr_assert(kit.owner.count == 1, "it is tracked still");
}

Test(byte_owner, a_removal_forgets_a_key_unless_it_was_tracked_after_it)
{
    struct cki_key key = byte_kit_key(&kit, "k");
    cr_assert(cki_owner_track(&kit.cache, &kit.owner, &key, 60000));
    uint64_t mark = cki_byte_cache_remove(&kit.cache, &key);
    cr_assert(cki_owner_track(&kit.cache, &kit.owner, &key, 60000));
    cki_owner_untrack(&kit.cache, &kit.owner, &key, mark);
    cr_assert(kit.owner.count == 1);
    mark = cki_byte_cache_remove(&kit.cache, &key);
    cki_owner_untrack(&kit.cache, &kit.owner, &key, mark);
    cki_owner_untrack(&kit.cache, &kit.owner, &key, mark);
    cr_assert(kit.owner.count == 0);
}

Test(byte_owner, keys_that_are_tracked_while_all_are_given_up_wait_for_the_next_time)
{
    cr_assert(track(1, 60000));
    uint64_t mark = cki_owner_begin(&kit.cache, &kit.owner);
    // One that was there and is read again may have been read too early.
    cr_assert(track(2, 60000) && track(1, 60000));
    struct cki_tracked *list = cki_owner_take(&kit.cache, &kit.owner, mark);
    cr_assert(list != NULL && list->next == NULL && list->key[4] == '1');
    // The one that fails was tracked anew meanwhile: there is one of it, and it is owed.
    cr_assert(track(1, 60000));
    list->is_owed = true;
    cki_owner_give(&kit.cache, &kit.owner, list);
    cr_assert(cki_owner_take(&kit.cache, &kit.owner, mark) == NULL);
    cr_assert(cki_owner_end(&kit.cache, &kit.owner) == 0);
    cr_assert(kit.owner.count == 2 && owes("key 1") && !owes("key 2"));
}

Test(byte_owner, at_the_bound_expired_keys_go_then_the_oldest_and_owed_ones_last)
{
    uint64_t forgotten;
    owe("owed", 60000);
    unsigned count = 0;
    cr_assert(track(count++, 10));
    while (kit.owner.forgotten == 0 && count < 100000) {
        if (count == 10) {
            kit.now_ns += 10 * KIT_MS;
        }
        cr_assert(track(count++, 60000));
        cr_assert(kit.cache.tracked_bytes <= BUDGET);
    }
    char text[16];
    struct cki_key expired = byte_kit_number(&kit, 0, text);
    cr_assert(cki_track_find(&kit.owner, &expired) == NULL);
    struct cki_key oldest = byte_kit_key(&kit, "key 1");
    cr_assert(cki_track_find(&kit.owner, &oldest) == NULL && owes("owed"));
    cr_assert(kit.owner.forgotten == 1, "the expired one was not forgotten");
    cr_assert(give_up(NULL, &forgotten) == count - 1 && forgotten == 1);
    cr_assert(kit.owner.forgotten == 0);
}

Test(byte_owner, when_an_owed_key_is_pushed_out_all_are_owed_for_as_long)
{
    char text[16];
    for (unsigned i = 0; kit.owner.forgotten == 0; i++) {
        (void)snprintf(text, sizeof text, "owed %u", i);
        owe(text, 500 + i % 2);
    }
    cr_assert(owes("owed 0") && owes("anything"));
    kit.now_ns += 500 * KIT_MS - 1;
    cr_assert(owes("anything"));
    kit.now_ns += 1;
    cr_assert(!owes("anything") && owes(text), "the others are still remembered");
}

Test(byte_owner, a_key_over_the_bound_is_not_tracked)
{
    static uint8_t bytes[BUDGET];
    struct cki_key key = cki_byte_key(&kit.cache, (cachekit_slice){bytes, sizeof bytes});
    uint64_t forgotten;
    cr_assert(track(1, 60000));
    cr_assert(!cki_owner_track(&kit.cache, &kit.owner, &key, 60000));
    cr_assert(give_up(NULL, &forgotten) == 1 && forgotten == 1);
}

static atomic_int steps;

static void *empty_too(void *context)
{
    (void)context;
    atomic_store(&steps, 1);
    (void)cki_owner_begin(&kit.cache, &kit.owner);
    atomic_store(&steps, 2);
    (void)cki_owner_end(&kit.cache, &kit.owner);
    return NULL;
}

Test(byte_owner, a_second_invalidation_of_all_waits_for_the_first)
{
    pthread_t other;
    cr_assert(track(1, 60000));
    uint64_t mark = cki_owner_begin(&kit.cache, &kit.owner);
    cr_assert(pthread_create(&other, NULL, empty_too, NULL) == 0);
    while (atomic_load(&steps) == 0) {
        (void)sched_yield();
    }
    for (int i = 0; i < 1000; i++) {
        (void)sched_yield();
        cr_assert(atomic_load(&steps) == 1);
    }
    cki_owner_give(&kit.cache, &kit.owner, cki_owner_take(&kit.cache, &kit.owner, mark));
    (void)cki_owner_end(&kit.cache, &kit.owner);
    cr_assert(pthread_join(other, NULL) == 0 && atomic_load(&steps) == 2);
}

// Every request for memory refused, once and from then on.

static void script(struct byte_kit *k)
{
    uint64_t mark;
    struct cki_tracked *list;
    char text[16];
    for (unsigned i = 0; i < 40; i++) {
        struct cki_key key = byte_kit_number(k, i, text);
        bool had = byte_kit_get_at(k, &key) != 0;
        bool tracked = cki_owner_track(&k->cache, &k->owner, &key, 60000);
        enum cki_byte_stored stored =
            byte_kit_put_at(k, &key, 'v', 300, 60000, CKI_BYTES_ANY_EPOCH);
        cr_assert(stored == CKI_BYTES_STORED || stored == CKI_BYTES_NO_MEMORY);
        cr_assert(!had && (byte_kit_get_at(k, &key) == 'v') == (stored == CKI_BYTES_STORED));
        if (i % 3 == 0) {
            cki_owner_owe(&k->cache, &k->owner, &key, 60000);
            cr_assert(cki_owner_owes(&k->cache, &k->owner, &key), "owed without memory too");
        }
        cr_assert(tracked || k->owner.forgotten > 0);
    }
    const struct fault_allocator *faults = k->cache.options.allocator->context;
    int calls = faults->calls;
    struct cki_key key = byte_kit_key(k, "key 1");
    (void)cki_byte_cache_remove(&k->cache, &key);
    mark = cki_owner_begin(&k->cache, &k->owner);
    for (int i = 0; (list = cki_owner_take(&k->cache, &k->owner, mark)) != NULL; i++) {
        cr_assert(i < 10, "the same ones again and again");
        for (struct cki_tracked *t = list; t != NULL; t = t->next) {
            t->is_owed = t->key[t->len - 1] == '1';
        }
        cki_owner_give(&k->cache, &k->owner, list);
    }
    (void)cki_owner_end(&k->cache, &k->owner);
    k->now_ns += 10000 * KIT_MS;
    (void)cki_byte_cache_sweep(&k->cache);
    (void)cki_byte_cache_clear(&k->cache);
    // A table may still grow when keys come back to it; nothing else asks for memory.
    cr_assert(faults->calls - calls <= 1, "removal asks for memory");
    cr_assert(byte_kit_get(k, "key 2") == 0 && cki_byte_cache_is_valid(&k->cache));
}

Test(byte_memory, every_refused_request_ends_well)
{
    static struct byte_kit k;
    int fired = 0;
    for (int on = 0; on < 2; on++) {
        for (int at = 0;; at++) {
            struct fault_allocator faults;
            fault_allocator_init(&faults);
            faults.fail_at = at;
            faults.fail_on = on == 1;
            byte_kit_init(&k, 1 << 16, &faults.hooks);
            script(&k);
            bool is_over = faults.calls <= at;
            fired += !is_over;
            faults.fail_at = INT_MAX;
            cr_assert(byte_kit_put(&k, "after", 'a', 300, 60000) == CKI_BYTES_STORED);
            cr_assert(byte_kit_get(&k, "after") == 'a');
            byte_kit_release(&k);
            cr_assert(faults.live_blocks == 0 && faults.live_bytes == 0);
            if (is_over) {
                break;
            }
        }
    }
    cr_assert(fired > 250, "%d", fired);
}
