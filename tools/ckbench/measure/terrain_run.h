// SPDX-License-Identifier: MIT
// One process of a subject that is asked for `terrain`. Layer: measure.
#ifndef CKBENCH_TERRAIN_RUN_H
#define CKBENCH_TERRAIN_RUN_H

#include "fault.h"
#include "measure/scratch.h"
#include "stats/terrain_recording.h"

enum { TERRAIN_WORDS_MAX = 64 };

struct terrain_request {
    const char *subject; // real path
    const char *terrain;
    size_t word_count;
    const char *words[TERRAIN_WORDS_MAX]; // "option=value"
    int64_t timeout_ms;                   // of silence
    // After each slice; may be NULL.
    void (*on_slice)(void *context, const struct terrain_recording *recording);
    void *context;
};

// Runs it and waits. An interrupt asks the subject to stop and waits for its last lines: then the
// answer is true and the recording says so. `*exit_code` of a failure: 2 for options or a trace
// that the subject refused, else 3. False: `why` in one line.
bool terrain_run(const struct terrain_request *request, const struct scratch *scratch,
                 struct terrain_recording *recording, int *exit_code, struct fault *why);

#endif
