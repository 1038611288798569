// SPDX-License-Identifier: MIT
// The clock of stored bytes counts suspension, as the backend's clock does: a machine that slept
// for an hour must not serve what ended meanwhile. Nobody can set it, unlike the wall clock.
#include <time.h>

#include "base/clock.h"
#include "memory/byte_inside.h"

// POSIX has no such clock; Linux numbers it 7. FreeBSD's monotonic one counts suspension.
#if defined(__linux__)
#    define BOOT_CLOCK 7
#else
#    define BOOT_CLOCK CLOCK_MONOTONIC
#endif

int64_t cki_boot_ns(void)
{
    struct timespec now;
    if (clock_gettime(BOOT_CLOCK, &now) != 0) {
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
    }
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t cki_byte_now(const struct cki_byte_cache *cache)
{
    return cache->options.clock != NULL ? cki_now_ns(cache->options.clock) : cki_boot_ns();
}

int64_t cki_byte_now_locked(struct cki_byte_cache *cache, int64_t now_ns)
{
    if (now_ns > cache->newest_ns) {
        cache->newest_ns = now_ns;
    }
    return cache->newest_ns;
}
