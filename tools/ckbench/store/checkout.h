// SPDX-License-Identifier: MIT
// A directory with a ckbench.json: its manifest and where its subject lies. Layer: store.
#ifndef CKBENCH_CHECKOUT_H
#define CKBENCH_CHECKOUT_H

#include <limits.h>
#include <stdbool.h>

#include "fault.h"
#include "store/manifest.h"

struct checkout {
    char root[PATH_MAX];    // real path; empty: there is none
    char subject[PATH_MAX]; // real path of the built subject
    struct manifest manifest;
    bool has_manifest;
};

// Opens `dir`. With `subject` that file is taken instead of the manifest's; then a missing manifest
// is no failure and leaves root empty. False: one line that says what to do; `out` is empty.
bool checkout_open(const char *dir, const char *subject, struct checkout *out, struct fault *fault);
void checkout_close(struct checkout *checkout);

#endif
