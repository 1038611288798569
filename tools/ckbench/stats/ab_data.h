// SPDX-License-Identifier: MIT
// An experiment of arms and cells as data: what measure fills, the record keeps, and ab_judge
// reads. Layer: stats.
#ifndef CKBENCH_AB_DATA_H
#define CKBENCH_AB_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    AB_ARMS_MAX = 16,
    AB_CELLS_MAX = 256,
    AB_BLOCKS_MAX = 100000,
    AB_SAMPLES_MAX = 4000000,
    AB_NAME_ROOM = 65,
    AB_DIGEST_ROOM = 17,
    AB_SETTINGS_ROOM = 512,
    AB_BASE = 0, // the arm that the others are set against
    AB_AA = 1,   // the base once more
    AB_LOOKS = 6,
    AB_CANDIDATES = 2, // the first of the others
};

#define AB_SEED_MAX INT64_C(9007199254740991) // what JSON holds exactly

enum ab_proof {
    AB_IS_BASE,
    AB_PROVEN,   // its setting is known to have taken effect
    AB_UNPROVEN, // nobody can say
};

struct ab_arm {
    char name[AB_NAME_ROOM];
    char settings[AB_SETTINGS_ROOM]; // for people: its variables, or its program
    int64_t injected_ppm;            // so much of the calls of its loops is made up
    enum ab_proof proof;
};

struct ab_cell {
    bool has_phases; // a call can be taken step by step
    char path[AB_NAME_ROOM];
    char shape[AB_NAME_ROOM];         // "": none
    char operation[AB_NAME_ROOM];     // "": none
    int64_t bytes;                    // -1: none
    int64_t calls, warmup;            // of each process
    int64_t loop_ns;                  // wanted CPU time of a loop; 0: as the others
    int64_t allocations[AB_ARMS_MAX]; // of a loop, by arm; -1: not counted
};

// One process.
struct ab_sample {
    bool is_there;
    int64_t position; // of the arm in its block, from 0
    int64_t calls;
    int64_t cpu_ns, wall_ns, minor_faults, major_faults, voluntary_switches, involuntary_switches;
    int64_t peak_rss_kib;        // of the loop; 0: not to be had
    char digest[AB_DIGEST_ROOM]; // "": none
    int64_t whole_cpu_us, whole_minor_faults, whole_peak_rss_kib, spawner_peak_rss_kib;
};

// Block 0 is measured and never judged. Arrays are their owner's.
struct ab_experiment {
    struct ab_arm arms[AB_ARMS_MAX];
    size_t arm_count;
    struct ab_cell *cells;
    size_t cell_count;
    uint64_t seed;             // of all orders
    size_t looks_within;       // blocks of six looks at most, AB_LOOKS; 0: a fixed number
    size_t blocks;             // that `samples` has room for, block 0 included
    struct ab_sample *samples; // by block, cell, arm
};

static inline void ab_forget_allocations(struct ab_cell *cell)
{
    for (size_t arm = 0; arm < AB_ARMS_MAX; arm++) {
        cell->allocations[arm] = -1;
    }
}

static inline struct ab_sample *ab_at(const struct ab_experiment *e, size_t block, size_t cell,
                                      size_t arm)
{
    return &e->samples[(block * e->cell_count + cell) * e->arm_count + arm];
}

// An arm that is to be found makes more calls than the cell says.
static inline int64_t ab_calls_of(const struct ab_experiment *e, size_t cell, size_t arm)
{
    return e->cells[cell].calls +
           (e->cells[cell].calls * e->arms[arm].injected_ppm + 500000) / 1000000;
}

#endif
