// SPDX-License-Identifier: MIT
// What is read, what is a miss, what is removed and what is kept.
#include <criterion/criterion.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <cachekit/cache.h>

#include "backend/file_inside.h"
#include "fault_allocator.h"
#include "file_calls.h"
#include "file_kit.h"

#define NS_PER_S INT64_C(1000000000)
#define NOW_S    INT64_C(1700000000)

enum { HEADER = 14 };

static const unsigned char forever[] = "CK\1\0\0\0\0\0\0\0\0\0\0\0hello";

enum { FOREVER_LEN = sizeof forever - 1 };

static int64_t soon(void)
{
    return cachekit_deadline_ns(60000);
}

Test(file_entries, values_of_any_bytes_come_back)
{
    static const uint8_t key_bytes[] = {0, 'a', 0xff, '/', '.', '.', '\n'};
    const cachekit_slice key = {key_bytes, sizeof key_bytes};
    uint8_t bytes[70000];
    struct file_kit kit;
    file_kit_open(&kit, NULL);
    const cachekit_backend_ops *ops = kit.backend->ops;
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 7);
    }
    static const size_t lengths[] = {0, 1, 2, 4096, sizeof bytes, 3};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        const cachekit_slice value = {bytes, lengths[i]};
        SAYS(ops->set(kit.backend, key, value, CACHEKIT_FOREVER_MS, soon(), NULL), CACHEKIT_OK);
        SAYS(ops->get(kit.backend, key, soon(), &kit.value, NULL), CACHEKIT_OK);
        cr_assert(kit.value.len == lengths[i]);
        cr_assert(lengths[i] == 0 || memcmp(kit.value.data, bytes, lengths[i]) == 0);
    }
    cr_assert(file_kit_count(&kit, "") == 1);
    file_kit_close(&kit);
}

Test(file_entries, a_key_is_there_until_it_is_removed)
{
    struct file_kit kit;
    file_kit_open(&kit, NULL);
    const cachekit_backend_ops *ops = kit.backend->ops;
    SAYS(file_kit_get(&kit, KEY), CACHEKIT_MISS);
    SAYS(ops->exists(kit.backend, file_kit_slice(KEY), soon(), NULL), CACHEKIT_MISS);
    SAYS(file_kit_remove(&kit, KEY), CACHEKIT_MISS);
    SAYS(file_kit_set(&kit, KEY, "one", 5000), CACHEKIT_OK);
    SAYS(ops->exists(kit.backend, file_kit_slice(KEY), soon(), NULL), CACHEKIT_OK);
    SAYS(file_kit_get(&kit, OTHER), CACHEKIT_MISS);
    SAYS(file_kit_remove(&kit, KEY), CACHEKIT_OK);
    SAYS(file_kit_get(&kit, KEY), CACHEKIT_MISS);
    cr_assert(kit.value.len == 0);
    file_kit_close(&kit);
}

Test(file_entries, lives_are_whole_seconds_rounded_up_and_within_bounds)
{
    static const struct {
        int64_t ttl_ms;
        int64_t seconds; // -1: refused, 0: never ends
    } rows[] = {
        {INT64_MIN, -1},
        {-1, -1},
        {0, -1},
        {999, -1},
        {1000, 1},
        {1001, 2},
        {1999, 2},
        {2000, 2},
        {315360000000, 315360000},
        {315360000001, -1},
        {INT64_MAX - 1, -1},
        {CACHEKIT_FOREVER_MS, 0},
    };
    struct file_kit kit;
    file_kit_open(&kit, NULL);
    file_calls.wall_ns = NOW_S * NS_PER_S + NS_PER_S / 2;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cachekit_status wanted = rows[i].seconds < 0 ? CACHEKIT_E_INVALID : CACHEKIT_OK;
        SAYS(file_kit_set(&kit, KEY, "x", rows[i].ttl_ms), wanted);
        if (wanted != CACHEKIT_OK) {
            continue;
        }
        unsigned char raw[64];
        uint64_t expiry = 0;
        cr_assert(file_kit_raw(&kit, KEY_NAME, raw, sizeof raw) == HEADER + 1);
        for (int b = 6; b < HEADER; b++) {
            expiry = expiry << 8 | raw[b];
        }
        cr_assert(expiry == (uint64_t)(rows[i].seconds > 0 ? NOW_S + rows[i].seconds : 0));
    }
    file_calls.wall_ns = 0;
    file_kit_close(&kit);
}

