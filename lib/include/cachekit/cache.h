// SPDX-License-Identifier: MIT
#ifndef CACHEKIT_CACHE_H
#define CACHEKIT_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cachekit/allocator.h>
#include <cachekit/arg.h>
#include <cachekit/backend.h>
#include <cachekit/bytes.h>
#include <cachekit/clock.h>
#include <cachekit/entropy.h>
#include <cachekit/status.h>

CACHEKIT_BEGIN_DECLS

/**
 * Function results kept in memory, and behind it in a backend.
 *
 * | function               | locks          | runs your code             | in a forked child |
 * |------------------------|----------------|----------------------------|-------------------|
 * | cachekit_call, hit     | none           | the clock hook             | yes, L1 is empty  |
 * | cachekit_call, miss    | briefly        | loader, destructors, hooks | yes               |
 * | cachekit_get, hit      | none           | the clock hook             | yes, L1 is empty  |
 * | cachekit_release       | none           | nothing                    | yes               |
 * | release, slow one [1]  | briefly        | destructors                | yes               |
 * | with a backend [2]     | briefly [3]    | loader, backend, log       | yes               |
 * | everything else        | briefly        | destructors, listeners     | yes               |
 *
 * [1] Of a value that was not stored, or of a ninth handle of one thread.
 * [2] cachekit_call, cachekit_peek, cachekit_invalidate and cachekit_invalidate_all of functions
 *     with a backend, and cachekit_maintain where the backend did not remove what it should have.
 * [3] And may block on the network, up to `deadline_ms` for each question to the backend.
 *
 * All may be called from any thread. None is async-signal-safe. Your code never runs under a
 * lock, allocator hooks aside: those must not call the library.
 *
 * A child made by fork() starts with empty caches, no lock held and no thread of the library;
 * values of the parent are neither served nor destroyed there, and handles taken before the fork
 * stay readable. After a raw clone() the same is noticed at the first miss or store; a hit is not
 * checked. Handlers of the host's own pthread_atfork() must not call the library.
 */
typedef struct cachekit_cache cachekit_cache;
typedef struct cachekit_function cachekit_function;

/** Who answered a call. */
typedef enum cachekit_layer {
    CACHEKIT_LAYER_L1 = 1,
    CACHEKIT_LAYER_L2 = 2, /* the backend */
    CACHEKIT_LAYER_MISS = 3
} cachekit_layer;

/** Why an entry left the cache. */
typedef enum cachekit_cause {
    CACHEKIT_REPLACED = 0,
    CACHEKIT_EXPIRED = 1,
    CACHEKIT_EVICTED = 2,
    CACHEKIT_INVALIDATED = 3,
    CACHEKIT_CLOSED = 4
} cachekit_cause;

/**
 * Called once for each object that the library took over, when nobody can reach it any more: at the
 * latest with the cache's end, soon after an invalidation, a removal or cachekit_maintain(), and in
 * batches of up to 50 after evictions, expiries and replacements.
 */
typedef void (*cachekit_destroy)(void *object, size_t size_bytes, void *context);

/**
 * Told of each entry that left, once, by the thread that caused it, before the destructor runs. It
 * may call the cache.
 */
typedef void (*cachekit_removed)(void *context, const void *object, size_t size_bytes,
                                 cachekit_cause cause);

/**
 * Who leaves first when nothing is expired. LRU is exact: the least recently used, to the tick of
 * the clock. S3-FIFO keeps what is asked for again and lets pass what is not: it misses less where
 * some keys are far more popular than others, and under scans (test_policy: by a fifth where 5% of
 * the keys fit); it misses more than LRU where popularity moves fast and much of it fits.
 */
typedef enum cachekit_policy { CACHEKIT_LRU = 0, CACHEKIT_S3_FIFO = 1 } cachekit_policy;

/** No end: for ttl_ms. */
#define CACHEKIT_FOREVER_MS INT64_MAX

/** On or off, where another choice can be the default. */
typedef enum cachekit_switch {
    CACHEKIT_DEFAULT = 0,
    CACHEKIT_ON = 1,
    CACHEKIT_OFF = 2
} cachekit_switch;

