// SPDX-License-Identifier: MIT
// Environments of arms: built from nothing, of equal length and with as many variables, so that no
// arm's stack lies elsewhere than another's. Layer: measure.
#ifndef CKBENCH_AB_ENV_H
#define CKBENCH_AB_ENV_H

#include <stdbool.h>
#include <stddef.h>

#include "fault.h"

enum { AB_VARIABLES_MAX = 32 };

// What an arm asks for, as K=V. A variable of the fixed environment may be replaced.
struct ab_wish {
    size_t count;
    const char *items[AB_VARIABLES_MAX];
    size_t program_bytes; // length of the program's name, which lies on the stack as well
};

// One environment for each wish, NULL-terminated, in one block each: ab_env_free(). False: no
// memory, nothing is left.
bool ab_env_build(const struct ab_wish *wishes, size_t count, char ***out, struct fault *fault);
void ab_env_free(char **env);

// The value of `name` in an environment, or NULL.
const char *ab_env_find(const char *const *env, const char *name);

#endif
