// SPDX-License-Identifier: MIT
// What the parts of the JSON reader share.
#ifndef CKI_JSON_READER_H
#define CKI_JSON_READER_H

#include <cachekit/json.h>

enum { CKI_JSON_STACK_FIRST = 256 };

struct cki_json_reader {
    const uint8_t *start;
    const uint8_t *at; // next byte
    const uint8_t *end;
    unsigned flags;
    cachekit_arena *arena;
    cachekit_error *error;
    // Nodes that wait for their collection to close. An open collection is a node too: see
    // open_collection() in json_read.c. Small documents never leave `first`.
    cachekit_value *stack;
    size_t used;
    size_t room;
    uint32_t frame;   // of the innermost open collection
    unsigned nesting; // open collections
    cachekit_value first[CKI_JSON_STACK_FIRST];
};

// Fills the caller's error; `at` is the offending byte.
cachekit_status cki_json_refuse(struct cki_json_reader *reader, cachekit_status status,
                                const uint8_t *at, const char *text);

// The rest of a string, `reader->at` being behind its first quote.
cachekit_status cki_json_read_text(struct cki_json_reader *reader, cachekit_value *out);

// A number that starts at `reader->at`.
cachekit_status cki_json_read_number(struct cki_json_reader *reader, cachekit_value *out);

// Length of the JSON number at the start of `text`, 0 if there is none; whether it has a fraction
// or an exponent.
size_t cki_json_number_len(const uint8_t *text, size_t len, bool *is_float);

// An integer of JSON's grammar; false when it does not fit 64 bits.
bool cki_json_integer(const uint8_t *text, size_t len, cachekit_value *out);

// Turns an object of one pair, whose key starts with `$`, into what it stands for. `height` is
// that of the tag's value, and then that of `out`; `at` is where the object started.
cachekit_status cki_json_read_tag(struct cki_json_reader *reader, const cachekit_value *pair,
                                  const uint8_t *at, uint32_t *height, cachekit_value *out);

#endif
