// SPDX-License-Identifier: MIT
// The counted loop and the windows around it: nothing else of a run is ever counted. The windows
// come from monitor commands because plain dump requests see only the calling thread. This file
// is compiled with -O2 in every build, so that the loop costs the same in all of them.
#include "kit.h"

#include <valgrind/callgrind.h>
#include <valgrind/valgrind.h>

CKBENCH_KEPT void ckbench_loop(void (*op)(void *), void *state, uint64_t calls)
{
    while (calls > 0) {
        op(state);
        calls--;
        // The compiler may not know how far `calls` got: so it cannot unroll.
        __asm__ volatile("" : "+r"(calls));
    }
}

CKBENCH_KEPT void ckbench_windows(void *context)
{
    struct ckbench_job *job = context;
    void (*op)(void *) = job->path->op;
    void *state = job->state;
    ckbench_loop(op, state, job->warmup);
    CALLGRIND_START_INSTRUMENTATION;
    (void)VALGRIND_MONITOR_COMMAND("zero");
    ckbench_loop(op, state, job->n1);
    job->before = ckbench_read_counts;
    (void)VALGRIND_MONITOR_COMMAND("dump n1");
    ckbench_loop(op, state, job->n2);
    job->after = ckbench_read_counts;
    (void)VALGRIND_MONITOR_COMMAND("dump n2");
    CALLGRIND_STOP_INSTRUMENTATION;
}