/** How urgent a line of the log is. */
typedef enum cachekit_log_level {
    CACHEKIT_LOG_WARNING = 1,
    CACHEKIT_LOG_ERROR = 2
} cachekit_log_level;

/** One line without a line end; keys in it are redacted, values and arguments never there. */
typedef void (*cachekit_log)(void *context, cachekit_log_level level, const char *text);

struct cachekit_keyring;

/** Zero in any member means the default. Members are only ever appended. */
typedef struct cachekit_cache_options {
    size_t size; /* set by CACHEKIT_CACHE_OPTIONS_INIT */
    const cachekit_allocator *allocator;
    const cachekit_clock *clock;
    const cachekit_entropy *entropy;
    size_t budget_bytes;      /* of the plain store; default 100 MiB */
    uint32_t entries_max;     /* of the plain store; default none */
    cachekit_removed removed; /* of the plain store */
    void *removed_context;
    /** Not 0: a thread of the library gives expired entries' memory back so often. */
    int64_t maintain_every_ms;
    cachekit_policy policy; /* of the plain store; default CACHEKIT_LRU */

    /** Where functions keep their results besides this process; NULL: nowhere. Borrowed. */
    cachekit_backend *backend;
    /** The keys of functions that encrypt (seal.h). Borrowed. */
    struct cachekit_keyring *keyring;
    /** In front of all keys: copied; up to 255 bytes. Interop functions need one. */
    const char *name_space;
    /**
     * What functions with a backend keep in memory, all together: stored bytes, under the clock of
     * the system that counts suspension, or under `bytes_clock`. Refused without a backend.
     */
    size_t bytes_budget_bytes;  /* default 100 MiB */
    uint32_t bytes_entries_max; /* default none */
    const cachekit_clock *bytes_clock;
    cachekit_log log; /* called by the thread that met the fault, under no lock */
    void *log_context;
    /**
     * Not 0: instead of `clock`, a thread of the library writes the time so often (1 to 100), and a
     * hit reads it with one load. What has expired is served for up to that much longer, and for as
     * long as the machine keeps that thread from running.
     */
    int64_t tick_every_ms;
} cachekit_cache_options;

#define CACHEKIT_CACHE_OPTIONS_INIT                                                                \
    {                                                                                              \
        sizeof(cachekit_cache_options), NULL, NULL, NULL, 0, 0, NULL, NULL, 0, CACHEKIT_LRU, NULL, \
            NULL, NULL, 0, 0, NULL, NULL, NULL, 0                                                  \
    }

/**
 * Fills members that are 0 from the environment, which nothing else here reads:
 * CACHEKIT_L1_MAX_SIZE_MB (mebibytes: bytes_budget_bytes where there is a backend, else
 * budget_bytes) and CACHEKIT_L1_CLEANUP_INTERVAL_SECONDS (maintain_every_ms). Call it with the
 * backend in its place. CACHEKIT_E_CONFIG names a variable that is no number over 0, or
 * CACHEKIT_DEFAULT_TTL, which no SDK accepts: lives are the functions'; nothing is changed then.
 */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status
cachekit_cache_options_from_env(cachekit_cache_options *options, cachekit_error *error);

/**
 * A cache. The options are copied, the hooks they point to are borrowed. CACHEKIT_E_INVALID with
 * the member's name, CACHEKIT_E_NOMEM or CACHEKIT_E_ENTROPY; then `*out` is NULL.
 */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status cachekit_cache_new(
    const cachekit_cache_options *options, cachekit_cache **out, cachekit_error *error);

/**
 * Frees the cache with all its functions and values. Nobody may be calling it. CACHEKIT_E_BUSY:
 * handles are out; the cache is empty and must be freed again once they are back. NULL is allowed.
 */
CACHEKIT_API cachekit_status cachekit_cache_free(cachekit_cache *cache);

