// SPDX-License-Identifier: MIT
// Strings kept once each, so that equal strings have equal addresses. Layer: measure.
#ifndef CKBENCH_INTERNER_H
#define CKBENCH_INTERNER_H

#include <stddef.h>

struct interner;

// NULL: no memory.
struct interner *interner_new(void);
void interner_free(struct interner *interner);

// The one terminated copy of `bytes`, kept until the interner is freed. NULL: no memory.
const char *interner_add(struct interner *interner, const char *bytes, size_t len);

#endif