Test(file_entries, ttl_says_what_is_left)
{
    static const unsigned char far[] = "CK\1\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xffx";
    struct file_kit kit;
    int64_t left = 0;
    file_kit_open(&kit, NULL);
    const cachekit_backend_ops *ops = kit.backend->ops;
    const cachekit_slice key = file_kit_slice(KEY);
    file_calls.wall_ns = NOW_S * NS_PER_S;
    SAYS(ops->ttl(kit.backend, key, soon(), &left, NULL), CACHEKIT_MISS);
    SAYS(file_kit_set(&kit, KEY, "x", 60000), CACHEKIT_OK);
    file_calls.wall_ns += 250 * 1000000;
    SAYS(ops->ttl(kit.backend, key, soon(), &left, NULL), CACHEKIT_OK);
    cr_assert(left == 59750, "%ld", (long)left);
    file_calls.wall_ns = (NOW_S + 60) * NS_PER_S - 1;
    SAYS(ops->ttl(kit.backend, key, soon(), &left, NULL), CACHEKIT_OK);
    cr_assert(left == 1, "%ld", (long)left);
    file_calls.wall_ns++;
    SAYS(ops->ttl(kit.backend, key, soon(), &left, NULL), CACHEKIT_MISS);
    SAYS(file_kit_set(&kit, KEY, "x", CACHEKIT_FOREVER_MS), CACHEKIT_OK);
    SAYS(ops->ttl(kit.backend, key, soon(), &left, NULL), CACHEKIT_OK);
    cr_assert(left == CACHEKIT_FOREVER_MS);
    file_kit_plant(&kit, KEY_NAME, far, sizeof far - 1);
    SAYS(ops->ttl(kit.backend, key, soon(), &left, NULL), CACHEKIT_OK);
    cr_assert(left == CACHEKIT_FOREVER_MS);
    file_calls.wall_ns = 0;
    file_kit_close(&kit);
}

Test(file_entries, cut_short_is_a_miss_and_goes)
{
    struct file_kit kit;
    file_kit_open(&kit, NULL);
    for (size_t len = 0; len <= FOREVER_LEN; len++) {
        file_kit_plant(&kit, KEY_NAME, forever, len);
        bool is_whole_header = len >= HEADER; // a value that is cut is for its own checksum to find
        SAYS(file_kit_get(&kit, KEY), is_whole_header ? CACHEKIT_OK : CACHEKIT_MISS);
        cr_assert(file_kit_is_there(&kit, KEY_NAME) == is_whole_header, "%zu", len);
        cr_assert(kit.value.len == (is_whole_header ? len - HEADER : 0));
        cr_assert(len == 0 || unlink(file_kit_path(&kit, KEY_NAME)) == 0 || !is_whole_header);
    }
    file_kit_close(&kit);
}

Test(file_entries, half_a_header_is_none_whatever_lies_behind_it)
{
    uint64_t expiry_s;
    for (size_t len = 0; len <= HEADER; len++) {
        enum cki_file_state state = cki_file_header_read(forever, len, NOW_S, &expiry_s);
        cr_assert(state == (len < HEADER ? CKI_FILE_DAMAGED : CKI_FILE_LIVE), "%zu", len);
    }
}

Test(file_entries, each_flipped_bit_of_a_header_is_judged)
{
    struct file_kit kit;
    int kept = 0, gone = 0, live = 0;
    file_kit_open(&kit, NULL);
    for (int bit = 0; bit < HEADER * 8; bit++) {
        unsigned char bytes[FOREVER_LEN];
        memcpy(bytes, forever, sizeof bytes);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        file_kit_plant(&kit, KEY_NAME, bytes, sizeof bytes);
        cachekit_status status = file_kit_get(&kit, KEY);
        bool is_there = file_kit_is_there(&kit, KEY_NAME);
        if (bit < 3 * 8) {
            cr_assert(status == CACHEKIT_MISS && !is_there, "bit %d", bit);
            gone++;
        } else if (bit < 6 * 8) {
            cr_assert(status == CACHEKIT_MISS && is_there, "bit %d", bit);
            kept++;
        } else { // an expiry: over when it lies within the first 2^31 seconds or so
            bool is_over = bit / 8 >= 10 && !(bit / 8 == 10 && bit % 8 == 7);
            cr_assert(status == (is_over ? CACHEKIT_MISS : CACHEKIT_OK), "bit %d", bit);
            cr_assert(is_there != is_over, "bit %d", bit);
            live += !is_over;
        }
    }
    cr_assert(gone == 24 && kept == 24 && live == 33, "%d %d %d", gone, kept, live);
    file_kit_close(&kit);
}

