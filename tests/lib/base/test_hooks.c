// SPDX-License-Identifier: MIT
// The clock and entropy hooks, and what stands in for them.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/entropy.h"

static int64_t fixed_now(void *context)
{
    return *(int64_t *)context;
}

Test(hooks, a_given_clock_is_the_only_one_asked)
{
    int64_t now = 42;
    const cachekit_clock clock = {fixed_now, &now};
    cr_assert(eq(i64, cki_now_ns(&clock), 42));
    now = INT64_MAX;
    cr_assert(eq(i64, cki_now_ns(&clock), INT64_MAX));
}

static int64_t fine_now(void)
{
    struct timespec now;
    cr_assert(eq(int, clock_gettime(CLOCK_MONOTONIC, &now), 0));
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// The coarse clock shows the fine one's time at its last tick. A busy host may hold a tick back,
// so the bound is wide; that it steps, and seldom, tells it from the fine one.
Test(hooks, the_default_clock_is_coarse_monotonic)
{
    int64_t last = 0;
    int changes = 0, calls = 0;
    int64_t start = fine_now();
    for (; changes < 3 && fine_now() < start + INT64_C(5000000000); calls++) {
        int64_t before = fine_now();
        int64_t now = cki_now_ns(NULL);
        cr_assert(le(i64, now, fine_now()));
        cr_assert(ge(i64, now, before - INT64_C(1000000000)));
        cr_assert(ge(i64, now, last));
        changes += now != last;
        last = now;
    }
    cr_assert(eq(int, changes, 3));
    cr_assert(gt(int, calls, 30));
}

static cachekit_status count_up(void *context, void *out, size_t len)
{
    uint8_t *next = context;
    for (size_t i = 0; i < len; i++) {
        ((uint8_t *)out)[i] = (*next)++;
    }
    return CACHEKIT_OK;
}

static cachekit_status fail(void *context, void *out, size_t len)
{
    (void)context, (void)out, (void)len;
    return CACHEKIT_E_NOMEM; // not its contract, and must not leak out
}

Test(hooks, a_given_source_is_the_only_one_asked)
{
    uint8_t next = 5, bytes[4];
    const cachekit_entropy source = {count_up, &next};
    cr_assert(eq(int, cki_random(&source, bytes, sizeof bytes), CACHEKIT_OK));
    cr_assert(memcmp(bytes, "\5\6\7\10", 4) == 0);
    const cachekit_entropy broken = {fail, NULL};
    cr_assert(eq(int, cki_random(&broken, bytes, sizeof bytes), CACHEKIT_E_ENTROPY));
}

// 32 bytes that come twice, or stay as they were, have a chance of 2^-256.
Test(hooks, the_default_source_differs_every_time)
{
    uint8_t bytes[8][32];
    memset(bytes, 0, sizeof bytes);
    for (size_t i = 0; i < 8; i++) {
        cr_assert(eq(int, cki_random(NULL, bytes[i], sizeof bytes[i]), CACHEKIT_OK));
        static const uint8_t zeros[32];
        cr_assert(memcmp(bytes[i], zeros, sizeof zeros) != 0);
        for (size_t k = 0; k < i; k++) {
            cr_assert(memcmp(bytes[i], bytes[k], sizeof bytes[i]) != 0);
        }
    }
}
