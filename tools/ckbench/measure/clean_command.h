// SPDX-License-Identifier: MIT
// One command of a builder (git, a build) to its end, in an environment made from an allow-list: no
// token, password or setting of a workflow reaches it. Layer: measure.
#ifndef CKBENCH_CLEAN_COMMAND_H
#define CKBENCH_CLEAN_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault.h"
#include "measure/scratch.h"

enum { COMMAND_WORDS = 24, COMMAND_NOT_FOUND = 127 };

struct command {
    const char *words[COMMAND_WORDS]; // ended by NULL; the first is looked up in PATH
    const char *dir;
    const char *log;    // both streams of it go there; NULL: to command_out()
    int64_t timeout_ms; // for all of it
    bool is_git;        // git of ours, not one that a build runs
};

// Runs it. False: it did not end by itself, an interruption included; otherwise `*status` is its
// exit status.
bool command_run(const struct command *command, const struct scratch *scratch, int *status,
                 struct fault *fault);

// What the last one printed on stdout, whole, to be freed; NULL: nothing or too much.
char *command_out(const struct scratch *scratch);

// The last line of what it complained of, to be freed; NULL: of nothing.
char *command_complaint(const struct scratch *scratch);

// The variables of the allow-list that change what a build makes, as lines K=V, and the compilers
// and linkers that PATH leads to, each with size and time: part of a cache's key. NULL: no memory.
char *command_conditions(void);

#endif