// Somebody stores a fresh entry after the old one was read and before it is removed.
static struct file_kit *interrupted;

static void store_fresh(int index, enum file_call call)
{
    (void)index;
    if (call == CALL_FSTATAT) {
        cr_assert(file_kit_set(interrupted, KEY, "fresh", CACHEKIT_FOREVER_MS) == CACHEKIT_OK);
    }
}

Test(file_entries, only_the_file_that_was_read_is_removed)
{
    static const char *const stale[] = {"CK\1\0\0\0\0\0\0\0\0\0\0\1old", "no entry at all", "CK"};
    static const size_t lengths[] = {17, 15, 2};
    struct file_kit kit;
    file_kit_open(&kit, NULL);
    interrupted = &kit;
    for (size_t i = 0; i < 3; i++) {
        file_kit_plant(&kit, KEY_NAME ".new", stale[i], lengths[i]);
        cr_assert(rename(file_kit_path(&kit, KEY_NAME ".new"), file_kit_path(&kit, KEY_NAME)) == 0);
        file_calls_arm();
        file_calls.before = store_fresh;
        SAYS(file_kit_get(&kit, KEY), CACHEKIT_MISS);
        (void)file_calls_disarm();
        cr_assert(file_calls_of(CALL_FSTATAT) == 1, "%zu: %d of %d", i, file_calls_of(CALL_FSTATAT),
                  file_calls.count);
        SAYS(file_kit_get(&kit, KEY), CACHEKIT_OK);
        cr_assert(file_kit_has(&kit, "fresh"));
    }
    file_kit_close(&kit);
}

Test(file_entries, an_entry_that_another_is_changing_is_not_waited_for)
{
    struct file_kit kit;
    file_kit_open(&kit, NULL);
    SAYS(file_kit_set(&kit, KEY, "x", 5000), CACHEKIT_OK);
    int fd = open(file_kit_path(&kit, KEY_NAME), O_RDWR);
    cr_assert(fd >= 0 && flock(fd, LOCK_EX) == 0);
    SAYS(file_kit_get(&kit, KEY), CACHEKIT_E_TIMEOUT);
    cr_assert(flock(fd, LOCK_SH) == 0);
    SAYS(file_kit_get(&kit, KEY), CACHEKIT_OK);
    cr_assert(flock(fd, LOCK_EX) == 0); // nobody else holds one any more
    (void)close(fd);
    file_kit_close(&kit);
}

Test(file_entries, over_their_limits_are_refused)
{
    const cachekit_file_backend_options o = {.budget_bytes = 1 << 20, .value_max_bytes = 8};
    struct file_kit kit;
    file_kit_open(&kit, &o);
    SAYS(file_kit_set(&kit, KEY, "12345678", 5000), CACHEKIT_OK);
    SAYS(file_kit_set(&kit, KEY, "123456789", 5000), CACHEKIT_E_TOO_LARGE);
    SAYS(file_kit_get(&kit, KEY), CACHEKIT_OK);
    cr_assert(file_kit_has(&kit, "12345678"));
    file_kit_plant(&kit, OTHER_NAME,
                   "CK\1\0\0\0\0\0\0\0\0\0\0\0"
                   "123456789",
                   HEADER + 9);
    SAYS(file_kit_get(&kit, OTHER), CACHEKIT_E_TOO_LARGE);
    SAYS(file_kit_set(&kit, "", "x", 5000), CACHEKIT_E_INVALID);
    SAYS(file_kit_get(&kit, ""), CACHEKIT_E_INVALID);
    file_kit_close(&kit);
}

