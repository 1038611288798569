// SPDX-License-Identifier: MIT
// From a recording to its document and its other forms; a part of verb_terrain.c.
#ifndef CKBENCH_TERRAIN_TELLING_H
#define CKBENCH_TERRAIN_TELLING_H

#include "fault.h"
#include "measure/host.h"
#include "measure/subject_list.h"
#include "stats/terrain_books.h"
#include "stats/terrain_recording.h"
#include "terrain_asking.h"

struct terrain_telling {
    const struct terrain_options *options;
    int argc;
    char **argv;
    const struct subject *subject;
    const struct terrain_words *words;
    struct host host;
    int64_t steal_milli;
    int64_t started_s; // since 1970
    struct terrain_recording recording;
    struct terrain_books books;
};

// Writes --out and --html, then prints the table or, with --json, the document.
bool terrain_tell(const struct terrain_telling *telling, struct fault *fault);

#endif
