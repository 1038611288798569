// SPDX-License-Identifier: MIT
// A reply that goes back to its pool keeps its buffers and its arena's largest block, unless they
// have grown beyond what is worth keeping.
#include "call/reply.h"

#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/wipe.h"
#include "call/fork.h"

enum { KEPT_BYTES_MAX = 1 << 20 };

static _Thread_local unsigned number __attribute__((tls_model("initial-exec"))); // 0: none yet

static struct cki_shelf *shelf_of(struct cki_replies *pool)
{
    static atomic_uint threads;
    if (__builtin_expect(number == 0, 0)) {
        number = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) % CKI_SHELVES + 1;
    }
    return &pool->shelves[number - 1];
}

bool cki_replies_init(struct cki_replies *pool, const cachekit_function_options *options,
                      const cachekit_allocator *allocator, bool are_secret)
{
    memset(pool, 0, sizeof *pool);
    pool->allocator = allocator;
    cki_wiping_init(&pool->wiping, allocator);
    pool->inner = are_secret ? &pool->wiping.hooks : allocator;
    pool->destroy = options->destroy;
    pool->destroy_context = options->destroy_context;
    pool->are_secret = are_secret;
    return pthread_mutex_init(&pool->lock, NULL) == 0;
}

static void free_reply(struct cki_replies *pool, struct cki_reply *reply)
{
    cachekit_arena_release(&reply->arena);
    cachekit_buffer_release(&reply->stored);
    cachekit_buffer_release(&reply->opened);
    cachekit_buffer_release(&reply->plain);
    cki_free(pool->allocator, reply, sizeof *reply);
}

// While nobody takes: replies that come back can only make the sum less.
bool cki_replies_are_out(const struct cki_replies *pool)
{
    int out = 0;
    for (int i = 0; i < CKI_SHELVES; i++) {
        out += atomic_load_explicit(&pool->shelves[i].out, memory_order_acquire);
    }
    return out != 0;
}

void cki_replies_release(struct cki_replies *pool)
{
    for (int i = 0; i < CKI_SHELVES; i++) {
        struct cki_reply *spare = atomic_load(&pool->shelves[i].spare);
        if (spare != NULL) {
            free_reply(pool, spare);
        }
    }
    while (pool->free != NULL) {
        struct cki_reply *reply = pool->free;
        pool->free = reply->next;
        free_reply(pool, reply);
    }
    (void)pthread_mutex_destroy(&pool->lock);
}

// The list may be half changed: what it held stays allocated in the child.
void cki_replies_forked(struct cki_replies *pool)
{
    (void)pthread_mutex_init(&pool->lock, NULL);
    pool->free = NULL;
    pool->kept = 0;
    for (int i = 0; i < CKI_SHELVES; i++) {
        atomic_store(&pool->shelves[i].spare, NULL);
        atomic_store(&pool->shelves[i].out, 0);
    }
}

static struct cki_reply *make(struct cki_replies *pool)
{
    struct cki_reply *reply = cki_alloc(pool->allocator, sizeof *reply);
    if (reply == NULL) {
        return NULL;
    }
    memset(reply, 0, sizeof *reply);
    reply->pool = pool;
    reply->is_secret = pool->are_secret;
    cachekit_arena_init(&reply->arena, pool->inner, SIZE_MAX);
    cachekit_buffer_init(&reply->stored, pool->allocator);
    cachekit_buffer_init(&reply->opened, pool->inner);
    cachekit_buffer_init(&reply->plain, pool->inner);
    return reply;
}

static struct cki_reply *pop(struct cki_replies *pool)
{
    (void)pthread_mutex_lock(&pool->lock);
    struct cki_reply *reply = pool->free;
    if (reply != NULL) {
        pool->free = reply->next;
        pool->kept--;
    }
    (void)pthread_mutex_unlock(&pool->lock);
    return reply;
}

struct cki_reply *cki_reply_take(struct cki_replies *pool)
{
    struct cki_shelf *shelf = shelf_of(pool);
    struct cki_reply *reply = atomic_exchange_explicit(&shelf->spare, NULL, memory_order_acquire);
    if (reply == NULL && (reply = pop(pool)) == NULL && (reply = make(pool)) == NULL) {
        return NULL;
    }
    reply->forks = cki_forks();
    atomic_store_explicit(&reply->holds, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&shelf->out, 1, memory_order_relaxed);
    return reply;
}

static void wipe_buffers(struct cki_reply *reply)
{
    cki_wipe(reply->opened.data, reply->opened.room);
    cki_wipe(reply->plain.data, reply->plain.room);
}

static void wipe(struct cki_reply *reply)
{
    wipe_buffers(reply);
    cki_arena_wipe(&reply->arena);
}

static void trim(cachekit_buffer *buffer)
{
    buffer->len = 0;
    if (buffer->room > KEPT_BYTES_MAX) {
        cachekit_buffer_release(buffer);
    }
}

void cki_reply_scrub(struct cki_reply *reply)
{
    if (reply->is_secret) {
        wipe_buffers(reply);
    }
    reply->stored.len = reply->opened.len = reply->plain.len = 0;
}

void cki_reply_empty(struct cki_reply *reply)
{
    if (reply->is_secret) {
        wipe(reply);
    }
    cki_block_release(reply->block);
    reply->block = NULL;
    reply->object = NULL;
    reply->size_bytes = 0;
    reply->is_loaded = false;
    reply->root = cachekit_value_nil();
    trim(&reply->stored);
    trim(&reply->opened);
    trim(&reply->plain);
    cachekit_arena_reset(&reply->arena);
    if (reply->arena.reserved > KEPT_BYTES_MAX) {
        cachekit_arena_release(&reply->arena);
    }
}

static bool push(struct cki_replies *pool, struct cki_reply *reply)
{
    (void)pthread_mutex_lock(&pool->lock);
    bool kept = pool->kept < CKI_REPLIES_KEPT;
    if (kept) {
        reply->next = pool->free;
        pool->free = reply;
        pool->kept++;
    }
    (void)pthread_mutex_unlock(&pool->lock);
    return kept;
}

void cki_reply_drop(struct cki_reply *reply)
{
    struct cki_replies *pool = reply->pool;
    if (atomic_fetch_sub_explicit(&reply->holds, 1, memory_order_acq_rel) != 1) {
        return;
    }
    if (reply->forks != cki_forks()) {
        // The parent's: left alone, but for the copy of its secrets.
        if (reply->is_secret) {
            wipe(reply);
        }
        return;
    }
    if (reply->is_loaded && pool->destroy != NULL) {
        pool->destroy((void *)(uintptr_t)reply->object, reply->size_bytes, pool->destroy_context);
    }
    cki_reply_empty(reply);
    struct cki_shelf *shelf = shelf_of(pool);
    struct cki_reply *none = NULL;
    if (!atomic_compare_exchange_strong_explicit(&shelf->spare, &none, reply, memory_order_release,
                                                 memory_order_relaxed) &&
        !push(pool, reply)) {
        free_reply(pool, reply);
    }
    // Last: whoever frees the function waits for none to be out.
    atomic_fetch_sub_explicit(&shelf->out, 1, memory_order_release);
}
