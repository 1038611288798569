// SPDX-License-Identifier: MIT
// What is asked of git: where a checkout is, which commit a revision names, and that commit's files
// in a directory of their own. Layer: measure. No hook runs and no network is used.
#ifndef CKBENCH_GIT_H
#define CKBENCH_GIT_H

#include <limits.h>
#include <stdbool.h>

#include "fault.h"
#include "measure/scratch.h"

enum { GIT_COMMIT_SIZE = 65 };

struct git_place {
    char top[PATH_MAX];    // of the checkout
    char prefix[PATH_MAX]; // of the directory asked about, below it: "" or "a/b/"
    bool is_shallow;
};

// The checkout that `dir` lies in. False: there is none, or there is no git.
bool git_place_of(const char *dir, const struct scratch *scratch, struct git_place *place,
                  struct fault *fault);

enum git_found { GIT_FOUND, GIT_ABSENT, GIT_FAILED };

// The commit that `rev` names: a hash, a branch, a tag, HEAD~1. The fault says what is missing.
enum git_found git_commit_of(const struct git_place *place, const char *rev,
                             const struct scratch *scratch, char commit[GIT_COMMIT_SIZE],
                             struct fault *fault);

// Has the commit a file `name` below the prefix?
enum git_found git_has(const struct git_place *place, const char *commit, const char *name,
                       const struct scratch *scratch, struct fault *fault);

// The commit's files in `dir`, which must not exist, as a repository of that one commit: nothing is
// shared with the checkout. `*has_lfs`: some files are kept by git-lfs and stayed pointers.
bool git_take(const struct git_place *place, const char *commit, const char *dir,
              const struct scratch *scratch, bool *has_lfs, struct fault *fault);

#endif
