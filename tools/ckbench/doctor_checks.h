// SPDX-License-Identifier: MIT
// The questions of `ckbench doctor`, each asked by doing the thing, and their answers.
#ifndef CKBENCH_DOCTOR_CHECKS_H
#define CKBENCH_DOCTOR_CHECKS_H

#include <stdbool.h>
#include <stddef.h>

enum { CHECKS_MAX = 24 };

enum check_state { CHECK_OK, CHECK_WARN, CHECK_MISSING };

struct check {
    const char *name;
    enum check_state state;
    bool is_needed; // by `ir`
    bool is_steady; // the same at every run on this host
    char value[256];
    char cure[384]; // empty when all is well
};

struct checks {
    struct check items[CHECKS_MAX]; // in the order of their names
    size_t count;
};

// Asks all of them; takes about a second.
void checks_make(struct checks *checks);

// Is everything there that `ir` needs?
bool checks_can_ir(const struct checks *checks);

#endif
