// SPDX-License-Identifier: MIT
// How long the byte cache's lock is held while 100,000 expired entries are swept, and how long a
// reader waits meanwhile. Times are reported, not judged; entries per hold are judged.
// Usage: byte_holds [ENTRIES]
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "memory/byte_cache.h"

enum { ENTRIES_DEFAULT = 100000, VALUE_LEN = 100, TTL_MS = 60000, HOLDS_MAX = 1 << 16 };

static struct cki_byte_cache cache;
static struct cki_owner owner;
static _Atomic int64_t now_ns = 1;
static atomic_bool is_over;
static int64_t waits, longest_wait_ns;

static int64_t clock_of(clockid_t id)
{
    struct timespec time;
    (void)clock_gettime(id, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// The linker puts these in front of the C library's: the time between them is the hold.
int __real_pthread_mutex_lock(pthread_mutex_t *lock);
int __real_pthread_mutex_unlock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_lock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock);

static _Thread_local bool is_sweeper;
static struct {
    int64_t began_wall_ns, began_cpu_ns, longest_wall_ns, cpu_ns[HOLDS_MAX];
    size_t count;
} hold;

int __wrap_pthread_mutex_lock(pthread_mutex_t *lock)
{
    int answer = __real_pthread_mutex_lock(lock);
    if (is_sweeper && lock == &cache.lock) {
        hold.began_wall_ns = clock_of(CLOCK_MONOTONIC);
        hold.began_cpu_ns = clock_of(CLOCK_THREAD_CPUTIME_ID);
    }
    return answer;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock)
{
    if (is_sweeper && lock == &cache.lock) {
        int64_t cpu_ns = clock_of(CLOCK_THREAD_CPUTIME_ID) - hold.began_cpu_ns;
        int64_t wall_ns = clock_of(CLOCK_MONOTONIC) - hold.began_wall_ns;
        hold.longest_wall_ns = wall_ns > hold.longest_wall_ns ? wall_ns : hold.longest_wall_ns;
        hold.cpu_ns[hold.count++ % HOLDS_MAX] = cpu_ns;
    }
    return __real_pthread_mutex_unlock(lock);
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// The CPU's time of that share of the holds, or less.
static double hold_ms(double share)
{
    size_t count = hold.count < HOLDS_MAX ? hold.count : HOLDS_MAX;
    return (double)hold.cpu_ns[(size_t)(share * (double)(count - 1))] / 1e6;
}

static int64_t now(void *context)
{
    (void)context;
    return atomic_load(&now_ns);
}

static struct cki_key key_of(char *text, size_t room, long i)
{
    int len = snprintf(text, room, "users:get_user:%064ld", i);
    return cki_byte_key(&cache, (cachekit_slice){(const uint8_t *)text, (size_t)len});
}

static bool store(long i)
{
    static const uint8_t value[VALUE_LEN];
    char text[96];
    struct cki_key key = key_of(text, sizeof text, i);
    struct cki_block *block =
        cki_block_copy(&cache.ledger, (cachekit_slice){value, sizeof value}, CKI_BLOCK_STORED);
    const struct cki_byte_store put = {&key, block, &owner, TTL_MS, CKI_BYTES_ANY_EPOCH};
    bool is_good = block != NULL && cki_byte_cache_put(&cache, &put) == CKI_BYTES_STORED;
    cki_block_release(block);
    return is_good;
}

static void *read_on(void *arg)
{
    (void)arg;
    for (long i = 0; !atomic_load(&is_over); i++) {
        char text[96];
        struct cki_byte_hit hit;
        struct cki_key key = key_of(text, sizeof text, -1 - i);
        int64_t began_ns = clock_of(CLOCK_MONOTONIC);
        if (cki_byte_cache_get(&cache, &key, &hit)) {
            cki_block_release(hit.block);
        }
        int64_t wait_ns = clock_of(CLOCK_MONOTONIC) - began_ns;
        longest_wait_ns = wait_ns > longest_wait_ns ? wait_ns : longest_wait_ns;
        waits++;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static const cachekit_clock clock = {now, NULL};
    const struct cki_byte_options options = {.clock = &clock, .budget_bytes = (size_t)1 << 30};
    pthread_t reader;
    struct cki_byte_usage usage;
    long entries = argc > 1 ? strtol(argv[1], NULL, 10) : ENTRIES_DEFAULT;
    size_t swept = 0, some;
    bool is_good = entries > 0 && cki_byte_cache_init(&cache, &options) == CACHEKIT_OK;
    if (argc > 2 || !is_good) {
        (void)fputs("byte_holds: usage: byte_holds [ENTRIES]\n", stderr);
        return 2;
    }
    cki_owner_add(&cache, &owner);
    for (long i = 0; is_good && i < entries; i++) {
        is_good = store(i);
    }
    atomic_fetch_add(&now_ns, (int64_t)TTL_MS * 1000000);
    if (!is_good || pthread_create(&reader, NULL, read_on, NULL) != 0) {
        (void)fputs("byte_holds: no memory\n", stderr);
        return 3;
    }
    is_sweeper = true;
    int64_t began_ns = clock_of(CLOCK_MONOTONIC);
    while ((some = cki_byte_cache_sweep(&cache)) != 0) {
        swept += some;
    }
    int64_t took_ns = clock_of(CLOCK_MONOTONIC) - began_ns;
    is_sweeper = false;
    atomic_store(&is_over, true);
    (void)pthread_join(reader, NULL);
    cki_byte_cache_usage(&cache, &usage);
    is_good = swept == (size_t)entries && usage.entries == 0 &&
              usage.figures.most_removed <= CKI_BYTES_SWEEP && hold.count > 0 && waits > 0;
    qsort(hold.cpu_ns, hold.count < HOLDS_MAX ? hold.count : HOLDS_MAX, sizeof hold.cpu_ns[0],
          by_size);
    (void)printf("byte_holds: %zu expired entries swept in %.1f ms, %zu holds of at most %zu "
                 "entries: CPU %.3f ms median, %.3f ms 99 %%, %.3f ms longest; clock %.3f ms "
                 "longest; longest of %" PRId64 " reads %.3f ms\n",
                 swept, (double)took_ns / 1e6, hold.count, usage.figures.most_removed, hold_ms(0.5),
                 hold_ms(0.99), hold_ms(1.0), (double)hold.longest_wall_ns / 1e6, waits,
                 (double)longest_wait_ns / 1e6);
    return is_good && cki_byte_cache_release(&cache) ? 0 : 1;
}
