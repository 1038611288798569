// SPDX-License-Identifier: MIT
// What removal promises beside the model: short holds of the lock, no allocation, and values that
// stay whole while somebody holds them, within the budget.
#include <criterion/criterion.h>

#include <string.h>

#include "fault_allocator.h"
#include "memory/memory.h"

enum { TTL = 1000, MANY = 700 };

static struct {
    struct cki_memory memory;
    struct fault_allocator allocator;
    int64_t now;
    uint64_t told, most_at_once;
    size_t destroyed;
} t;

static int64_t now_ns(void *context)
{
    (void)context;
    return t.now;
}

// Whatever was removed and not yet told was removed in one hold.
static void removed(void *context, const struct cki_entry *entry)
{
    uint64_t all = 0;
    (void)context;
    (void)entry;
    for (int i = 0; i < CKI_CAUSES; i++) {
        all += t.memory.removals[i];
    }
    t.most_at_once = all - t.told > t.most_at_once ? all - t.told : t.most_at_once;
    t.told++;
}

static void destroy(void *object, size_t size, void *context)
{
    (void)size;
    (void)context;
    cr_assert(object == &t);
    t.destroyed++;
}

static void open_with(size_t budget_bytes)
{
    static const cachekit_clock clock = {now_ns, NULL};
    memset(&t, 0, sizeof t);
    fault_allocator_init(&t.allocator);
    const struct cki_memory_options options = {.allocator = &t.allocator.hooks,
                                               .clock = &clock,
                                               .budget_bytes = budget_bytes,
                                               .removed = removed};
    cr_assert(cki_memory_init(&t.memory, &options) == CACHEKIT_OK);
}

static void close_all(void)
{
    cr_assert(cki_memory_is_valid(&t.memory));
    cr_assert(cki_memory_release(&t.memory));
    cr_assert(t.allocator.live_blocks == 0 && t.allocator.live_bytes == 0);
}

static struct cki_key key_of(const uint32_t *number)
{
    return (struct cki_key){*number * 0x9e3779b97f4a7c15U, CKI_KEY_BYTES, sizeof *number,
                            (const uint8_t *)number};
}

static enum cki_stored put(uint32_t number, size_t size, struct cki_grip *grip)
{
    struct cki_key key = key_of(&number);
    struct cki_entry *entry = cki_entry_new(&t.allocator.hooks, &key);
    cr_assert(entry != NULL);
    entry->object = &t;
    entry->object_size = size;
    entry->destroy = destroy;
    const struct cki_store store = {.entry = entry, .ttl_ns = TTL, .due_ns = CKI_FOREVER};
    enum cki_stored stored = cki_memory_put(&t.memory, &store, grip);
    if (stored != CKI_STORED) {
        cki_entry_free(&t.allocator.hooks, entry);
    }
    return stored;
}

static void put_many(void)
{
    for (uint32_t i = 0; i < MANY; i++) {
        cr_assert(put(i, 10, NULL) == CKI_STORED);
    }
}

Test(removal, a_sweep_holds_the_lock_for_128_entries)
{
    open_with(1 << 20);
    put_many();
    cr_assert(cki_memory_sweep(&t.memory) == 0);
    t.now += TTL;
    size_t swept = 0, some, holds = 0;
    while ((some = cki_memory_sweep(&t.memory)) > 0) {
        cr_assert(some <= CKI_SWEEP_MAX);
        swept += some;
        holds++;
    }
    cr_assert(swept == MANY && holds == (MANY + CKI_SWEEP_MAX - 1) / CKI_SWEEP_MAX);
    cr_assert(t.most_at_once == CKI_SWEEP_MAX && t.destroyed == MANY);
    close_all();
}

Test(removal, a_clear_holds_the_lock_for_128_entries)
{
    open_with(1 << 20);
    put_many();
    cr_assert(cki_memory_clear(&t.memory, CKI_INVALIDATED) == MANY);
    cr_assert(t.most_at_once == CKI_SWEEP_MAX && t.destroyed == MANY);
    close_all();
}

Test(removal, a_large_value_pushes_many_out_in_short_holds)
{
    open_with(400000);
    put_many();
    size_t most = 400000 - 400000 / 64 - t.memory.overhead_bytes - sizeof(struct cki_entry) - 4;
    cr_assert(put(3, most, NULL) == CKI_STORED);
    cr_assert(t.memory.count == 1 && t.destroyed == MANY);
    cr_assert(t.memory.removals[CKI_REPLACED] == 1);
    cr_assert(t.most_at_once > 100 && t.most_at_once <= CKI_SWEEP_MAX);
    close_all();
}

