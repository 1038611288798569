// SPDX-License-Identifier: MIT
// What a call of a path is made of: the answer to `phases`. Layer: measure.
#ifndef CKBENCH_PHASED_H
#define CKBENCH_PHASED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault.h"
#include "measure/answers.h"

enum { PHASED_STEPS_MAX = 16, PHASED_ROUNDS_MAX = 64, PHASED_PAGE = 4096 };

struct phased_step {
    char name[ANSWER_SHAPE_MAX + 1];
    int64_t ns[PHASED_ROUNDS_MAX]; // of a round
    bool has_places;
    int64_t from[PHASED_ROUNDS_MAX], to[PHASED_ROUNDS_MAX]; // offsets in a page of 4,096 bytes
};

struct phased {
    int64_t calls; // of a round
    size_t rounds;
    int64_t clock_ps; // one reading, of which each step holds one a call
    int64_t whole_ns[PHASED_ROUNDS_MAX];
    size_t step_count;
    struct phased_step steps[PHASED_STEPS_MAX];
};

// Takes a `phases` or a `phase` line. False: it does not fit those before it.
bool phased_take(struct phased *phased, const struct answer *answer, struct fault *why);

// Time of a call in a round, in ns: the call itself, and one of its steps without the clock's part.
double phased_whole_ns(const struct phased *phased, size_t round);
double phased_step_ns(const struct phased *phased, size_t step, size_t round);

#endif
