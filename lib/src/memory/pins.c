// SPDX-License-Identifier: MIT
// The list of cells only grows, at its head, so walking it needs no lock. A thread's end gives its
// cell back with whatever is still pinned: a handle may outlive the thread that took it.
#include "memory/pins.h"

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/yield.h"

enum { FIRST_COUNTERS = 64, GATHER_MAX = 512, NUMBERS_MAX = 1 << 20 };

struct cki_cell cki_no_cell;
_Thread_local struct cki_cell *cki_cell __attribute__((tls_model("initial-exec"))) = &cki_no_cell;

static struct registry {
    pthread_mutex_t lock;
    pthread_once_t once;
    pthread_key_t key;
    bool has_key;
    _Atomic(struct cki_cell *) cells;
    uint8_t *taken; // numbers in use, one byte each
    size_t numbers;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};

// Destructors of other thread-specific values may still call the library: they get a cell anew.
static void thread_ended(void *cell)
{
    cki_cell = &cki_no_cell;
    (void)pthread_mutex_lock(&registry.lock);
    ((struct cki_cell *)cell)->is_owned = false;
    (void)pthread_mutex_unlock(&registry.lock);
}

static void make_key(void)
{
    registry.has_key = pthread_key_create(&registry.key, thread_ended) == 0;
}

static bool is_clean(struct cki_cell *cell)
{
    for (int i = 0; i < CKI_PINS; i++) {
        if (atomic_load(&cell->pins[i]) != NULL) {
            return false;
        }
    }
    return true;
}

static struct cki_cell *reuse_locked(void)
{
    for (struct cki_cell *c = atomic_load(&registry.cells); c != NULL; c = c->next) {
        if (!c->is_owned && is_clean(c)) {
            return c;
        }
    }
    return NULL;
}

static struct cki_cell *add_locked(void)
{
    struct cki_cell *cell = cki_alloc_line(sizeof *cell);
    if (cell != NULL) {
        memset(cell, 0, sizeof *cell);
        cell->next = atomic_load(&registry.cells);
        atomic_store(&registry.cells, cell);
    }
    return cell;
}

// Called by the owner, the one who counts without a lock; those who sum hold the lock.
static bool grow_locked(struct cki_cell *cell, size_t number)
{
    size_t room = cell->counter_room, bigger = room == 0 ? FIRST_COUNTERS : room;
    _Atomic uint64_t *old = cell->counters;
    while (bigger <= number) {
        bigger *= 2;
    }
    if (bigger == room) {
        return true;
    }
    _Atomic uint64_t *counters = cki_alloc(NULL, bigger * sizeof *counters);
    if (counters == NULL) {
        return false;
    }
    for (size_t i = 0; i < bigger; i++) {
        atomic_init(&counters[i], i < room ? atomic_load(&old[i]) : 0);
    }
    cell->counters = counters;
    atomic_signal_fence(memory_order_seq_cst); // a raw clone may see this half done
    cell->counter_room = bigger;
    cki_free(NULL, (void *)old, room * sizeof *old);
    return true;
}

struct cki_cell *cki_cell_ready(size_t number)
{
    (void)pthread_once(&registry.once, make_key);
    (void)pthread_mutex_lock(&registry.lock);
    struct cki_cell *cell = cki_cell != &cki_no_cell ? cki_cell : NULL;
    if (cell == NULL && registry.has_key) {
        cell = reuse_locked();
        cell = cell != NULL ? cell : add_locked();
        if (cell != NULL && pthread_setspecific(registry.key, cell) != 0) {
            cell = NULL;
        }
        if (cell != NULL) {
            cell->is_owned = true;
            cki_cell = cell;
        }
    }
    if (cell != NULL && !grow_locked(cell, number)) {
        cell = NULL;
    }
    (void)pthread_mutex_unlock(&registry.lock);
    return cell;
}

static uint64_t sum_locked(size_t number)
{
    uint64_t sum = 0;
    for (struct cki_cell *c = atomic_load(&registry.cells); c != NULL; c = c->next) {
        if (number < c->counter_room) {
            sum += atomic_load_explicit(&c->counters[number], memory_order_relaxed);
        }
    }
    return sum;
}