/** What a loader produces. */
typedef struct cachekit_result {
    void *object;      /* NULL is a result too */
    size_t size_bytes; /* what it counts against the budget */
} cachekit_result;

/**
 * Computes. `args` live for the call only. Anything but CACHEKIT_OK is a failure: it is handed to
 * every caller that waits for this computation and is never kept; `result` is then ignored. A
 * loader may call the cache, also with its own arguments (that computes again, unshared). It must
 * not leave by longjmp; pthread_exit() and cancellation are noticed, and waiters compute anew.
 */
typedef cachekit_status (*cachekit_loader)(void *context, const cachekit_arg *args, size_t count,
                                           cachekit_result *result, cachekit_error *error);

/** What a function with a backend shares with programs in other languages. */
typedef enum cachekit_wire {
    /**
     * Key by cachekit_key_auto() with the function's name as `module.qualname`; the value in an
     * envelope (JSON: behind its checksum). Other SDKs' containers differ: shared among C programs.
     */
    CACHEKIT_WIRE_AUTO = 0,
    /** Key by cachekit_key_interop() with the name as operation; the value as interop document. */
    CACHEKIT_WIRE_INTEROP = 1
} cachekit_wire;

/** What the objects of a function with a backend are. */
typedef enum cachekit_codec {
    CACHEKIT_CODEC_VALUE = 0, /* a `const cachekit_value *`, stored as MessagePack */
    CACHEKIT_CODEC_JSON = 1,  /* the same, stored as JSON: no bytes, integers of 64 bits */
    CACHEKIT_CODEC_BYTES = 2  /* `size_bytes` bytes of any kind; NULL is no result */
} cachekit_codec;

/** Zero in any member means the default. Members are only ever appended. */
typedef struct cachekit_function_options {
    size_t size;
    int64_t ttl_ms;       /* default 300,000; at least 1; CACHEKIT_FOREVER_MS: no end */
    size_t budget_bytes;  /* default 100 MiB: keys, values, entries, index, what is still held */
    uint32_t entries_max; /* default none */
    cachekit_destroy destroy;
    void *destroy_context;
    cachekit_removed removed;
    void *removed_context;
    /**
     * Recompute in the background once this share of the life is over (0 to 1, 0: never): the hit
     * that notices is served as ever. Calls whose arguments are not all scalars are not refreshed.
     */
    double refresh_ratio;
    int64_t refresh_retry_ms; /* pause after a failed refresh; default 10,000 */
    cachekit_policy policy;   /* default CACHEKIT_LRU */

    /**
     * Objects in this process only, though the cache has a backend. The members above from
     * budget_bytes on, `destroy` aside, are for such functions, those below for the others; who
     * sets one that cannot act is told so.
     */
    bool is_local;
    cachekit_wire wire;
    cachekit_codec codec;
    /** CACHEKIT_ON: values are sealed under the cache's keyring, in memory as well. */
    cachekit_switch encryption;
    cachekit_switch integrity; /* AUTO: a checksum goes with the value; default on. INTEROP: none */
    /**
     * Stored bytes are kept in this process too; default on. They end a second before `ttl_ms`
     * does, so a life of a second is not kept. Bytes that the backend gives late in their life are
     * kept for a whole one: they may be served until twice `ttl_ms` after they were written.
     */
    cachekit_switch memory;
    /**
     * After `breaker_failures` failures within a minute the backend is left alone for
     * `breaker_recovery_ms`, then tried with three questions. Removals are asked all the same.
     */
    cachekit_switch breaker;      /* default on */
    cachekit_switch backpressure; /* default on: at most questions_max questions at once */
    /** Operations are counted for cachekit_metrics_write(); default on. Bytes that did not open,
     * rejections and breakers are counted either way. */
    cachekit_switch metrics;
    /**
     * Bytes of the backend that do not authenticate, or are too short to, fail the call, and stay,
     * rather than being computed anew. Such bytes in memory are dropped, and the backend is asked.
     */
    cachekit_switch fail_closed; /* default off */
    /** One computation among all processes, where the backend has locks. */
    cachekit_switch distributed_lock; /* default off */
    int64_t deadline_ms;              /* of each question to the backend; default 250 */
    int64_t lock_hold_ms;             /* default 30,000 */
    int64_t lock_wait_ms;             /* default 5,000; then computed without the lock */
    size_t value_max_bytes; /* of stored bytes; larger ones are returned and not stored; 100 MiB */
    /** Lives are shortened by up to this share, at random, so that they do not end together (0 to
     * 0.5). */
    double ttl_jitter_ratio;
    /** Not 0: the cache sweeps by itself so often, unless it was made with a time of its own. */
    int64_t maintain_every_ms;
    uint32_t breaker_failures;   /* default 5 */
    int64_t breaker_recovery_ms; /* default 30,000 */
    /** Default 100; up to 1,000 more wait for 100 ms, the rest is computed without the backend. */
    uint32_t questions_max;
} cachekit_function_options;

