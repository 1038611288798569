// SPDX-License-Identifier: MIT
// An allocator for tests of races: what the library frees stays for a while as it was, but looks
// alive, so that whoever still reads it serves it and is found out; and must not be written to.
#ifndef RACE_QUARANTINE_H
#define RACE_QUARANTINE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cachekit/allocator.h>

enum { QUARANTINE = 256 };

struct quarantined {
    unsigned char *block;
    size_t size;
    uint64_t sum; // of its bytes
};

static struct {
    pthread_mutex_t lock;
    struct quarantined blocks[QUARANTINE];
    unsigned next;
    bool was_written;
} quarantine = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t quarantine_sum(const unsigned char *block, size_t size)
{
    uint64_t sum = size;
    for (size_t i = 0; i < size; i++) {
        sum = (sum ^ block[i]) * 0x100000001b3U;
    }
    return sum;
}

// The mark of an entry that was removed becomes the due time of one that lives for ever.
static void quarantine_revive(unsigned char *block, size_t size)
{
    static const int64_t dead = INT64_MIN, alive = INT64_MAX;
    for (size_t i = 0; i + sizeof dead <= size; i += sizeof dead) {
        if (memcmp(block + i, &dead, sizeof dead) == 0) {
            memcpy(block + i, &alive, sizeof alive);
        }
    }
}

// Takes the place of the oldest, which is let go.
static void quarantine_put(const struct quarantined *in)
{
    (void)pthread_mutex_lock(&quarantine.lock);
    struct quarantined *place = &quarantine.blocks[quarantine.next++ % QUARANTINE];
    const struct quarantined out = *place;
    *place = *in;
    if (out.block != NULL && quarantine_sum(out.block, out.size) != out.sum) {
        quarantine.was_written = true;
    }
    (void)pthread_mutex_unlock(&quarantine.lock);
    free(out.block);
}

static void *quarantine_take(void *context, size_t size)
{
    (void)context;
    return malloc(size);
}

static void *quarantine_resize(void *context, void *block, size_t old_size, size_t size)
{
    (void)context;
    (void)old_size;
    return realloc(block, size);
}

static void quarantine_give_back(void *context, void *block, size_t size)
{
    (void)context;
    quarantine_revive(block, size);
    const struct quarantined in = {block, size, quarantine_sum(block, size)};
    quarantine_put(&in);
}

static const cachekit_allocator quarantine_allocator = {quarantine_take, quarantine_resize,
                                                        quarantine_give_back, NULL};

// Lets all go. False: one of them was written to meanwhile.
static bool quarantine_empty(void)
{
    static const struct quarantined nothing;
    for (unsigned i = 0; i < QUARANTINE; i++) {
        quarantine_put(&nothing);
    }
    return !quarantine.was_written;
}

#endif
