// SPDX-License-Identifier: MIT
// Protection of what a hit handed out: a thread publishes the entry in one of its eight pins, and a
// pinned entry is not freed. Cells of threads are the library's one process-wide registry, with the
// threads' counters beside the pins. Cells are never freed; those of ended threads are used again
// once their pins are empty.
//
// A pin is a sequentially consistent store, then a second look at where the entry was found. The
// one who unlinks stores first and looks at the pins then. One of the two sees the other.
#ifndef CKI_PINS_H
#define CKI_PINS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/entry.h"

enum { CKI_PINS = 8 };

typedef _Atomic(struct cki_entry *) cki_pin;

struct cki_cell {
    _Alignas(64) cki_pin pins[CKI_PINS];
    // Hits by memory number. The owner counts; it changes the array under the registry's lock,
    // under which the others sum.
    _Atomic uint64_t *counters;
    size_t counter_room;
    struct cki_cell *next;
    bool is_owned; // under the registry's lock
};

// The calling thread's cell; before its first slow call one that counts nothing, so that a hit asks
// only for the room of the counters.
extern _Thread_local struct cki_cell *cki_cell __attribute__((tls_model("initial-exec")));
extern struct cki_cell cki_no_cell;

// The thread's cell, made if need be, with room for counter `number`. NULL: out of memory.
struct cki_cell *cki_cell_ready(size_t number);

// A free pin of the cell. False: all eight are in use. Most threads hold nothing.
__attribute__((always_inline)) static inline bool cki_pin_free(struct cki_cell *cell, cki_pin **pin)
{
    *pin = cell->pins;
    if (__builtin_expect(atomic_load_explicit(*pin, memory_order_relaxed) == NULL, 1)) {
        return true;
    }
    while (++*pin < cell->pins + CKI_PINS) {
        if (atomic_load_explicit(*pin, memory_order_relaxed) == NULL) {
            return true;
        }
    }
    return false;
}

// The same of the first two pins only: threads that hold more are few.
__attribute__((always_inline)) static inline bool cki_pin_near(struct cki_cell *cell, cki_pin **pin)
{
    *pin = cell->pins;
    if (__builtin_expect(atomic_load_explicit(*pin, memory_order_relaxed) != NULL, 0)) {
        ++*pin;
        return atomic_load_explicit(*pin, memory_order_relaxed) == NULL;
    }
    return true;
}

// Legal from any thread; readers of the entry happen before whoever frees it.
static inline void cki_pin_release(cki_pin *pin)
{
    atomic_store_explicit(pin, NULL, memory_order_release);
}

__attribute__((always_inline)) static inline void cki_count_hit(struct cki_cell *cell,
                                                                size_t at_bytes)
{
    _Atomic uint64_t *counter = (void *)((char *)cell->counters + at_bytes);
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

// A number for a memory's counters, and what they held before; SIZE_MAX: out of memory.
size_t cki_number_take(uint64_t *baseline);
void cki_number_give(size_t number);
uint64_t cki_number_sum(size_t number);

// Splits a list of unlinked entries into those that no thread pins, which are returned, and the
// others, left in `*list`. Takes no lock, allocates nothing.
struct cki_entry *cki_pins_sift(struct cki_entry **list);

// Held over a fork, so that the child finds the registry whole.
void cki_pins_lock(void);
void cki_pins_unlock(void);

// In a forked child, before anything else runs: the cells of threads that are gone are free once
// their pins are empty.
void cki_pins_forked(void);

#endif
