// SPDX-License-Identifier: MIT
// Emptying, a little at a time: many short holds of the lock, a yield in between, and the memory
// given back outside.
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "memory/byte_inside.h"

static size_t clear_some(struct cki_byte_cache *cache, uint64_t up_to)
{
    struct cki_byte_gone gone = {NULL, 0, 0, NULL};
    cki_byte_lock(cache);
    // Nobody uses an entry that is cleared, so those that are left sit at the old end.
    struct cki_entry *first;
    while (gone.count < CKI_BYTES_SWEEP &&
           (first = cki_order_first(&cache->orders[CKI_BY_USE])) != NULL &&
           first->generation <= up_to) {
        cki_byte_unlink_locked(cache, first, &cache->figures.removed, &gone);
    }
    size_t count = gone.count;
    cki_byte_end(cache, &gone);
    return count;
}

size_t cki_byte_cache_clear(struct cki_byte_cache *cache)
{
    cki_byte_lock(cache);
    atomic_fetch_add_explicit(&cache->all_epoch, 1, memory_order_acq_rel);
    cache->cleared = cache->generation;
    uint64_t up_to = cache->cleared;
    cki_byte_unlock(cache);
    size_t all = 0, some;
    while ((some = clear_some(cache, up_to)) != 0) {
        all += some;
        (void)sched_yield();
    }
    return all;
}

size_t cki_byte_cache_sweep(struct cki_byte_cache *cache)
{
    int64_t now_ns = cki_byte_now(cache);
    struct cki_byte_gone gone = {NULL, 0, 0, NULL};
    cki_byte_lock(cache);
    now_ns = cki_byte_now_locked(cache, now_ns);
    cki_byte_expire_locked(cache, now_ns, CKI_BYTES_SWEEP, &gone);
    cache->figures.sweeps += gone.count != 0;
    size_t count = gone.count;
    cki_byte_end(cache, &gone);
    return count;
}

static int64_t now_us(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

size_t cki_byte_cache_maintain(struct cki_byte_cache *cache, int64_t max_us)
{
    int64_t end_us = 0;
    if (max_us > 0 && __builtin_add_overflow(now_us(), max_us, &end_us)) {
        end_us = INT64_MAX;
    }
    size_t all = 0;
    for (;;) {
        size_t some = cki_byte_cache_sweep(cache);
        all += some;
        if (some < CKI_BYTES_SWEEP || max_us <= 0 || now_us() >= end_us) {
            return all;
        }
        (void)sched_yield();
    }
}

void cki_byte_cache_forked(struct cki_byte_cache *cache)
{
    (void)pthread_mutex_init(&cache->lock, NULL);
    (void)pthread_cond_init(&cache->emptied, NULL);
    atomic_fetch_add(&cache->ledger.forks, 1);
    atomic_store(&cache->ledger.blocks, 0);
    atomic_store(&cache->ledger.bytes, 0);
    for (int i = 0; i < CKI_ORDERS; i++) {
        cki_order_init(&cache->orders[i], i);
    }
    cache->slots = cache->older = NULL;
    cache->count = cache->tracked_count = 0;
    cache->entry_bytes = cache->index_bytes = cache->tracked_bytes = cache->live_bytes = 0;
    cache->figures = (struct cki_byte_figures){0};
    // What the parent's other threads were at the moment does not matter: nothing of theirs lands.
    atomic_fetch_add(&cache->all_epoch, 1);
    for (struct cki_owner *o = cache->owners; o != NULL; o = o->next) {
        struct cki_owner *next = o->next;
        uint64_t epoch = atomic_load(&o->epoch);
        *o = (struct cki_owner){.next = next};
        atomic_store(&o->epoch, epoch);
        atomic_store(&o->owed_count, 0);
    }
}
