// SPDX-License-Identifier: MIT
// The same lookups through us and through what C programmers use today: one and two threads, Zipf
// 0.99 over 10,000 keys and one hot key, contenders in turn. A figure is the best of many short
// slices, so that a machine with other work shows it less: with two threads from the first begin to
// the last end. It prints ratios and judges nothing. Usage: ck-compare [ROUNDS]
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compare/peers.h"

enum { LOOKUPS = 25000, SLICES = 100, SEQUENCE = 1 << 16, PEERS_MAX = 20 };

uint64_t peer_values[PEER_KEYS];
char peer_texts[PEER_KEYS][PEER_TEXT + 1];

static uint32_t zipf[SEQUENCE];
static const uint32_t hot[SEQUENCE];

static uint64_t draw(void)
{
    static uint64_t state = 42;
    state += 0x9e3779b97f4a7c15U;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

static void make_keys(void)
{
    static double sums[PEER_KEYS];
    double sum = 0;
    for (uint32_t i = 0; i < PEER_KEYS; i++) {
        peer_values[i] = i + 1;
        (void)snprintf(peer_texts[i], sizeof peer_texts[i], "user:profile:%011u", i);
        sum += 1 / pow(i + 1, 0.99);
        sums[i] = sum;
    }
    for (int i = 0; i < SEQUENCE; i++) {
        double at = (double)(draw() >> 11) * 0x1p-53 * sum;
        uint32_t low = 0, high = PEER_KEYS - 1;
        while (low < high) {
            uint32_t middle = (low + high) / 2;
            if (sums[middle] < at) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        zipf[i] = low * 7919 % PEER_KEYS;
    }
}

static double now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

struct runner {
    pthread_t id;
    const peer *peer;
    const uint32_t *sequence;
    pthread_barrier_t *start;
    unsigned offset;
    uint64_t sum;
    double begin[SLICES], end[SLICES];
};

static void *run(void *arg)
{
    struct runner *r = arg;
    if (r->peer->enter != NULL) {
        r->peer->enter();
    }
    for (unsigned slice = 0; slice < SLICES; slice++) {
        unsigned offset = r->offset + slice * LOOKUPS;
        (void)pthread_barrier_wait(r->start);
        r->begin[slice] = now_ns();
        for (unsigned i = 0; i < LOOKUPS; i++) {
            r->sum += r->peer->get(r->sequence[(i + offset) % SEQUENCE]);
        }
        r->end[slice] = now_ns();
    }
    if (r->peer->leave != NULL) {
        r->peer->leave();
    }
    return NULL;
}

static double best_slice(const struct runner *runners, unsigned threads)
{
    double best = 1e300;
    for (unsigned slice = 0; slice < SLICES; slice++) {
        double begin = 1e300, end = 0;
        for (unsigned i = 0; i < threads; i++) {
            begin = runners[i].begin[slice] < begin ? runners[i].begin[slice] : begin;
            end = runners[i].end[slice] > end ? runners[i].end[slice] : end;
        }
        best = end - begin < best ? end - begin : best;
    }
    return best;
}

// Nanoseconds a lookup, of all threads together.
static double measure(const peer *p, const uint32_t *sequence, unsigned threads)
{
    static struct runner runners[2];
    pthread_barrier_t start;
    (void)pthread_barrier_init(&start, NULL, threads);
    memset(runners, 0, sizeof runners);
    for (unsigned i = 0; i < threads; i++) {
        runners[i].peer = p;
        runners[i].sequence = sequence;
        runners[i].start = &start;
        runners[i].offset = i * 31337;
        if (pthread_create(&runners[i].id, NULL, run, &runners[i]) != 0) {
            abort();
        }
    }
    for (unsigned i = 0; i < threads; i++) {
        (void)pthread_join(runners[i].id, NULL);
        if (runners[i].sum == 0) {
            abort();
        }
    }
    (void)pthread_barrier_destroy(&start);
    return best_slice(runners, threads) / LOOKUPS / threads;
}

struct figures {
    double zipf_one, zipf_two, hot_one, hot_two;
};

static void lower(double *best, double value)
{
    *best = value < *best ? value : *best;
}

static void measure_all(const peer *p, struct figures *best)
{
    lower(&best->zipf_one, measure(p, zipf, 1));
    lower(&best->zipf_two, measure(p, zipf, 2));
    lower(&best->hot_one, measure(p, hot, 1));
    lower(&best->hot_two, measure(p, hot, 2));
}

static void compare(const char *kind, int rounds)
{
    static const peer *const lists[] = {peers_cachekit, peers_ck, peers_urcu, peers_uthash,
                                        peers_glib};
    const peer *all[PEERS_MAX];
    struct figures best[PEERS_MAX];
    int count = 0;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        for (const peer *p = lists[i]; p->name != NULL; p++) {
            if (strcmp(p->kind, kind) == 0) {
                best[count] = (struct figures){1e9, 1e9, 1e9, 1e9};
                all[count++] = p;
            }
        }
    }
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < count; i++) {
            if (!all[i]->open()) {
                abort();
            }
            measure_all(all[i], &best[i]);
            all[i]->close();
        }
    }
    for (int i = 0; i < count; i++) {
        const struct figures *f = &best[i];
        printf("%-5s %-20s %8.1f %8.1f %8.1f %8.2f %10.2f\n", kind, all[i]->name, f->zipf_one,
               f->zipf_two, f->hot_one, f->hot_one / f->hot_two, best[0].zipf_one / f->zipf_one);
    }
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 5;
    make_keys();
    printf("%-5s %-20s %8s %8s %8s %8s %10s\n", "", "ns per lookup", "zipf", "zipf x2", "hot key",
           "x2/x1", "we/it");
    compare("int", rounds);
    compare("text", rounds);
    compare("key", rounds);
    report_sweep();
    report_writer();
    return 0;
}