/**
 * Ready-made options.
 *
 * | preset     | ttl_ms  | [1] | encryption | else            |
 * |------------|---------|-----|------------|-----------------|
 * | minimal    | 300,000 | off | off        |                 |
 * | production | 600,000 | on  | off        | sweeps itself   |
 * | secure     | 600,000 | on  | on         | needs a backend |
 * | test       | 300,000 | off | off        |                 |
 * | local      | 300,000 |     |            | 256 entries     |
 *
 * [1] integrity, metrics, breaker, backpressure.
 */
CACHEKIT_API cachekit_function_options cachekit_preset_minimal(void);
CACHEKIT_API cachekit_function_options cachekit_preset_production(void);
CACHEKIT_API cachekit_function_options cachekit_preset_secure(void);
CACHEKIT_API cachekit_function_options cachekit_preset_test(void);
CACHEKIT_API cachekit_function_options cachekit_preset_local(void);

/**
 * A cached function: `name` is copied (1 to 200 bytes), `context` is handed to the loader.
 * CACHEKIT_E_INVALID names what is wrong. The function belongs to the cache and is freed with it.
 */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status cachekit_function_new(
    cachekit_cache *cache, const char *name, cachekit_loader loader, void *context,
    const cachekit_function_options *options, cachekit_function **out, cachekit_error *error);

/**
 * A result that is held: on the caller's stack, not copied. `object` is valid until released, also
 * when its entry has left the cache meanwhile. Up to eight handles per thread cost nothing; more
 * work and take the lock.
 */
typedef struct cachekit_hit {
    const void *object;
    size_t size_bytes;
    cachekit_layer layer;
    uintptr_t grip; /* private, as the next one */
    void *owner;
} cachekit_hit;

/**
 * The function's result for these arguments: from memory, or computed once however many ask at the
 * same time. A hit allocates nothing, takes no lock and makes no system call. At most 8 scalars of
 * 256 bytes of text in all take the short way; other calls build a key first.
 *
 * CACHEKIT_OK fills `hit`, which must be released. CACHEKIT_E_INVALID, CACHEKIT_E_NOMEM or the
 * loader's own status leave it empty. `args` may be NULL when `count` is 0; `error` may be NULL.
 */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status cachekit_call(cachekit_function *function,
                                                               const cachekit_arg *args,
                                                               size_t count, cachekit_hit *hit,
                                                               cachekit_error *error);

/**
 * What a call would find, in memory and then in the backend, without computing: CACHEKIT_OK or
 * CACHEKIT_MISS; else as cachekit_call(). Functions without a backend: memory alone.
 */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status cachekit_peek(cachekit_function *function,
                                                               const cachekit_arg *args,
                                                               size_t count, cachekit_hit *hit,
                                                               cachekit_error *error);

/** Ends the use of a handle. Legal from any thread; a second release does nothing. */
CACHEKIT_API void cachekit_release(cachekit_hit *hit);