Test(file_entries, after_the_deadline_nothing_is_done)
{
    struct file_kit kit;
    int64_t left;
    cachekit_health health;
    file_kit_open(&kit, NULL);
    const cachekit_backend_ops *ops = kit.backend->ops;
    const cachekit_slice key = file_kit_slice(KEY);
    SAYS(file_kit_set(&kit, KEY, "x", 5000), CACHEKIT_OK);
    int64_t past = cachekit_deadline_ns(-1);
    SAYS(ops->get(kit.backend, key, past, &kit.value, NULL), CACHEKIT_E_TIMEOUT);
    SAYS(ops->set(kit.backend, key, key, 5000, past, NULL), CACHEKIT_E_TIMEOUT);
    SAYS(ops->remove(kit.backend, key, past, NULL), CACHEKIT_E_TIMEOUT);
    SAYS(ops->exists(kit.backend, key, past, NULL), CACHEKIT_E_TIMEOUT);
    SAYS(ops->ttl(kit.backend, key, past, &left, NULL), CACHEKIT_E_TIMEOUT);
    SAYS(ops->health(kit.backend, past, &health, NULL), CACHEKIT_E_TIMEOUT);
    SAYS(file_kit_get(&kit, KEY), CACHEKIT_OK);
    cr_assert(file_kit_has(&kit, "x"));
    file_kit_close(&kit);
}

Test(file_entries, health_tries_all_and_leaves_nothing)
{
    struct file_kit kit;
    cachekit_health health = {-1, "?"};
    file_kit_open(&kit, NULL);
    SAYS(file_kit_set(&kit, KEY, "x", 5000), CACHEKIT_OK);
    file_calls_arm();
    SAYS(kit.backend->ops->health(kit.backend, soon(), &health, NULL), CACHEKIT_OK);
    (void)file_calls_disarm();
    cr_assert(file_calls_of(CALL_RENAMEAT) == 1 && file_calls_of(CALL_FLOCK) == 1 &&
              file_calls_of(CALL_UNLINKAT) == 1);
    cr_assert(health.latency_us >= 0);
    cr_assert(strstr(health.details, "file: 1 of 10000 entries, 15 of ") != NULL, "%s",
              health.details);
    cr_assert(file_kit_count(&kit, "") == 1);
    file_kit_close(&kit);
}

Test(file_entries, offers_what_it_can_do_and_no_more)
{
    struct file_kit kit;
    file_kit_open(&kit, NULL);
    const cachekit_backend_ops *ops = kit.backend->ops;
    cr_assert(ops->size == sizeof *ops && strcmp(ops->name, "file") == 0);
    cr_assert(ops->ttl != NULL && ops->lock == NULL && ops->unlock == NULL);
    cr_assert(!kit.backend->prefixes_keys);
    file_kit_close(&kit);
}

static cachekit_status use_once(struct file_kit *kit, const cachekit_allocator *allocator)
{
    const cachekit_file_backend_options o = {.allocator = allocator};
    cachekit_buffer_init(&kit->value, allocator);
    kit->backend = NULL;
    cachekit_status status = file_kit_reopen(kit, &o);
    if (status == CACHEKIT_OK) {
        status = file_kit_set(kit, KEY, "value", 5000);
    }
    if (status == CACHEKIT_OK) {
        status = file_kit_get(kit, KEY);
        cr_assert(status == CACHEKIT_OK ? file_kit_has(kit, "value") : kit->value.len == 0);
    }
    cachekit_backend_free(kit->backend);
    cachekit_buffer_release(&kit->value);
    kit->backend = NULL;
    return status;
}

Test(file_entries, every_refused_allocation_is_said_and_leaks_nothing)
{
    struct file_kit kit;
    int refused = 0;
    file_kit_make_dir(&kit);
    file_kit_plant(&kit, OTHER_NAME, forever, FOREVER_LEN); // the scan has a list to make
    for (int on = 0; on < 2; on++) {
        for (int at = 0;; at++) {
            struct fault_allocator memory;
            fault_allocator_init(&memory);
            memory.fail_at = at;
            memory.fail_on = on != 0;
            cachekit_status status = use_once(&kit, &memory.hooks);
            cr_assert(memory.live_blocks == 0 && memory.live_bytes == 0);
            if (memory.calls <= at) {
                SAYS(status, CACHEKIT_OK);
                break;
            }
            SAYS(status, CACHEKIT_E_NOMEM);
            refused++;
        }
    }
    cr_assert(refused >= 8, "%d", refused);
    file_kit_close(&kit);
}
