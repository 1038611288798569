// SPDX-License-Identifier: MIT
// One line of progress on stderr: only on a terminal, drawn at most ten times a second, with the
// time left, erased at the end. Layer: cli.
#ifndef CKBENCH_PROGRESS_H
#define CKBENCH_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    uint64_t total;
    int64_t opened_ns;
    int64_t drawn_ns;
    bool is_shown; // false: every call returns at once
    bool is_drawn;
};

// `is_quiet` switches it off; otherwise a terminal that is not dumb switches it on.
void progress_open(struct progress *progress, uint64_t total, bool is_quiet);

// `done` of the total are finished; `label` says what is at work (printable ASCII is kept).
void progress_step(struct progress *progress, uint64_t done, const char *label);

// Takes the line off the screen; call it before saying anything. Later steps draw it again.
void progress_close(struct progress *progress);

#endif
