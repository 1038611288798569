// SPDX-License-Identifier: MIT
// Removing many keys: UNLINK with at most 10,000 of them, on a Cluster only of one slot at a time.
#include <stdlib.h>
#include <string.h>

#include "backend/redis_inside.h"
#include "backend/redis_ops.h"
#include "backend/redis_slot.h"
#include "base/alloc.h"
#include "base/num.h"
#include "base/status.h"

enum { BATCH_MAX = 10000, BATCH_BYTES_MAX = 64 << 20 };

static const char command_name[] = "UNLINK";

struct one {
    size_t number; // among the caller's keys
    int slot;
};

// The keys in the order in which they go, and room for one command.
struct work {
    struct cki_redis *self;
    const cachekit_slice *keys;
    size_t count;
    size_t room; // keys of a command
    struct one *order;
    const char **argv;
    size_t *lens;
    cachekit_buffer names; // of the command's keys, one behind the other
};

static int by_slot(const void *a, const void *b)
{
    const struct one *x = a, *y = b;
    if (x->slot != y->slot) {
        return x->slot < y->slot ? -1 : 1;
    }
    return x->number < y->number ? -1 : x->number > y->number;
}

static void release(struct work *work)
{
    const cachekit_allocator *allocator = work->self->allocator;
    cki_free(allocator, work->order, work->count * sizeof *work->order);
    cki_free(allocator, work->argv, (work->room + 1) * sizeof *work->argv);
    cki_free(allocator, work->lens, (work->room + 1) * sizeof *work->lens);
    cachekit_buffer_release(&work->names);
}

static bool acquire(struct work *work)
{
    const cachekit_allocator *allocator = work->self->allocator;
    size_t bytes;
    if (!cki_mul_size(work->count, sizeof *work->order, &bytes)) {
        return false;
    }
    work->order = cki_alloc(allocator, bytes);
    work->argv = cki_alloc(allocator, (work->room + 1) * sizeof *work->argv);
    work->lens = cki_alloc(allocator, (work->room + 1) * sizeof *work->lens);
    return work->order != NULL && work->argv != NULL && work->lens != NULL;
}

static bool add_name(struct work *work, cachekit_slice key)
{
    return cachekit_buffer_append(&work->names, work->self->prefix, work->self->prefix_len) ==
               CACHEKIT_OK &&
           cachekit_buffer_append(&work->names, key.data, key.len) == CACHEKIT_OK;
}

static cachekit_status no_memory(cachekit_error *error)
{
    return cki_fail(error, CACHEKIT_E_NOMEM, 0, "redis: no memory for the keys to remove");
}

static cachekit_status sort(struct work *work, cachekit_error *error)
{
    for (size_t i = 0; i < work->count; i++) {
        work->order[i] = (struct one){i, 0};
        if (work->keys[i].len == 0 || work->keys[i].len > BATCH_BYTES_MAX) {
            return cki_fail(error, CACHEKIT_E_INVALID, i, "redis: a key is empty or too long");
        }
        if (work->self->slots != NULL) {
            work->names.len = 0;
            if (!add_name(work, work->keys[i])) {
                return no_memory(error);
            }
            work->order[i].slot = cki_redis_slot((const char *)work->names.data, work->names.len);
        }
    }
    if (work->self->slots != NULL) {
        qsort(work->order, work->count, sizeof *work->order, by_slot);
    }
    return CACHEKIT_OK;
}

// How many from `first` on go into one command; their names are in `names`.
static size_t collect(struct work *work, size_t first)
{
    size_t i = first;
    work->names.len = 0;
    while (i < work->count && i - first < work->room &&
           work->order[i].slot == work->order[first].slot &&
           (i == first || work->names.len <= BATCH_BYTES_MAX)) {
        if (!add_name(work, work->keys[work->order[i].number])) {
            return 0;
        }
        i++;
    }
    const char *at = (const char *)work->names.data;
    work->argv[0] = command_name;
    work->lens[0] = sizeof command_name - 1;
    for (size_t k = 0; k < i - first; k++) {
        work->argv[k + 1] = at;
        work->lens[k + 1] = work->self->prefix_len + work->keys[work->order[first + k].number].len;
        at += work->lens[k + 1];
    }
    return i - first;
}

static cachekit_status unlink_batch(struct work *work, size_t first, size_t count,
                                    int64_t deadline_ns, cachekit_error *error)
{
    struct cki_answer answer = {.bulk = NULL};
    const struct cki_command command = {
        .argc = (int)count + 1,
        .many = work->argv,
        .many_lens = work->lens,
        .wants = CKI_ANSWER_INTEGER,
        .most = (int64_t)count,
        .slot = work->order[first].slot,
    };
    return cki_redis_call(work->self, &command, &answer, deadline_ns, error);
}

// The first failure; what can be removed all the same is removed.
static cachekit_status remove_all(struct work *work, int64_t deadline_ns, bool *done,
                                  cachekit_error *error)
{
    cachekit_status result = CACHEKIT_OK;
    for (size_t first = 0, count; first < work->count; first += count) {
        count = collect(work, first);
        if (count == 0) {
            return no_memory(error);
        }
        cachekit_status status =
            unlink_batch(work, first, count, deadline_ns, result == CACHEKIT_OK ? error : NULL);
        for (size_t k = 0; status == CACHEKIT_OK && k < count; k++) {
            done[work->order[first + k].number] = true;
        }
        result = result == CACHEKIT_OK ? status : result;
    }
    return result;
}

cachekit_status cki_redis_remove_many(cachekit_backend *backend, const cachekit_slice *keys,
                                      size_t count, int64_t deadline_ns, bool *done,
                                      cachekit_error *error)
{
    struct work work = {.self = (struct cki_redis *)(void *)backend, .keys = keys, .count = count};
    cki_redis_enter(work.self);
    cachekit_buffer_init(&work.names, work.self->allocator);
    if (count == 0) {
        return CACHEKIT_OK;
    }
    work.room = count < BATCH_MAX ? count : BATCH_MAX;
    memset(done, 0, count * sizeof *done);
    cachekit_status status = acquire(&work) ? sort(&work, error) : no_memory(error);
    if (status == CACHEKIT_OK) {
        status = remove_all(&work, deadline_ns, done, error);
    }
    release(&work);
    return status;
}
