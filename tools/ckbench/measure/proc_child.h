// SPDX-License-Identifier: MIT
// One running child as the pool sees it. Layer: measure, for proc.c.
#ifndef CKBENCH_PROC_CHILD_H
#define CKBENCH_PROC_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "fault.h"
#include "measure/keeper.h"
#include "measure/proc.h"
#include "measure/sink.h"

struct child {
    struct proc_task task;
    struct proc_result result;
    pid_t keeper;
    int control;
    int answers; // -1 once closed
    struct sink out;
    struct sink err;
    int64_t started_ms;
    int64_t deadline_ms; // of silence; INT64_MAX: none
    bool stopping;
    bool hurried;
    bool asked;    // to end, and it may take its time
    bool finished; // nothing more to come but what the pipes hold
    int64_t give_up_ms;
    size_t line_length;
    char line[PROC_LINE_MAX];
};

// Forks a keeper for a copy of `task`. NULL: failed, with the fault filled.
struct child *child_start(const struct proc_task *task, struct fault *fault);

// Tells the keeper to end the child; the first reason stands.
void child_stop(struct child *child, enum proc_end why, char command);

// Reads what its pipes and its keeper have to say by now.
void child_read_answers(struct child *child);
void child_read_output(struct child *child);
void child_read_news(struct child *child);

// Stops a child that was silent for too long, and kills the keeper of one that cannot be stopped.
void child_check_clock(struct child *child);

// Reads the rest, calls on_end, frees the child. `spared` are the keepers of the others.
void child_finish(struct child *child, const pid_t *spared, size_t spared_count);

#endif
