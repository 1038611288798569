// SPDX-License-Identifier: MIT
// What `inspect` has found out, member by member: an object of JSON in the making.
#ifndef CACHEKIT_COMMAND_FINDING_H
#define CACHEKIT_COMMAND_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include <cachekit/arena.h>
#include <cachekit/status.h>
#include <cachekit/value.h>

enum { FINDING_PAIRS_MAX = 24 };

struct finding {
    cachekit_arena *arena;
    size_t pairs;
    bool is_out_of_memory;
    cachekit_value items[2 * FINDING_PAIRS_MAX];
};

void finding_init(struct finding *finding, cachekit_arena *arena);

// Names and texts are borrowed: literals, or bytes of the arena.
void finding_text(struct finding *finding, const char *name, const char *text);
void finding_number(struct finding *finding, const char *name, uint64_t number);
void finding_bool(struct finding *finding, const char *name, bool value);
void finding_nil(struct finding *finding, const char *name);
void finding_float(struct finding *finding, const char *name, double number);
__attribute__((format(printf, 3, 4))) void finding_format(struct finding *finding, const char *name,
                                                          const char *format, ...);
// A failure as its line has it, or nil for none.
void finding_fault(struct finding *finding, const char *name, cachekit_status status,
                   const cachekit_error *error);
// `child` is copied and may be used again.
void finding_child(struct finding *finding, const char *name, const struct finding *child);

// The object; it lives as long as the arena. False: no memory.
bool finding_value(const struct finding *finding, cachekit_value *out);

#endif
