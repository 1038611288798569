// SPDX-License-Identifier: MIT
// The lines of a terrain's answer (tools/subject/README.md) into a recording. Layer: measure.
// Order and grammar are checked here; whether the figures agree is for stats/terrain_books.h.
#ifndef CKBENCH_TERRAIN_LINES_H
#define CKBENCH_TERRAIN_LINES_H

#include "fault.h"
#include "measure/flat_json.h"
#include "stats/terrain_recording.h"

struct terrain_lines {
    struct terrain_recording *recording;
    const char *terrain; // that was asked for
    bool is_started, is_warm, is_ended;
};

// Takes the object of one line. Types that are unknown pass. False: `fault` says what is wrong.
bool terrain_take_line(struct terrain_lines *lines, const struct flat_object *object,
                       struct fault *fault);

#endif
