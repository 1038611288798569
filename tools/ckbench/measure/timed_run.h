// SPDX-License-Identifier: MIT
// One process of a subject that is asked for `time`: what its loop cost, and what it cost as a
// whole. Layer: measure.
#ifndef CKBENCH_TIMED_RUN_H
#define CKBENCH_TIMED_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault.h"
#include "measure/answers.h"
#include "measure/phased.h"
#include "measure/proc.h"
#include "measure/scratch.h"

enum { TIMED_DIGEST_ROOM = 17, TIMED_SAMPLES_MAX = 10000000 };

struct timed_request {
    const char *subject;    // real path
    const char *const *env; // NULL-terminated; CKBENCH_FD is among them
    const char *path;
    const char *shape;     // NULL: none
    const char *operation; // NULL: none
    int64_t bytes;         // -1: none
    int64_t calls;
    int64_t warmup;
    int64_t batches;       // 0: one loop
    int64_t threads, rate; // 0: none; else `batches` single calls, so many a second
    bool is_settling;
    bool is_counting; // allocations, in a process whose time says nothing
    int64_t timeout_ms;
    struct phased *phased; // NULL: `time` is asked for; else `phases`, which fills this alone
};

struct timed {
    int64_t warmup, calls;
    int64_t cpu_ns, wall_ns;
    int64_t minor_faults, major_faults, voluntary_switches, involuntary_switches;
    int64_t peak_rss_kib;           // 0: not to be had
    int64_t allocations;            // of the loop; -1: not counted
    char digest[TIMED_DIGEST_ROOM]; // "": none
    struct proc_whole whole;
    int64_t *samples_ns;   // one per batch
    int64_t *latencies_ns; // from the intended start; NULL: no threads were asked for
    size_t sample_count;
    bool is_refused; // the subject did not understand the request: nothing else is filled
};

// Runs it and waits. False: `why` says in one line what was wrong; nothing of it is left. An
// interruption is PROC_INTERRUPTED's line, and `*is_interrupted`.
bool timed_run(const struct timed_request *request, const struct scratch *scratch,
               struct timed *out, bool *is_interrupted, struct fault *why);
void timed_release(struct timed *timed);

#endif
