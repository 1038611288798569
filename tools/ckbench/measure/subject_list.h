// SPDX-License-Identifier: MIT
// A subject program and what it says it offers. Layer: measure.
#ifndef CKBENCH_SUBJECT_LIST_H
#define CKBENCH_SUBJECT_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "fault.h"
#include "measure/scratch.h"

enum { SUBJECT_PATHS_MAX = 4096 };

struct subject_names {
    size_t count;
    char **items;
};

struct subject_path {
    char *name;
    char *about;
    struct subject_names shapes;
    struct subject_names operations;
    struct subject_names phases;
    bool threads;
};

// All of it is owned by the subject. Strings are as the subject wrote them, UTF-8 of any kind but
// for the names, whose grammar was checked: escape before showing.
struct subject {
    char *file; // real path
    bool is_elf;
    int protocol;
    bool self; // has the self-test paths
    char *kit;
    char *compiler;
    char *flags;
    char *commit;   // NULL: not stamped at build time
    char *build_id; // NULL: none
    struct subject_names dirty;
    size_t path_count;
    struct subject_path *paths; // sorted by name
    struct subject_names terrains;
};

// Runs `FILE list` natively, in the fixed environment (PATH, LC_ALL, TZ, CKBENCH_FD), with a
// deadline of 10 s. Whatever is wrong is one line that names the file and the cause.
bool subject_open(const char *file, const struct scratch *scratch, struct subject *subject,
                  struct fault *fault);

// The same with another deadline.
bool subject_open_within(const char *file, const struct scratch *scratch, int timeout_ms,
                         struct subject *subject, struct fault *fault);

// Callable on an empty or failed subject.
void subject_close(struct subject *subject);

// The path of that name, or NULL.
const struct subject_path *subject_find(const struct subject *subject, const char *name);

#endif