uint64_t cki_number_sum(size_t number)
{
    (void)pthread_mutex_lock(&registry.lock);
    uint64_t sum = sum_locked(number);
    (void)pthread_mutex_unlock(&registry.lock);
    return sum;
}

static size_t take_locked(void)
{
    for (size_t i = 0; i < registry.numbers; i++) {
        if (registry.taken[i] == 0) {
            return i;
        }
    }
    size_t bigger = registry.numbers == 0 ? FIRST_COUNTERS : registry.numbers * 2;
    uint8_t *taken =
        bigger > NUMBERS_MAX ? NULL : cki_resize(NULL, registry.taken, registry.numbers, bigger);
    if (taken == NULL) {
        return SIZE_MAX;
    }
    memset(taken + registry.numbers, 0, bigger - registry.numbers);
    registry.taken = taken;
    size_t number = registry.numbers;
    registry.numbers = bigger;
    return number;
}

size_t cki_number_take(uint64_t *baseline)
{
    (void)pthread_mutex_lock(&registry.lock);
    size_t number = take_locked();
    if (number != SIZE_MAX) {
        registry.taken[number] = 1;
        *baseline = sum_locked(number);
    }
    (void)pthread_mutex_unlock(&registry.lock);
    return number;
}

void cki_number_give(size_t number)
{
    (void)pthread_mutex_lock(&registry.lock);
    registry.taken[number] = 0;
    (void)pthread_mutex_unlock(&registry.lock);
}

// What all threads pin right now. A pin that is set later finds its entry unlinked. SIZE_MAX: more
// than the array holds.
static size_t gather(struct cki_entry *pinned[GATHER_MAX])
{
    size_t count = 0;
    for (struct cki_cell *c = atomic_load(&registry.cells); c != NULL; c = c->next) {
        for (int i = 0; i < CKI_PINS; i++) {
            CKI_YIELD();
            struct cki_entry *entry = atomic_load(&c->pins[i]);
            if (entry == NULL) {
                continue;
            }
            if (count == GATHER_MAX) {
                return SIZE_MAX;
            }
            pinned[count++] = entry;
        }
    }
    return count;
}

static bool is_pinned_anywhere(const struct cki_entry *entry)
{
    for (struct cki_cell *c = atomic_load(&registry.cells); c != NULL; c = c->next) {
        for (int i = 0; i < CKI_PINS; i++) {
            if (atomic_load(&c->pins[i]) == entry) {
                return true;
            }
        }
    }
    return false;
}

static bool is_among(const struct cki_entry *entry, struct cki_entry *const *pinned, size_t count)
{
    if (count == SIZE_MAX) {
        return is_pinned_anywhere(entry);
    }
    for (size_t i = 0; i < count; i++) {
        if (pinned[i] == entry) {
            return true;
        }
    }
    return false;
}

struct cki_entry *cki_pins_sift(struct cki_entry **list)
{
    struct cki_entry *pinned[GATHER_MAX];
    size_t count = gather(pinned);
    struct cki_entry *free_ones = NULL, *kept = NULL;
    for (struct cki_entry *e = *list, *next; e != NULL; e = next) {
        next = e->link;
        struct cki_entry **to = is_among(e, pinned, count) ? &kept : &free_ones;
        e->link = *to;
        *to = e;
    }
    *list = kept;
    return free_ones;
}

void cki_pins_lock(void)
{
    (void)pthread_mutex_lock(&registry.lock);
}

void cki_pins_unlock(void)
{
    (void)pthread_mutex_unlock(&registry.lock);
}

// Pins stay: a handle of another thread may have been passed to the one that forked, and its
// release must not empty a pin that somebody else has taken since.
void cki_pins_forked(void)
{
    (void)pthread_mutex_init(&registry.lock, NULL);
    for (struct cki_cell *c = atomic_load(&registry.cells); c != NULL; c = c->next) {
        c->is_owned = c == cki_cell;
    }
}
