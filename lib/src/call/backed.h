// SPDX-License-Identifier: MIT
// Functions of a cache with a backend: their results as stored bytes, in memory and behind it.
#ifndef CKI_BACKED_H
#define CKI_BACKED_H

#include <stdatomic.h>
#include <stdbool.h>

#include <cachekit/backend.h>

#include "call/backpressure.h"
#include "call/breaker.h"
#include "call/cache.h"
#include "call/codec.h"
#include "call/metrics.h"
#include "call/reply.h"
#include "key/protocol_key.h"
#include "memory/byte_owner.h"

// When the log was last told of something, and how often it was not since.
struct cki_told {
    _Atomic int64_t at_ns;
    _Atomic uint64_t untold;
};

// How deep values get in the stack: their reader holds 16 KiB of it, the writer of JSON 32.
enum { CKI_PAGES_OF_SECRETS = 10 };

struct cki_backed {
    struct cachekit_function *function;
    cachekit_backend *backend;
    struct cki_byte_cache *bytes; // of the cache
    struct cki_auto_name auto_name;
    char prefix[CKI_INTEROP_PREFIX_ROOM];
    size_t prefix_len;
    struct cki_owner *owner; // of all functions of that name
    struct cki_codec codec;
    struct cki_replies replies;
    struct cki_metrics *metrics; // NULL: operations are not counted
    struct cki_metrics *alarms;  // the same, never NULL: what is counted whatever the options say
    struct cki_breaker breaker;
    struct cki_backpressure pressure;
    bool has_breaker, has_pressure, uses_memory, is_fail_closed, uses_lock;
    int64_t ttl_ms, deadline_ms, lock_hold_ms, lock_wait_ms;
    double jitter;
    size_t value_max_bytes;
    struct cki_told told[2];   // warnings, errors
    atomic_bool is_locked_out; // the backend refuses our credentials, and the log knows
    char gap[64];              // counters that all write, and what all read
    _Atomic uint64_t draws, l1_hits, l2_hits, joined, misses, stored, refused, failures, skipped,
        corrupt, unauthentic, unkeyed, too_large, unstored, asked, asked_ns;
};

// Is an optional function of a backend there? Those of another version may end before it.
#define cki_backend_has(backend, member)                                                           \
    ((backend)->ops->size >= offsetof(cachekit_backend_ops, member) + sizeof(void *) &&            \
     (backend)->ops->member != NULL)

static inline void cki_count(_Atomic uint64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

// Options by name. The first fills in defaults.
CACHEKIT_MUST_CHECK cachekit_status cki_backed_check(const cachekit_cache *cache,
                                                     cachekit_function_options *options,
                                                     cachekit_error *error);
CACHEKIT_MUST_CHECK cachekit_status cki_local_check(const cachekit_function_options *options,
                                                    cachekit_error *error);

// Makes what a function with a backend has besides, from options that were checked.
CACHEKIT_MUST_CHECK cachekit_status cki_backed_new(cachekit_function *function,
                                                   const cachekit_function_options *options,
                                                   cachekit_error *error);
void cki_backed_free(struct cki_backed *backed);
bool cki_backed_is_busy(const struct cki_backed *backed); // handles are out
void cki_backed_forked(struct cki_backed *backed);

// The public functions of that name; arguments are checked by these, `hit` is empty.
cachekit_status cki_backed_call(cachekit_function *function, const cachekit_arg *args, size_t count,
                                cachekit_hit *hit, cachekit_error *error);
cachekit_status cki_backed_peek(cachekit_function *function, const cachekit_arg *args, size_t count,
                                cachekit_hit *hit, cachekit_error *error);
cachekit_status cki_backed_invalidate(cachekit_function *function, const cachekit_arg *args,
                                      size_t count);
cachekit_status cki_backed_invalidate_all(cachekit_function *function);
void cki_backed_info(struct cki_backed *backed, cachekit_info_data *out);

// Asks the backend again to remove what it did not.
void cki_backed_settle(struct cki_backed *backed);

// The key of a call, NUL-terminated in `text`.
cachekit_status cki_backed_key(const struct cki_backed *backed, const cachekit_arg *args,
                               size_t count, char *text, cachekit_error *error);

#endif
