// SPDX-License-Identifier: MIT
// The word that was probably meant. Layer: cli.
#ifndef CKBENCH_NEAREST_H
#define CKBENCH_NEAREST_H

#include <stddef.h>

// The word that begins with `typed`, else the one fewest edits away (insert, delete, replace, swap
// of neighbours); NULL when none is near. NULLs in `words` are passed over.
const char *nearest_word(const char *typed, const char *const *words, size_t count);

#endif
