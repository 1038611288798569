// SPDX-License-Identifier: MIT
// Reads one out file of valgrind's callgrind tool: strictly, because a file that looks well and is
// not would become a false measurement. Layer: measure.
//
// A window is what a monitor command "dump NAME" closed: one part per thread whose trigger is
// exactly that text. The file of a counted child has each wanted window once per thread; its
// termination part is checked and ignored. Costs are read by event name; each part's self costs
// must add up to its `totals:` line. `summary:` lines are never read, they can underflow.
#ifndef CKBENCH_CALLGRIND_H
#define CKBENCH_CALLGRIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "fault.h"
#include "measure/profile.h"

enum { CALLGRIND_WINDOWS_MAX = 8 };

// The class of the object at a path; see objects_class(). NULL result: decide by the file name.
typedef const char *(*callgrind_class_of)(void *context, const char *path);

struct callgrind_request {
    const char *const *windows; // {"n1", "n2"}; only these may have been dumped
    size_t window_count;
    pid_t pid;                   // whose file it must be; 0: anybody's
    const char *exe;             // real path of the executable, whose class is "exe"; NULL: none
    callgrind_class_of class_of; // NULL: by the file name
    void *context;
    size_t bytes_max; // larger files are refused; 0: 256 MiB
};

struct callgrind_dump {
    char creator[64]; // "callgrind-3.19.0"
    pid_t pid;
    uint32_t part_count;     // all of them, ignored ones included
    struct profile *windows; // in the order of the request
    size_t window_count;
    struct interner *text; // owns the strings; private
};

// Reads the file. False: the fault names file, line and cause, and `dump` is empty. Release it
// with callgrind_release() either way.
bool callgrind_read(const char *path, const struct callgrind_request *request,
                    struct callgrind_dump *dump, struct fault *fault);
// The same on memory; `name` stands for the file in faults. Nothing of `bytes` is kept.
bool callgrind_parse(const char *name, const char *bytes, size_t size,
                     const struct callgrind_request *request, struct callgrind_dump *dump,
                     struct fault *fault);
void callgrind_release(struct callgrind_dump *dump);

#endif