Test(removal, no_way_out_allocates)
{
    open_with(1 << 20);
    put_many();
    t.allocator.fail_at = t.allocator.calls;
    t.allocator.fail_on = true;
    int calls = t.allocator.calls;
    uint32_t number = 5;
    struct cki_key key = key_of(&number);
    cr_assert(cki_memory_remove(&t.memory, &key));
    t.now += TTL;
    cr_assert(cki_memory_sweep(&t.memory) == CKI_SWEEP_MAX);
    number = MANY - 1;
    cr_assert(cki_memory_find(&t.memory, &key, &(struct cki_grip){NULL, NULL}) == NULL);
    (void)cki_memory_clear(&t.memory, CKI_INVALIDATED);
    cr_assert(t.allocator.calls == calls && t.memory.count == 0 && t.destroyed == MANY);
    close_all();
}

Test(removal, what_is_held_stays_and_counts_until_it_is_given_back)
{
    enum { BUDGET = 20000, SIZE = 3000, HELD = 12 };
    struct cki_entry *held[HELD];
    open_with(BUDGET);
    size_t count = 0;
    enum cki_stored stored = CKI_STORED;
    for (uint32_t i = 0; i < HELD && stored == CKI_STORED; i++) {
        struct cki_grip grip = {NULL, NULL};
        stored = put(i, SIZE, &grip);
        if (stored == CKI_STORED) {
            struct cki_key key = key_of(&i);
            held[count] = cki_memory_find(&t.memory, &key, &grip);
            cr_assert(held[count++] != NULL);
            cki_memory_unhold(&t.memory, held[count - 1]); // that of the put
        }
        struct cki_memory_usage usage;
        cki_memory_usage(&t.memory, &usage);
        cr_assert(usage.used_bytes <= BUDGET + SIZE + 300);
    }
    cr_assert(stored == CKI_NO_ROOM && t.memory.unstored == 1);
    cr_assert(count >= BUDGET / (SIZE + 300) && t.destroyed == 1);
    for (size_t i = 0; i < count; i++) {
        cr_assert(held[i]->object == &t && held[i]->object_size == SIZE);
        cki_memory_unhold(&t.memory, held[i]);
    }
    cr_assert(put(99, SIZE, NULL) == CKI_STORED);
    close_all();
    cr_assert(t.destroyed == count + 2);
}

Test(removal, a_pin_keeps_and_its_release_is_noticed_by_the_next_store_that_needs_room)
{
    enum { BUDGET = 8000, SIZE = 5000 };
    open_with(BUDGET);
    struct cki_grip one = {cki_cell_ready(t.memory.number), NULL}, two = one;
    cr_assert(put(1, SIZE, &one) == CKI_STORED && one.pin != NULL);
    cr_assert(put(2, SIZE, &two) == CKI_STORED && two.pin != NULL && two.pin != one.pin);
    cr_assert(put(3, SIZE, NULL) == CKI_NO_ROOM);
    cr_assert(t.destroyed == 1 && t.memory.unstored == 1);
    cki_pin_release(one.pin);
    cr_assert(put(4, SIZE, NULL) == CKI_NO_ROOM && t.destroyed == 3);
    cki_pin_release(two.pin);
    cr_assert(put(5, SIZE, NULL) == CKI_STORED);
    cr_assert(t.destroyed == 4 && t.memory.count == 1);
    close_all();
}

Test(removal, a_memory_with_handles_out_is_not_released)
{
    open_with(8000);
    struct cki_grip grip = {NULL, NULL};
    uint32_t number = 1;
    struct cki_key key = key_of(&number);
    cr_assert(put(number, 10, NULL) == CKI_STORED);
    struct cki_entry *entry = cki_memory_find(&t.memory, &key, &grip);
    cr_assert(!cki_memory_release(&t.memory) && t.destroyed == 0 && t.memory.count == 0);
    cki_memory_unhold(&t.memory, entry);
    cr_assert(t.destroyed == 1);
    close_all();
}

Test(removal, every_allocation_of_a_store_may_fail)
{
    bool fired = true;
    for (int n = 0; fired; n++) {
        for (int on = 0; on < 2; on++) {
            open_with(1 << 20);
            uint32_t kept = 0;
            for (; kept < 8; kept++) {
                cr_assert(put(kept, 10, NULL) == CKI_STORED);
            }
            t.allocator.fail_at = t.allocator.calls + 1 + n; // the first is the entry's
            t.allocator.fail_on = on != 0;
            enum cki_stored stored = put(kept, 10, NULL);
            fired = t.allocator.calls > t.allocator.fail_at;
            cr_assert(stored == (fired ? CKI_NO_MEMORY : CKI_STORED));
            t.allocator.fail_at = INT_MAX;
            t.allocator.fail_on = false;
            cr_assert(cki_memory_is_valid(&t.memory) && t.memory.count == 8U + !fired);
            cr_assert(t.memory.unstored == fired);
            cr_assert(put(kept, 10, NULL) == CKI_STORED && t.memory.count == 9);
            close_all();
        }
        cr_assert(n < 1 || !fired, "more sites than known");
    }
}
