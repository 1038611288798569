// SPDX-License-Identifier: MIT
// Cells of threads, and their sums. A thread writes its own cells without a lock; others read them
// under the registry's, which also keeps a thread from ending and a metrics struct from going while
// they do.
#include "call/metrics.h"

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"

enum { FIRST_ROOM = 8, L1_HIT_NS = 1000 };

static struct cki_metric_thread nobody;
_Thread_local struct cki_metric_thread *cki_metric_thread
    __attribute__((tls_model("initial-exec"))) = &nobody;

static struct {
    pthread_mutex_t lock;
    pthread_once_t once;
    pthread_key_t key;
    bool has_key;
    struct cki_metric_thread *threads;
    struct cki_metrics *first;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};

void cki_metrics_lock(void)
{
    (void)pthread_mutex_lock(&registry.lock);
}

void cki_metrics_unlock(void)
{
    (void)pthread_mutex_unlock(&registry.lock);
}

const struct cki_metrics *cki_metrics_first_locked(void)
{
    return registry.first;
}

static struct cki_metric_cells *cells_of(const struct cki_metric_thread *thread,
                                         const struct cki_metrics *metrics)
{
    return metrics->number < thread->room ? thread->cells[metrics->number] : NULL;
}

// A hit in memory is counted once and stands for three: a get, in the first bucket, of 0.001 ms.
static void add_cells(const struct cki_metric_cells *cells,
                      struct cki_counts counts[CKI_OPERATIONS][CKI_TIERS])
{
    for (int o = 0; o < CKI_OPERATIONS; o++) {
        for (int t = 0; t < CKI_TIERS; t++) {
            uint64_t *to = (uint64_t *)(void *)&counts[o][t];
            for (size_t i = 0; i < CKI_CELLS; i++) {
                to[i] += atomic_load_explicit(&cells->cells[o][t][i], memory_order_relaxed);
            }
        }
    }
    uint64_t hits = atomic_load_explicit(&cells->l1_hits, memory_order_relaxed);
    struct cki_counts *l1 = &counts[CKI_GET][CKI_TIER_L1];
    l1->succeeded[true] += hits;
    l1->durations[0] += hits;
    l1->duration_ns += hits * L1_HIT_NS;
}

static void unlink_locked(struct cki_metric_thread *thread)
{
    *(thread->prev != NULL ? &thread->prev->next : &registry.threads) = thread->next;
    if (thread->next != NULL) {
        thread->next->prev = thread->prev;
    }
}

static void free_thread(struct cki_metric_thread *thread)
{
    for (size_t i = 0; i < thread->room; i++) {
        cki_free(NULL, thread->cells[i], sizeof *thread->cells[i]);
    }
    cki_free(NULL, (void *)thread->cells, thread->room * sizeof *thread->cells);
    cki_free(NULL, thread, sizeof *thread);
}

// Destructors of other thread-specific values may count once more: they get cells anew.
static void thread_ended(void *ended)
{
    struct cki_metric_thread *thread = ended;
    cki_metric_thread = &nobody;
    cki_metrics_lock();
    for (struct cki_metrics *m = registry.first; m != NULL; m = m->next) {
        const struct cki_metric_cells *cells = cells_of(thread, m);
        if (cells != NULL) {
            add_cells(cells, m->base);
        }
    }
    unlink_locked(thread);
    cki_metrics_unlock();
    free_thread(thread);
}

static void make_key(void)
{
    registry.has_key = pthread_key_create(&registry.key, thread_ended) == 0;
}

// The calling thread's struct, in the list; NULL: no memory.
static struct cki_metric_thread *thread_locked(void)
{
    if (cki_metric_thread != &nobody) {
        return cki_metric_thread;
    }
    struct cki_metric_thread *thread = registry.has_key ? cki_alloc(NULL, sizeof *thread) : NULL;
    if (thread == NULL || pthread_setspecific(registry.key, thread) != 0) {
        cki_free(NULL, thread, sizeof *thread);
        return NULL;
    }
    *thread = (struct cki_metric_thread){.next = registry.threads};
    if (registry.threads != NULL) {
        registry.threads->prev = thread;
    }
    registry.threads = thread;
    cki_metric_thread = thread;
    return thread;
}

static bool make_room_locked(struct cki_metric_thread *thread, size_t number)
{
    size_t room = thread->room != 0 ? thread->room : FIRST_ROOM;
    while (room <= number) {
        room *= 2;
    }
    if (room == thread->room) {
        return true;
    }
    struct cki_metric_cells **cells =
        cki_resize(NULL, (void *)thread->cells, thread->room * sizeof *cells, room * sizeof *cells);
    if (cells == NULL) {
        return false;
    }
    for (size_t i = thread->room; i < room; i++) {
        cells[i] = NULL;
    }
    thread->cells = cells;
    thread->room = room;
    return true;
}

struct cki_metric_cells *cki_metric_cells_make(struct cki_metrics *metrics)
{
    struct cki_metric_cells *cells = NULL;
    (void)pthread_once(&registry.once, make_key);
    cki_metrics_lock();
    struct cki_metric_thread *thread = thread_locked();
    if (thread != NULL && make_room_locked(thread, metrics->number)) {
        cells = cki_alloc_line(sizeof *cells);
        if (cells != NULL) {
            memset(cells, 0, sizeof *cells);
            thread->cells[metrics->number] = cells;
        }
    }
    cki_metrics_unlock();
    return cells;
}

