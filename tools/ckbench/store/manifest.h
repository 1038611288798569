// SPDX-License-Identifier: MIT
// ckbench.json, schema ckbench/manifest/1: which subject, how to build it, what is own, and the
// gate's policy. Layer: store.
#ifndef CKBENCH_MANIFEST_H
#define CKBENCH_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault.h"

struct json_doc;

// Thousandths of a percent: 1.0 % is 1,000.
struct manifest_limits {
    int64_t fail_mpct, warn_mpct;
};

struct manifest_path {
    const char *name;
    struct manifest_limits limits;
};

// What can fail a path. Own is not among them: it only warns.
enum manifest_metric { MANIFEST_TOTAL, MANIFEST_ALLOCS, MANIFEST_SYSCALLS, MANIFEST_GONE };

// One named exception; it counts up to and including the day `expires` (YYYY-MM-DD).
struct manifest_accept {
    const char *path;
    enum manifest_metric metric;
    const char *reason;
    const char *expires;
    bool has_max;
    int64_t max; // what the head may reach, in the metric's own unit
};

struct manifest {
    struct json_doc *doc; // owns all texts
    const char *subject;  // relative to the checkout
    const char *build;    // NULL when the manifest names none
    const char **own;
    size_t own_count;
    const char **subject_files; // what lies over sources that have no subject yet: files, folders
    size_t subject_file_count;
    struct manifest_limits gate;
    struct manifest_path *paths;
    size_t path_count;
    struct manifest_accept *accepts;
    size_t accept_count;
};

// On failure `out` is empty. A missing file is a failure.
bool manifest_read(const char *path, struct manifest *out, struct fault *fault);
void manifest_release(struct manifest *manifest);

// `manifest` may be NULL: then the defaults hold, fail_pct 1.0 and warn_pct 0.2.
struct manifest_limits manifest_limits_of(const struct manifest *manifest, const char *path);

// The acceptance of this path and metric that still counts on `today`, or NULL.
const struct manifest_accept *manifest_accept_of(const struct manifest *manifest, const char *path,
                                                 enum manifest_metric metric, const char *today);

// `total`, `allocs`, `syscalls`, `gone`.
const char *manifest_metric_word(enum manifest_metric metric);

#endif
