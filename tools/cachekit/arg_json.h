// SPDX-License-Identifier: MIT
// Arguments of a cached function from JSON, with the tags of the protocol's vectors.
#ifndef CACHEKIT_COMMAND_ARG_JSON_H
#define CACHEKIT_COMMAND_ARG_JSON_H

#include <stddef.h>

#include <cachekit/arena.h>
#include <cachekit/arg.h>
#include <cachekit/bytes.h>
#include <cachekit/status.h>

struct arg_list {
    const cachekit_arg *items;
    size_t count; // items of an array, pairs of an object
};

// Reads a JSON array into its items. All memory is the arena's; nothing points into `text`.
//
// An object is a map, but for these of one key: {"$set": [...]}, {"$bytes": "hex"},
// {"$datetime": "ISO 8601 with offset"}, {"$uuid": "text"}, {"$float": "1.5"}, {"$int": "5"} and
// {"$map": [[key, value], ...]}, which also spells maps that would look like a tag. Numbers with
// neither point nor exponent are integers. Any other object of one key that begins with `$` is
// refused.
//
// CACHEKIT_E_DECODE: no JSON, no array, a malformed or unknown tag. CACHEKIT_E_VALUE: a number out
// of range. CACHEKIT_E_NOMEM. What is wrong with a date or a map key the key functions say.
cachekit_status arg_json_read(cachekit_slice text, cachekit_arena *arena, struct arg_list *out,
                              cachekit_error *error);

// The same for keyword arguments: a JSON object into name, value, name, value.
cachekit_status arg_json_read_named(cachekit_slice text, cachekit_arena *arena,
                                    struct arg_list *out, cachekit_error *error);

#endif
