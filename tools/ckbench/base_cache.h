// SPDX-License-Identifier: MIT
// Built bases, kept from run to run: one folder for each key, at most BASE_CACHE_KEPT of them.
// A folder counts only once it is marked complete. It is not built elsewhere and renamed, because
// builds write their own path into programs (RUNPATH, debug information).
#ifndef CKBENCH_BASE_CACHE_H
#define CKBENCH_BASE_CACHE_H

#include <limits.h>
#include <stdbool.h>

#include "fault.h"

enum { BASE_CACHE_KEPT = 6, BASE_KEY_SIZE = 25 };

// One folder, held: nobody else builds, changes or removes it until base_cache_close().
struct base_entry {
    char root[PATH_MAX]; // of the cache: $XDG_CACHE_HOME/ckbench/base or ~/.cache/ckbench/base
    char key[BASE_KEY_SIZE];
    char tree[PATH_MAX]; // the base's files, built; `root`/KEY/tree
    char log[PATH_MAX];  // what the build printed; outside the folder, so a failure keeps it
    int lock;
    bool is_complete; // false: the folder is there, empty, and ours to fill
};

// Waits for another run that fills the same folder. `on_wait` is called once before that. False: no
// place for a cache, or an interruption.
bool base_cache_open(const char *key, void (*on_wait)(void), struct base_entry *entry,
                     struct fault *fault);

// What was built is whole: from now on others may use it too; the oldest folders go.
bool base_cache_complete(struct base_entry *entry, struct fault *fault);

// Lets go of the folder; removes it when it is not complete. Callable on an empty one.
void base_cache_close(struct base_entry *entry);

#endif
