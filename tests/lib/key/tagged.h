// SPDX-License-Identifier: MIT
// Vector files whose arguments are JSON with tags ($set, $bytes, $datetime, $uuid, $float, $int and
// those of key-rules.py), as arguments of calls.
#ifndef TESTS_TAGGED_H
#define TESTS_TAGGED_H

#include <stdbool.h>
#include <stddef.h>

#include <cachekit/arena.h>
#include <cachekit/arg.h>
#include <cachekit/bytes.h>
#include <cachekit/value.h>

struct tagged_file {
    cachekit_arena arena;
    cachekit_buffer text;
    cachekit_value root;
};

// A file of tests/vectors. False: it cannot be read.
bool tagged_open(struct tagged_file *file, const char *name);
void tagged_close(struct tagged_file *file);

// The list under `name`, or NULL.
const cachekit_value *tagged_rows(const struct tagged_file *file, const char *name);

// The text under `name`, NUL-terminated, or NULL.
const char *tagged_text(const cachekit_value *row, const char *name);

struct tagged_args {
    cachekit_arg *args;
    size_t count; // items; of pairs, twice their number
};

// The list under `name`; pairs are flattened to name, value. False: arguments cannot say this.
bool tagged_list(struct tagged_file *file, const cachekit_value *row, const char *name,
                 struct tagged_args *out);
bool tagged_pairs(struct tagged_file *file, const cachekit_value *row, const char *name,
                  struct tagged_args *out);

#endif
