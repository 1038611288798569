// SPDX-License-Identifier: MIT
// Removing many keys: UNLINK with at most 10,000 of them, on a Cluster only of one slot. A
// Cluster's commands for one node go together, up to 256 of them, or each would cost a round trip.
#include <stdlib.h>
#include <string.h>

#include "backend/redis_ask.h"
#include "backend/redis_cluster.h"
#include "backend/redis_inside.h"
#include "backend/redis_ops.h"
#include "backend/redis_slot.h"
#include "base/alloc.h"
#include "base/num.h"
#include "base/status.h"

enum { BATCH_MAX = 10000, BATCH_BYTES_MAX = 64 << 20 };
enum { PIPE_MAX = 256, PIPE_BYTES_MAX = 65536 };

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

static struct cki_command unlink_command(const struct work *work, size_t first, size_t count)
{
    return (struct cki_command){
        .argc = (int)count + 1,
        .many = work->argv,
        .many_lens = work->lens,
        .wants = CKI_ANSWER_INTEGER,
        .most = (int64_t)count,
        .slot = work->order[first].slot,
    };
}

// Those whose names are collected.
static cachekit_status unlink_now(const struct work *work, size_t first, size_t count,
                                  int64_t deadline_ns, cachekit_error *error)
{
    struct cki_answer answer = {.bulk = NULL};
    const struct cki_command command = unlink_command(work, first, count);
    return cki_redis_call(work->self, &command, &answer, deadline_ns, error);
}

static void mark_done(const struct work *work, size_t first, size_t count, cachekit_status status,
                      bool *done)
{
    for (size_t k = 0; status == CACHEKIT_OK && k < count; k++) {
        done[work->order[first + k].number] = true;
    }
}

// The first failure; what can be removed all the same is removed.
static cachekit_status remove_from_one(struct work *work, int64_t deadline_ns, bool *done,
                                       cachekit_error *error)
{
    cachekit_status result = CACHEKIT_OK;
    for (size_t first = 0, count; first < work->count; first += count) {
        count = collect(work, first);
        if (count == 0) {
            return no_memory(error);
        }
        cachekit_status status =
            unlink_now(work, first, count, deadline_ns, result == CACHEKIT_OK ? error : NULL);
        mark_done(work, first, count, status, done);
        result = result == CACHEKIT_OK ? status : result;
    }
    return result;
}

// Commands for one node, one behind the other, and which keys each is of.
struct pipe {
    struct cki_batch batch;
    size_t first[PIPE_MAX];
    struct cki_asked asked[PIPE_MAX];
    cachekit_buffer commands;
};

static bool add_command(struct pipe *pipe, const struct work *work, size_t first, size_t count)
{
    cachekit_slice bytes;
    const struct cki_command command = unlink_command(work, first, count);
    if (cki_format(&command, &bytes, NULL) != CACHEKIT_OK) {
        return false;
    }
    bool added = cachekit_buffer_append(&pipe->commands, bytes.data, bytes.len) == CACHEKIT_OK;
    cki_unformat(bytes);
    pipe->first[pipe->batch.count] = first;
    pipe->asked[pipe->batch.count++] = (struct cki_asked){.most = (int64_t)count};
    return added;
}

// Where the next pipe begins; 0 without memory.
static size_t fill_pipe(struct pipe *pipe, struct work *work, size_t first)
{
    pipe->batch.node = cki_cluster_owner(work->self, work->order[first].slot);
    pipe->batch.count = 0;
    pipe->commands.len = 0;
    while (first < work->count && pipe->batch.count < PIPE_MAX &&
           pipe->commands.len < PIPE_BYTES_MAX &&
           cki_cluster_owner(work->self, work->order[first].slot) == pipe->batch.node) {
        size_t count = collect(work, first);
        if (count == 0 || !add_command(pipe, work, first, count)) {
            return 0;
        }
        first += count;
    }
    return first;
}

// Asks all, and those that were sent on once more by themselves.
static cachekit_status empty_pipe(struct pipe *pipe, struct work *work, int64_t deadline_ns,
                                  bool *done, cachekit_error *error)
{
    cachekit_status result = CACHEKIT_OK;
    pipe->batch.commands = (cachekit_slice){pipe->commands.data, pipe->commands.len};
    pipe->batch.asked = pipe->asked;
    (void)cki_ask_batch(work->self, &pipe->batch, deadline_ns, error);
    for (size_t i = 0; i < pipe->batch.count; i++) {
        cachekit_status status = pipe->asked[i].status;
        size_t count = (size_t)pipe->asked[i].most;
        if (pipe->asked[i].is_sent_on) {
            status = collect(work, pipe->first[i]) == count
                         ? unlink_now(work, pipe->first[i], count, deadline_ns, error)
                         : no_memory(error);
        }
        mark_done(work, pipe->first[i], count, status, done);
        result = result == CACHEKIT_OK ? status : result;
    }
    if (result != CACHEKIT_OK) {
        cki_cluster_doubt(work->self);
    }
    return result;
}

static cachekit_status remove_from_cluster(struct work *work, int64_t deadline_ns, bool *done,
                                           cachekit_error *error)
{
    struct pipe pipe;
    cachekit_error of_pipe;
    cachekit_status result = cki_cluster_ready(work->self, deadline_ns, error);
    if (result != CACHEKIT_OK) {
        return result;
    }
    cachekit_buffer_init(&pipe.commands, work->self->allocator);
    for (size_t first = 0; first < work->count;) {
        first = fill_pipe(&pipe, work, first);
        if (first == 0) {
            result = no_memory(error);
            break;
        }
        cachekit_status status = empty_pipe(&pipe, work, deadline_ns, done, &of_pipe);
        if (result == CACHEKIT_OK && status != CACHEKIT_OK) {
            result = cki_fail(error, status, 0, "redis: %s", cachekit_status_text(status));
        }
    }
    cachekit_buffer_release(&pipe.commands);
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
        status = work.self->slots != NULL ? remove_from_cluster(&work, deadline_ns, done, error)
                                          : remove_from_one(&work, deadline_ns, done, error);
    }
    release(&work);
    return status;
}
