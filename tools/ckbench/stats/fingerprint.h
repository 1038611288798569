// SPDX-License-Identifier: MIT
// The conditions under which instructions were counted. Two counts may be compared only when their
// fingerprints agree; where they do not, the line that differs is named.
#ifndef CKBENCH_FINGERPRINT_H
#define CKBENCH_FINGERPRINT_H

#include <stdbool.h>
#include <stddef.h>

#include "fault.h"

enum { FINGERPRINT_PAIRS = 256, FINGERPRINT_TEXT = 512 };

// A name and what it stood for: an object and its build id, a function and its chosen variant.
struct fingerprint_pair {
    char name[128], value[128];
};

struct fingerprint_list {
    struct fingerprint_pair pairs[FINGERPRINT_PAIRS];
    size_t count;
};

struct fingerprint {
    char arch[32];                        // of the subject's machine code
    char valgrind[64];                    // its version
    char cpuid[FINGERPRINT_TEXT];         // digest of what the guest's CPUID said
    char tunables[FINGERPRINT_TEXT];      // GLIBC_TUNABLES as given
    char producers[64][FINGERPRINT_TEXT]; // compilers of the subject's own objects, sorted
    size_t producer_count;
    struct fingerprint_list objects; // every other object that executed: name, build id
    struct fingerprint_list ifuncs;  // function, variant that the dynamic linker resolved
};

// Adds a pair. The same name with the same value is kept once; with another value, or when the
// list is full, false.
bool fingerprint_note(struct fingerprint_list *list, const char *name, const char *value);
// Adds a producer in sorted place, once; of one that is too long, its beginning and a hash of all.
// False when there is no room.
bool fingerprint_producer(struct fingerprint *print, const char *producer);

// Adds what `more` has beyond `print`, with which it agrees but for producers, and sorts the lists.
// False when there is no room.
bool fingerprint_join(struct fingerprint *print, const struct fingerprint *more);

// Do the conditions agree? Objects and functions that only one side has are new code, not another
// condition. With `accept_flags` the producers may differ.
bool fingerprint_agrees(const struct fingerprint *head, const struct fingerprint *base,
                        bool accept_flags, struct fault *difference);

#endif
