// SPDX-License-Identifier: MIT
// Which valgrind, with which flags, in which environment. Layer: measure.
// The flags and variables are the method: a figure is comparable only with one taken by the same.
#ifndef CKBENCH_VALGRIND_H
#define CKBENCH_VALGRIND_H

#include <stdbool.h>
#include <stddef.h>

#include "fault.h"
#include "measure/scratch.h"

struct valgrind {
    char *path; // absolute; owned
    int major;
    int minor;
    char version[32]; // "3.19.0"
};

// Settings of one valgrind process that may differ from the next.
struct valgrind_settings {
    bool cache_sim;   // cache misses beside instructions
    size_t pad_bytes; // CKBENCH_PAD of that length in the environment, for the self-proof
};

// An argument vector and an environment, both NULL-terminated and owned.
struct valgrind_command {
    char **argv;
    char **env;
};

// Finds `valgrind` in `search_path` (NULL: PATH as ckbench got it) and asks its version. The fault
// says what to install when it is missing, older than 3.15, silent, hanging or no valgrind.
bool valgrind_find(const char *search_path, const struct scratch *scratch,
                   struct valgrind *valgrind, struct fault *fault);

// Callable on an empty one.
void valgrind_release(struct valgrind *valgrind);

// The command that runs `subject_argv` under callgrind with the dumps and logs in `dump_dir` as
// <pid>.out and <pid>.log. False: out of memory.
bool valgrind_command_init(struct valgrind_command *command, const struct valgrind *valgrind,
                           const struct valgrind_settings *settings, const char *dump_dir,
                           const char *const *subject_argv, struct fault *fault);

void valgrind_command_release(struct valgrind_command *command);

// The value of GLIBC_TUNABLES that every counted child gets: part of a fingerprint.
const char *valgrind_tunables(void);

// The fixed part of a native child's environment: PATH, LC_ALL, TZ, CKBENCH_FD. NULL-terminated.
const char *const *valgrind_native_env(void);

#endif
