// SPDX-License-Identifier: MIT
// What glibc's dynamic linker says of a program under an environment. Layer: measure.
#ifndef CKBENCH_AB_LINKER_H
#define CKBENCH_AB_LINKER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "fault.h"
#include "measure/scratch.h"

// The list of tunables that the program's own linker prints under `env`, without preloads. `*text`
// is the caller's to free(); NULL: a static program, or a linker that prints none.
bool ab_linker_list(const char *subject, const char *const *env, const struct scratch *scratch,
                    char **text, struct fault *fault);

// The linker's log of `SUBJECT list`: files and bindings. `*text` is the caller's to free(); empty
// where no linker writes one.
bool ab_linker_log(const char *subject, const char *const *env, const struct scratch *scratch,
                   char **text, struct fault *fault);

// The value that the list shows for `name`, not terminated, or NULL.
const char *ab_linker_tunable(const char *list, const char *name, size_t *len);

// The object that `symbol` was bound to first. False: it was bound nowhere.
bool ab_linker_binding(const char *log, const char *symbol, char owner[PATH_MAX]);

// Whether an object of that path, or with such a beginning of its file name, takes part.
bool ab_linker_is_loaded(const char *log, const char *name);

// Walks over the objects that bind symbols, each as often as it binds: the next one behind `*at`,
// which starts as the log. False: no more.
bool ab_linker_next(const char **at, char object[PATH_MAX]);

#endif
