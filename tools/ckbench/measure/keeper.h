// SPDX-License-Identifier: MIT
// The process between ckbench and one child. Layer: measure, for proc.c.
#ifndef CKBENCH_KEEPER_H
#define CKBENCH_KEEPER_H

#include <sys/types.h>

#include "measure/proc.h"

// What ckbench may send, one byte a message; a closed socket means KEEPER_KILL.
enum { KEEPER_STOP = 's', KEEPER_KILL = 'k' };

// How long a child that is told to stop may take before it is killed.
enum { KEEPER_GRACE_MS = 500, KEEPER_SWEEP_MS = 5000 };

enum keeper_news { KEEPER_STARTED, KEEPER_NOT_STARTED, KEEPER_ENDED };

// What the keeper sends back: STARTED then ENDED, or NOT_STARTED alone.
struct keeper_message {
    enum keeper_news news;
    pid_t pid;
    int error;       // NOT_STARTED
    int wait_status; // ENDED: as waitpid gave it; of no meaning after a stop
    int survivors;
    struct proc_whole whole; // ENDED: what wait4 said of the child
};

// The ends that a keeper and its child keep; everything else is closed.
struct keeper_fds {
    int control;
    int answers;
    int out;
    int err;
};

// Runs in the forked copy: starts the child, waits, sweeps, reports. Never returns.
_Noreturn void keeper_main(const struct proc_spec *spec, const struct keeper_fds *fds);

#endif
