// SPDX-License-Identifier: MIT
// The options of `ckbench terrain` and the request they make.
#ifndef CKBENCH_TERRAIN_ASKING_H
#define CKBENCH_TERRAIN_ASKING_H

#include <limits.h>

#include "cli/opt.h"
#include "fault.h"
#include "measure/terrain_run.h"

struct terrain_options {
    const char *terrain, *l2;
    struct opt_texts own; // NAME=VALUE of the terrain's own options
    const char *zipf, *keys, *rate, *callers, *calls, *warmup, *slice, *miss, *l2_law, *stall;
    const char *l1_keys, *l1_bytes, *ttl, *seed, *trace, *dump, *name_space, *call_ns;
    const char *value_p50, *value_p95;
    int arrivals, late, format, clock;
    int64_t length_ms; // 0: not given
    int64_t timeout_ms;
    const char *l2_where, *harness;
    const char *subject, *out, *html;
    bool json;
};

extern const struct opt_table terrain_table;

// The words of a request, as text that lives here.
struct terrain_words {
    char terrain[64];
    char texts[TERRAIN_WORDS_MAX][PATH_MAX + 64];
    size_t count;
};

// Fills it from the options. `trace` and `dump` are absolute paths, NULL: none. False: usage.
bool terrain_ask(const struct terrain_options *options, const char *trace, const char *dump,
                 struct terrain_words *words, struct fault *fault);

// Copies `text` with the user and password of each URL hidden.
void terrain_hide_secrets(const char *text, char *out, size_t size);

#endif
