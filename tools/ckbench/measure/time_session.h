// SPDX-License-Identifier: MIT
// Independent runs of a few paths, taken in turns. Layer: measure.
#ifndef CKBENCH_TIME_SESSION_H
#define CKBENCH_TIME_SESSION_H

#include "measure/timed_run.h"

enum { TIME_PATHS_MAX = 64, TIME_RUNS_MAX = 1000, TIME_GRANULES = 100 };

struct time_settings {
    const char *subject;
    unsigned runs;
    unsigned samples;   // of a run
    uint64_t warmup;    // calls, at least; twice as many at most
    uint64_t calls;     // of a sample; 0: as many as TIME_GRANULES of the clock's steps take
    int64_t timeout_ms; // of a run
    unsigned threads;   // 0: none; else samples are single calls
    uint64_t rate;      // of their intended starts, a second
};

struct time_path {
    const char *name;
    const char *shape, *operation;
    uint64_t calls; // of a sample
    size_t run_count;
    struct timed *runs;
    double *medians_ns;         // of each run, per call
    double *latency_medians_ns; // the same from the intended start; only with threads
};

struct time_session {
    struct time_settings settings;
    int64_t granule_ns; // of the clock, by time_granule_ns()
    size_t path_count;
    struct time_path paths[TIME_PATHS_MAX];
};

// The smallest step that two readings of the monotonic clock show.
int64_t time_granule_ns(void);

// Runs everything: run k of every path before run k + 1 of any. `progress` may be NULL. False:
// `why`, or interrupted; the runs so far stay.
bool time_session_run(struct time_session *session, const struct scratch *scratch,
                      void (*progress)(void *context, size_t done, size_t all), void *context,
                      bool *is_interrupted, struct fault *why);
void time_session_release(struct time_session *session);

#endif
