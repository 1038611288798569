// SPDX-License-Identifier: MIT
// Whether what an arm asks for took effect in its processes. Layer: measure.
#ifndef CKBENCH_AB_PROOF_H
#define CKBENCH_AB_PROOF_H

#include <stdbool.h>

#include "fault.h"
#include "measure/ab_env.h"
#include "measure/scratch.h"

enum ab_finding {
    AB_TOOK_EFFECT,
    AB_CANNOT_TELL, // judged, and marked
    AB_WRONG,       // the setting is not what its words say: a mistake of whoever asked
    AB_DID_NOTHING, // or it could not be looked at
};

struct ab_claim {
    const char *arm; // its name, for faults
    const struct ab_wish *wish;
    const char *const *env; // built of it
    const char *subject;    // real paths
    const char *base_subject;
    const char *const *base_env;
};

// Starts the program a few times and looks. `fault` is filled for the last two.
enum ab_finding ab_prove(const struct ab_claim *claim, const struct scratch *scratch,
                         struct fault *fault);

// Whether `name` is a variable of glibc's allocator.
bool ab_is_glibc_malloc(const char *name);

// All such names, ended by NULL.
extern const char *const ab_glibc_malloc_names[];

#endif
