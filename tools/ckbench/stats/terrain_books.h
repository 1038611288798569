// SPDX-License-Identifier: MIT
// Whether the parts of a recording agree: a call is counted in several places, by the kit, by the
// terrain and by the loader, and all must tell the same. Layer: stats.
#ifndef CKBENCH_TERRAIN_BOOKS_H
#define CKBENCH_TERRAIN_BOOKS_H

#include "stats/terrain_recording.h"

enum { TERRAIN_EQUATIONS_MAX = 96, TERRAIN_EQUATION_ROOM = 128 };

struct terrain_equation {
    char what[TERRAIN_EQUATION_ROOM]; // "l1: calls = counted by the terrain"
    int64_t left, right;              // right -1: not known, nothing was compared
    bool is_balanced;
};

struct terrain_books {
    size_t count;
    struct terrain_equation equations[TERRAIN_EQUATIONS_MAX];
    size_t wrong;      // equations that do not hold
    size_t unverified; // equations with a side that nobody knows
    int64_t unattributed;
};

void terrain_books_check(const struct terrain_recording *recording, struct terrain_books *books);

// "balanced", "unverified" (nothing is wrong, but not all could be compared), "unattributed" or
// "unbalanced". The first two are good.
const char *terrain_books_verdict(const struct terrain_books *books);
bool terrain_books_are_good(const struct terrain_books *books);

#endif
