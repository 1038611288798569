// SPDX-License-Identifier: MIT
// What the caches of the process count for Prometheus: the seven series that all SDKs of CacheKit
// share (prometheus.c writes them). Each thread adds into cells of its own, in lines of its own, by
// relaxed loads and stores; a scrape sums all threads' under the registry's lock, and what a thread
// counted is folded into a base when it ends. Rare events are plain shared counters.
//
// One struct per cache and namespace. Two of the same namespace are one in the dump.
#ifndef CKI_METRICS_H
#define CKI_METRICS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cachekit/bytes.h>
#include <cachekit/status.h>

enum cki_operation { CKI_GET, CKI_SET, CKI_DELETE, CKI_OPERATIONS };
// The label `serializer`: who answered.
enum cki_tier { CKI_TIER_L1, CKI_TIER_L2, CKI_TIER_UNKNOWN, CKI_TIERS };
enum cki_decrypt_failure {
    CKI_AUTH_TAMPER,
    CKI_SUSPICIOUS_ENVELOPE,
    CKI_CORRUPTION,
    CKI_DECRYPT_FAILURES
};

enum { CKI_DURATIONS = 14, CKI_SIZES = 13 }; // bounds of buckets; one more is +Inf
enum { CKI_NAMESPACE_MAX = 255 };

// What a thread, or all of them, counted of one operation and tier.
struct cki_counts {
    uint64_t succeeded[2]; // [false], [true]
    uint64_t durations[CKI_DURATIONS + 1], duration_ns;
    uint64_t sizes[CKI_SIZES + 1], size_bytes;
};
enum { CKI_CELLS = sizeof(struct cki_counts) / sizeof(uint64_t) };

// A thread's cells for one cki_metrics; the layout is that of cki_counts.
struct cki_metric_cells {
    _Alignas(64) _Atomic uint64_t l1_hits; // each stands for several cells, see metrics.c
    _Atomic uint64_t cells[CKI_OPERATIONS][CKI_TIERS][CKI_CELLS];
};

struct cki_metrics {
    char name_space[CKI_NAMESPACE_MAX + 1];
    size_t number; // where threads keep its cells
    struct cki_metrics *next;
    // Under the registry's lock: of threads that have ended.
    struct cki_counts base[CKI_OPERATIONS][CKI_TIERS];
    _Atomic uint64_t decrypt_failures[CKI_DECRYPT_FAILURES][2]; // [0]: l1, [1]: l2
    _Atomic uint64_t drift_reads, rejected;
    _Atomic int64_t breakers[3]; // live ones by state: the gauge of cki_breaker_options
};

// Registers a namespace ("" is one). False: no memory, or the name is too long. The struct must
// stay where it is until it is released; nobody may be counting then.
bool cki_metrics_init(struct cki_metrics *metrics, const char *name_space);
void cki_metrics_release(struct cki_metrics *metrics);

// For the library's fork handlers: the lock is held over a fork (taken last), and the child begins
// at 0 in every cell, gauges too: breakers are to be reset after it.
void cki_metrics_lock(void);
void cki_metrics_unlock(void);
void cki_metrics_forked(void);

// The calling thread's cells by number; a thread that has none yet points to one without room.
struct cki_metric_thread {
    struct cki_metric_cells **cells;
    size_t room;
    struct cki_metric_thread *prev, *next; // under the registry's lock
};
extern _Thread_local struct cki_metric_thread *cki_metric_thread
    __attribute__((tls_model("initial-exec")));

// The slow way: makes the cells. NULL: no memory, and nothing is counted.
struct cki_metric_cells *cki_metric_cells_make(struct cki_metrics *metrics);

static inline struct cki_metric_cells *cki_metric_cells_of(struct cki_metrics *metrics)
{
    const struct cki_metric_thread *thread = cki_metric_thread;
    struct cki_metric_cells *cells =
        metrics->number < thread->room ? thread->cells[metrics->number] : NULL;
    return __builtin_expect(cells != NULL, 1) ? cells : cki_metric_cells_make(metrics);
}

static inline void cki_cell_add(_Atomic uint64_t *cell, uint64_t more)
{
    atomic_store_explicit(cell, atomic_load_explicit(cell, memory_order_relaxed) + more,
                          memory_order_relaxed);
}

// A hit in memory of a function with a backend: a get of tier l1_memory that succeeded within
// 0.001 ms, whatever it took; its size is not observed.
static inline void cki_metrics_l1_hit(struct cki_metrics *metrics)
{
    struct cki_metric_cells *cells = cki_metric_cells_of(metrics);
    if (cells != NULL) {
        cki_cell_add(&cells->l1_hits, 1);
    }
}

struct cki_operation_done {
    enum cki_operation operation;
    enum cki_tier tier;
    bool succeeded;
    int64_t duration_ns; // observed only if more than 0
    size_t size_bytes;   // observed only if more than 0
};
void cki_metrics_count(struct cki_metrics *metrics, const struct cki_operation_done *done);

static inline void cki_metrics_decrypt_failure(struct cki_metrics *metrics,
                                               enum cki_decrypt_failure reason, enum cki_tier tier)
{
    atomic_fetch_add_explicit(&metrics->decrypt_failures[reason][tier != CKI_TIER_L1], 1,
                              memory_order_relaxed);
}

// A read of plain bytes by a function that encrypts, or the like.
static inline void cki_metrics_drift_read(struct cki_metrics *metrics)
{
    atomic_fetch_add_explicit(&metrics->drift_reads, 1, memory_order_relaxed);
}

// A call that found the queue for permits full (not one that waited in vain).
static inline void cki_metrics_rejected(struct cki_metrics *metrics)
{
    atomic_fetch_add_explicit(&metrics->rejected, 1, memory_order_relaxed);
}

// All threads' counts of one operation and tier, for tests and info.
void cki_metrics_sum(struct cki_metrics *metrics, enum cki_operation operation, enum cki_tier tier,
                     struct cki_counts *counts);

// Between metrics.c and prometheus.c, under the lock: all of them, those of a namespace together.
const struct cki_metrics *cki_metrics_first_locked(void);
// Adds all that was counted, all threads' and the base.
void cki_metrics_add_locked(const struct cki_metrics *metrics,
                            struct cki_counts counts[CKI_OPERATIONS][CKI_TIERS]);

#endif
