// SPDX-License-Identifier: MIT
// Collects the records of one window, in any order and from any number of threads, and makes the
// profile of them. Layer: measure; used by the reader of dumps.
#ifndef CKBENCH_PROFILE_BUILDER_H
#define CKBENCH_PROFILE_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/profile.h"

struct profile_builder;

// Where a cost or a call lies. Strings are interned: equal ones have equal addresses.
struct profile_place {
    const char *path;       // of the object
    const char *class_name; // of the object
    const char *source;     // of the function; empty when unknown
    const char *name;       // cleaned
};

// NULL: no memory.
struct profile_builder *profile_builder_new(void);
void profile_builder_free(struct profile_builder *builder);

// The function's number in this builder, a new one if need be. UINT32_MAX: no memory.
uint32_t profile_builder_function(struct profile_builder *builder,
                                  const struct profile_place *place);
// Adds self cost. False: no memory, or a sum over 2^64.
bool profile_builder_cost(struct profile_builder *builder, const struct profile_line *line,
                          uint64_t sys_count);
bool profile_builder_call(struct profile_builder *builder, const struct profile_edge *edge);
bool profile_builder_thread(struct profile_builder *builder, const struct profile_thread *thread);
// Was this thread added?
bool profile_builder_has_thread(const struct profile_builder *builder, uint32_t id);

// Moves what was collected into `out`, sorted and summed; the builder is then empty. False: no
// memory, or a sum over 2^64; `out` is then empty.
bool profile_builder_finish(struct profile_builder *builder, struct profile *out);
// Frees the arrays of a profile, not its strings. NULL allowed.
void profile_release(struct profile *profile);

#endif
