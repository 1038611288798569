// SPDX-License-Identifier: MIT
// Small histories of one key: three threads, five operations each, and the question whether one
// order of all of them, each somewhere between its begin and its end, explains every answer.
// Usage: race_linear [HISTORIES [SEED]]
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cachekit/cachekit.h>

#include "draw.h"

enum { THREADS = 3, OPS = 5, VALUES = THREADS * OPS + 1 };
enum kind { PUT, GET, REMOVE };

struct operation {
    enum kind kind;
    uint64_t begin, end;
    unsigned value; // of a put; what a get found; of a remove 1: there was one. 0: none
};

static struct {
    cachekit_cache *cache;
    struct operation ops[THREADS][OPS];
    atomic_uint arrived, turn;
    _Atomic uint64_t stamps;
    unsigned histories;
    uint64_t seed;
    char objects[VALUES];
    atomic_bool failed;
} all;

static _Thread_local uint64_t random_state;

static uint64_t draw(uint64_t below)
{
    return draw_from(&random_state, below);
}

void cki_yield(void);
void cki_yield(void)
{
    if (draw(16) == 0) {
        (void)sched_yield();
    }
}

static cachekit_slice key(void)
{
    return (cachekit_slice){(const uint8_t *)"the key", 7};
}

static unsigned perform(enum kind kind, unsigned value)
{
    cachekit_hit hit;
    unsigned found = 0;
    switch (kind) {
    case PUT:
        if (cachekit_put(all.cache, key(), &all.objects[value], 1, NULL, NULL, 300000) !=
            CACHEKIT_OK) {
            atomic_store(&all.failed, true);
        }
        return value;
    case GET:
        if (cachekit_get(all.cache, key(), &hit) == CACHEKIT_OK) {
            found = (unsigned)((const char *)hit.object - all.objects);
            cachekit_release(&hit);
        }
        return found;
    default:
        return cachekit_remove(all.cache, key()) == CACHEKIT_OK;
    }
}

static void operate(unsigned thread)
{
    for (unsigned i = 0; i < OPS; i++) {
        struct operation *op = &all.ops[thread][i];
        uint64_t kind = draw(10);
        op->kind = kind < 3 ? PUT : kind < 8 ? GET : REMOVE;
        op->value = 1 + thread * OPS + i;
        op->begin = atomic_fetch_add(&all.stamps, 1);
        op->value = perform(op->kind, op->value);
        op->end = atomic_fetch_add(&all.stamps, 1);
    }
}

// All wait for all; returns in turn `turn + 1`.
static void meet(unsigned *turn)
{
    if (atomic_fetch_add(&all.arrived, 1) + 1 == THREADS) {
        atomic_store(&all.arrived, 0);
        atomic_fetch_add(&all.turn, 1);
    }
    while (atomic_load(&all.turn) == *turn) {
        (void)sched_yield();
    }
    ++*turn;
}

// May the operation be the next, with `now` stored? Then `*next` is stored after it.
static int explains(const struct operation *op, unsigned now, unsigned *next)
{
    *next = op->kind == PUT ? op->value : op->kind == GET ? now : 0;
    return op->kind == PUT || (op->kind == GET ? op->value == now : op->value == (now != 0));
}

static unsigned char seen[OPS + 1][OPS + 1][OPS + 1][VALUES];

// Is there an order for what is left after `done` operations of each thread?
static int has_order(const unsigned done[THREADS], unsigned now)
{
    unsigned char *known = &seen[done[0]][done[1]][done[2]][now];
    uint64_t first_end = UINT64_MAX;
    int left = 0;
    if (*known != 0) {
        return 0;
    }
    *known = 1;
    for (unsigned t = 0; t < THREADS; t++) {
        if (done[t] < OPS) {
            left = 1;
            first_end = all.ops[t][done[t]].end < first_end ? all.ops[t][done[t]].end : first_end;
        }
    }
    for (unsigned t = 0; t < THREADS; t++) {
        unsigned after[THREADS], next;
        memcpy(after, done, sizeof after);
        if (done[t] == OPS || all.ops[t][done[t]].begin > first_end ||
            !explains(&all.ops[t][done[t]], now, &next)) {
            continue;
        }
        after[t]++;
        if (has_order(after, next)) {
            return 1;
        }
    }
    return !left;
}

static void judge(unsigned history)
{
    static const char *const names[] = {"put", "get", "remove"};
    const unsigned none[THREADS] = {0};
    memset(seen, 0, sizeof seen);
    if (has_order(none, 0)) {
        return;
    }
    atomic_store(&all.failed, true);
    fprintf(stderr, "race_linear: history %u of seed %" PRIu64 " has no order:\n", history,
            all.seed);
    for (unsigned t = 0; t < THREADS; t++) {
        for (unsigned i = 0; i < OPS; i++) {
            const struct operation *op = &all.ops[t][i];
            fprintf(stderr, "  thread %u: [%" PRIu64 ", %" PRIu64 "] %s %u\n", t, op->begin,
                    op->end, names[op->kind], op->value);
        }
    }
}

static void *run(void *arg)
{
    unsigned thread = *(const unsigned *)arg, turn = 0;
    random_state = all.seed * THREADS + thread;
    for (unsigned history = 0; history < all.histories; history++) {
        if (thread == 0) {
            (void)cachekit_remove(all.cache, key());
        }
        meet(&turn);
        operate(thread);
        meet(&turn);
        if (thread == 0) {
            judge(history);
        }
    }
    return NULL;
}

// The judge must be able to say no.
static int judge_bites(void)
{
    static const struct operation lie[] = {
        {PUT, 0, 1, 1}, {REMOVE, 2, 3, 1}, {GET, 4, 5, 1}, {GET, 6, 7, 0}, {GET, 8, 9, 0}};
    const unsigned none[THREADS] = {0};
    for (unsigned t = 0; t < THREADS; t++) {
        for (unsigned i = 0; i < OPS; i++) {
            all.ops[t][i] = (struct operation){GET, 100, 200, 0};
        }
    }
    memcpy(all.ops[0], lie, sizeof lie);
    int denied = !has_order(none, 0);
    memset(seen, 0, sizeof seen);
    all.ops[0][2].value = 0;
    return denied && has_order(none, 0);
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    unsigned numbers[THREADS];
    all.histories = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 20000;
    all.seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    if (!judge_bites()) {
        fprintf(stderr, "race_linear: the judge believes anything\n");
        return 2;
    }
    if (cachekit_cache_new(NULL, &all.cache, NULL) != CACHEKIT_OK) {
        return 2;
    }
    for (unsigned i = 0; i < THREADS; i++) {
        numbers[i] = i;
        if (pthread_create(&threads[i], NULL, run, &numbers[i]) != 0) {
            return 2;
        }
    }
    for (unsigned i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    printf("seed %" PRIu64 ": %u histories\n", all.seed, all.histories);
    return cachekit_cache_free(all.cache) != CACHEKIT_OK || atomic_load(&all.failed);
}