static size_t free_number_locked(void)
{
    size_t number = 0;
    for (const struct cki_metrics *m = registry.first; m != NULL;) {
        bool is_taken = m->number == number;
        number += is_taken;
        m = is_taken ? registry.first : m->next;
    }
    return number;
}

bool cki_metrics_init(struct cki_metrics *metrics, const char *name_space)
{
    size_t len = strlen(name_space);
    memset(metrics, 0, sizeof *metrics);
    if (len > CKI_NAMESPACE_MAX) {
        return false;
    }
    memcpy(metrics->name_space, name_space, len);
    cki_metrics_lock();
    metrics->number = free_number_locked();
    struct cki_metrics **at = &registry.first;
    while (*at != NULL && strcmp((*at)->name_space, name_space) < 0) {
        at = &(*at)->next;
    }
    metrics->next = *at;
    *at = metrics;
    cki_metrics_unlock();
    return true;
}

void cki_metrics_release(struct cki_metrics *metrics)
{
    cki_metrics_lock();
    struct cki_metrics **at = &registry.first;
    while (*at != metrics) {
        at = &(*at)->next;
    }
    *at = metrics->next;
    for (struct cki_metric_thread *t = registry.threads; t != NULL; t = t->next) {
        if (metrics->number < t->room) {
            cki_free(NULL, t->cells[metrics->number], sizeof **t->cells);
            t->cells[metrics->number] = NULL;
        }
    }
    cki_metrics_unlock();
}

static void clear_own(struct cki_metric_thread *thread)
{
    thread->prev = thread->next = NULL;
    for (size_t i = 0; i < thread->room; i++) {
        if (thread->cells[i] != NULL) {
            memset(thread->cells[i], 0, sizeof *thread->cells[i]);
        }
    }
}

// Cells of the parent's other threads are left where they are: nobody counts or reads them.
void cki_metrics_forked(void)
{
    (void)pthread_mutex_init(&registry.lock, NULL);
    registry.threads = NULL;
    if (cki_metric_thread != &nobody) {
        registry.threads = cki_metric_thread;
        clear_own(cki_metric_thread);
    }
    for (struct cki_metrics *m = registry.first; m != NULL; m = m->next) {
        memset(m->base, 0, sizeof m->base);
        memset(m->decrypt_failures, 0, sizeof m->decrypt_failures);
        memset(m->breakers, 0, sizeof m->breakers);
        atomic_store(&m->drift_reads, 0);
        atomic_store(&m->rejected, 0);
    }
}

// Bounds are inclusive, in nanoseconds and bytes.
static size_t duration_bucket(int64_t ns)
{
    static const int64_t bounds[CKI_DURATIONS] = {
        10000,    50000,    100000,   500000,    1000000,   2500000,   5000000,
        10000000, 25000000, 50000000, 100000000, 250000000, 500000000, 1000000000};
    size_t i = 0;
    while (i < CKI_DURATIONS && ns > bounds[i]) {
        i++;
    }
    return i;
}

static size_t size_bucket(size_t bytes)
{
    size_t i = 0;
    for (uint64_t bound = 16; i < CKI_SIZES && bytes > bound; bound *= 4) {
        i++;
    }
    return i;
}

void cki_metrics_count(struct cki_metrics *metrics, const struct cki_operation_done *done)
{
    struct cki_metric_cells *cells = cki_metric_cells_of(metrics);
    if (cells == NULL) {
        return;
    }
    _Atomic uint64_t *to = cells->cells[done->operation][done->tier];
#define CELL(member) (&to[offsetof(struct cki_counts, member) / sizeof(uint64_t)])
    cki_cell_add(CELL(succeeded) + (done->succeeded ? 1 : 0), 1);
    if (done->duration_ns > 0) {
        cki_cell_add(CELL(durations) + duration_bucket(done->duration_ns), 1);
        cki_cell_add(CELL(duration_ns), (uint64_t)done->duration_ns);
    }
    if (done->size_bytes > 0) {
        cki_cell_add(CELL(sizes) + size_bucket(done->size_bytes), 1);
        cki_cell_add(CELL(size_bytes), done->size_bytes);
    }
#undef CELL
}

void cki_metrics_add_locked(const struct cki_metrics *metrics,
                            struct cki_counts counts[CKI_OPERATIONS][CKI_TIERS])
{
    for (int o = 0; o < CKI_OPERATIONS; o++) {
        for (int t = 0; t < CKI_TIERS; t++) {
            const uint64_t *from = (const uint64_t *)(const void *)&metrics->base[o][t];
            uint64_t *to = (uint64_t *)(void *)&counts[o][t];
            for (size_t i = 0; i < CKI_CELLS; i++) {
                to[i] += from[i];
            }
        }
    }
    for (const struct cki_metric_thread *t = registry.threads; t != NULL; t = t->next) {
        const struct cki_metric_cells *cells = cells_of(t, metrics);
        if (cells != NULL) {
            add_cells(cells, counts);
        }
    }
}

void cki_metrics_sum(struct cki_metrics *metrics, enum cki_operation operation, enum cki_tier tier,
                     struct cki_counts *counts)
{
    struct cki_counts all[CKI_OPERATIONS][CKI_TIERS] = {0};
    cki_metrics_lock();
    cki_metrics_add_locked(metrics, all);
    cki_metrics_unlock();
    *counts = all[operation][tier];
}
