// SPDX-License-Identifier: MIT
// The prepare handler holds the two registries' locks over the fork, so that the child finds them
// whole; everything below them is reset without being read.
#define _DEFAULT_SOURCE // MADV_WIPEONFORK, MAP_ANONYMOUS
#include "call/fork.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "call/cache.h"
#include "call/metrics.h"
#include "memory/pins.h"

enum { UNSEEN = 0, SEEN = 1, RESETTING = 2 }; // a child that no handler has seen reads 0

static struct {
    pthread_mutex_t lock;
    pthread_once_t once;
    bool is_registered;
    struct cachekit_cache *first;
    atomic_uint forks;
    _Atomic(_Atomic int *) mark; // one of the above; NULL: the kernel has no such page
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};

unsigned cki_forks(void)
{
    return atomic_load_explicit(&registry.forks, memory_order_relaxed);
}

static void before_fork(void)
{
    (void)pthread_mutex_lock(&registry.lock);
    cki_pins_lock();
    cki_metrics_lock();
}

static void in_parent(void)
{
    cki_metrics_unlock();
    cki_pins_unlock();
    (void)pthread_mutex_unlock(&registry.lock);
}

static void reset(void)
{
    atomic_fetch_add(&registry.forks, 1);
    (void)pthread_mutex_init(&registry.lock, NULL);
    cki_pins_forked();
    cki_waits_forked();
    cki_metrics_forked();
    for (struct cachekit_cache *c = registry.first; c != NULL; c = c->next) {
        cki_cache_forked(c);
    }
    _Atomic int *mark = atomic_load(&registry.mark);
    if (mark != NULL) {
        atomic_store(mark, SEEN);
    }
}

static void make_mark(void)
{
#ifdef MADV_WIPEONFORK
    size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        return;
    }
    if (madvise(page, bytes, MADV_WIPEONFORK) != 0) {
        (void)munmap(page, bytes);
        return;
    }
    atomic_store((_Atomic int *)page, SEEN);
    atomic_store(&registry.mark, page);
#endif
}

static void make_once(void)
{
    make_mark();
    registry.is_registered = pthread_atfork(before_fork, in_parent, reset) == 0;
}

bool cki_fork_enlist(struct cachekit_cache *cache)
{
    (void)pthread_once(&registry.once, make_once);
    if (!registry.is_registered) {
        return false;
    }
    (void)pthread_mutex_lock(&registry.lock);
    cache->next = registry.first;
    registry.first = cache;
    (void)pthread_mutex_unlock(&registry.lock);
    return true;
}

void cki_fork_delist(struct cachekit_cache *cache)
{
    (void)pthread_mutex_lock(&registry.lock);
    struct cachekit_cache **at = &registry.first;
    while (*at != cache) {
        at = &(*at)->next;
    }
    *at = cache->next;
    (void)pthread_mutex_unlock(&registry.lock);
}

static void reset_unseen(_Atomic int *mark)
{
    int unseen = UNSEEN;
    if (atomic_compare_exchange_strong(mark, &unseen, RESETTING)) {
        reset();
    }
    while (atomic_load(mark) != SEEN) {
        (void)sched_yield();
    }
}

void cki_fork_check(void)
{
    _Atomic int *mark = atomic_load_explicit(&registry.mark, memory_order_acquire);
    if (mark != NULL && atomic_load_explicit(mark, memory_order_acquire) != SEEN) {
        reset_unseen(mark);
    }
}
