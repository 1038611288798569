// SPDX-License-Identifier: MIT
// A strict reader for one JSON object on one line whose values are strings, integers, booleans,
// null or arrays of strings or of integers: all that the subject protocol needs. Layer: measure.
// Values of other kinds (fractions, objects, nested arrays) are checked and skipped.
#ifndef CKBENCH_FLAT_JSON_H
#define CKBENCH_FLAT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault.h"

enum {
    FLAT_TEXT_MAX = 4096, // bytes of a line, and of all its strings
    FLAT_MEMBERS_MAX = 64,
    FLAT_ITEMS_MAX = 1024,
};

enum flat_kind { FLAT_NULL, FLAT_BOOL, FLAT_INT, FLAT_STRING, FLAT_STRINGS, FLAT_INTS, FLAT_OTHER };

struct flat_member {
    const char *name;
    enum flat_kind kind;
    int64_t number; // FLAT_INT; FLAT_BOOL as 0 or 1; FLAT_STRINGS, FLAT_INTS: how many
    const char *text;
    const char *const *items;
    const int64_t *numbers;
};

// All pointers point into the object itself: it must not be copied.
struct flat_object {
    size_t member_count;
    struct flat_member members[FLAT_MEMBERS_MAX];
    size_t item_count;
    const char *items[FLAT_ITEMS_MAX];
    size_t integer_count;
    int64_t integers[FLAT_ITEMS_MAX];
    size_t text_length;
    char text[FLAT_TEXT_MAX + 64];
};

// Reads `line`: strict JSON and UTF-8, no byte after the object, no member twice, no U+0000 in a
// string, integers within 64 bits.
bool flat_read(const char *line, size_t length, struct flat_object *object, struct fault *fault);

// The member of that name, or NULL.
const struct flat_member *flat_find(const struct flat_object *object, const char *name);

#endif