/**
 * Forgets one call, or all: after the return no call of this process serves what was there before.
 * CACHEKIT_MISS is no failure: of one call, nothing was there (with a backend: there).
 *
 * With a backend it is removed there as well; of a whole function, all keys that this process has
 * read or written. What another process is writing at that moment lands, and what it holds in its
 * own memory it serves until its life ends. If the backend fails, its status is returned, memory is
 * empty all the same, and cachekit_maintain(), the next invalidation or the next store tries again;
 * meanwhile what the backend holds under those keys is not read. Keys are remembered in a quarter
 * of the budget of stored bytes. CACHEKIT_E_NOMEM: some of a whole function's had been forgotten;
 * until their lives have ended, the backend is not read for that function. Of one
 * call: there was no memory for its key, and nothing was forgotten.
 */
CACHEKIT_API cachekit_status cachekit_invalidate(cachekit_function *function,
                                                 const cachekit_arg *args, size_t count);
CACHEKIT_API cachekit_status cachekit_invalidate_all(cachekit_function *function);

/** Counters since the function was made. */
typedef struct cachekit_info_data {
    uint64_t hits;   /* calls served without running the loader, joined computations included */
    uint64_t misses; /* runs of the loader for a call */
    uint64_t refreshes, refresh_failures;
    uint64_t stored;
    uint64_t refused;     /* larger than the budget, or than an eighth of the stored bytes' */
    uint64_t unstored;    /* returned and not stored: held values left no room, or no memory */
    uint64_t removals[5]; /* by cachekit_cause */
    size_t entries;
    size_t used_bytes, budget_bytes, overhead_bytes; /* overhead: index and orders, in used_bytes */

    /* Of functions with a backend; entries and bytes above are then those of the whole cache. */
    uint64_t l1_hits, l2_hits; /* hits are their sum and joined computations */
    uint64_t backend_failures; /* questions that it did not answer */
    uint64_t backend_skipped;  /* questions not asked: the breaker was open, or too many at once */
    uint64_t corrupt;          /* stored bytes that were no value: removed, computed anew */
    uint64_t unauthentic;      /* sealed bytes that did not open */
    uint64_t unkeyed;          /* calls computed without a key: arguments that have none */
    uint64_t too_large;        /* results over value_max_bytes */
    double l2_average_us;      /* of reads that the backend was asked for; 0: none was */
} cachekit_info_data;
/** All 0 where the function is NULL. */
CACHEKIT_API void cachekit_info(cachekit_function *function, cachekit_info_data *out);

/**
 * Appends to `out` what the process has counted, of all caches, in Prometheus's text format 0.0.4.
 * CACHEKIT_OK or CACHEKIT_E_NOMEM, then `out` is as it was.
 */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status cachekit_metrics_write(cachekit_buffer *out);

/**
 * The plain store: objects under key bytes (copied; 1 to 2^32 - 1 bytes), no function. put hands
 * `object` over: `destroy` runs exactly once, at once if it was not stored (CACHEKIT_E_TOO_LARGE,
 * CACHEKIT_E_NOMEM, CACHEKIT_E_INVALID).
 */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status
cachekit_put(cachekit_cache *cache, cachekit_slice key, void *object, size_t size_bytes,
             cachekit_destroy destroy, void *destroy_context, int64_t ttl_ms);
/** CACHEKIT_OK fills `hit`, which must be released; CACHEKIT_MISS leaves it empty. */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status cachekit_get(cachekit_cache *cache,
                                                              cachekit_slice key,
                                                              cachekit_hit *hit);
/** CACHEKIT_OK: there was one; CACHEKIT_MISS: none. After the return no get serves it. */
CACHEKIT_API cachekit_status cachekit_remove(cachekit_cache *cache, cachekit_slice key);
CACHEKIT_API void cachekit_store_info(cachekit_cache *cache, cachekit_info_data *out);

/**
 * Gives memory of expired entries back, 128 entries per hold of a lock, for about `max_us`
 * microseconds; 0: one hold for the store and for each function. Returns how many entries went. Of
 * functions with a backend it also asks once more for removals that failed.
 */
CACHEKIT_API size_t cachekit_maintain(cachekit_cache *cache, int64_t max_us);

CACHEKIT_END_DECLS

#endif
