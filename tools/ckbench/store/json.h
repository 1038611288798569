// SPDX-License-Identifier: MIT
// Strict reading of JSON that others wrote. Layer: store.
//
// Refused, with one fault that names file, line and field: more than the limits below, an empty or
// cut text, a root that is no object, a byte order mark, anything after the root, a member named
// twice (or twice but for case), numbers that JSON does not allow (leading zeros, `1.`, NaN),
// integers beyond 2^53 - 1, U+0000 and control characters, invalid UTF-8, lone surrogates.
#ifndef CKBENCH_JSON_H
#define CKBENCH_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault.h"

#define JSON_SAFE_INTEGER INT64_C(9007199254740991)
enum { JSON_SIZE_MAX = 64 << 20, JSON_DEPTH_MAX = 32, JSON_VALUES_MAX = 1000000 };

enum json_kind {
    JSON_NULL,
    JSON_BOOL,
    JSON_INTEGER, // no fraction, no exponent
    JSON_DECIMAL, // any other number
    JSON_TEXT,
    JSON_ARRAY,
    JSON_OBJECT
};

struct json_doc;   // owns every value and text read from it
struct json_value; // lives as long as its document

bool json_read_file(const char *path, struct json_doc **out, struct fault *fault);

// `name` stands for the file in faults and is kept; `text` is copied.
bool json_read_text(const char *name, const char *text, size_t len, struct json_doc **out,
                    struct fault *fault);
void json_free(struct json_doc *doc);

const struct json_value *json_root(const struct json_doc *doc); // an object
enum json_kind json_kind(const struct json_value *value);
const char *json_key(const struct json_value *value); // NULL for elements and the root
const struct json_value *json_first(const struct json_value *value); // NULL when there is none
const struct json_value *json_next(const struct json_value *value);
size_t json_count(const struct json_value *value);
const struct json_value *json_find(const struct json_value *object, const char *key);

// The bytes of the value as they stand in the file.
const char *json_raw(const struct json_value *value, size_t *len);

// Fails about `at`: "FILE:LINE: a.b[2]: TEXT".
__attribute__((format(printf, 3, 4))) bool json_fail(const struct json_value *at,
                                                     struct fault *fault, const char *format, ...);

// What a text may be made of: `extra` beside a-z, 0-9 and _; with `is_free`, any printable text
// (no control characters, no bidirectional overrides); with `is_any`, anything: for texts that are
// made harmless where they are kept.
struct json_text_rule {
    size_t min, max; // bytes
    bool is_free;
    const char *extra;
    bool is_any;
};
extern const struct json_text_rule json_rule_name; // [a-z0-9_]{1,64}
extern const struct json_text_rule json_rule_line; // free, 1 to 4,096 bytes

// The value itself, checked.
bool json_as_i64(const struct json_value *value, int64_t min, int64_t max, int64_t *out,
                 struct fault *fault);
bool json_as_text(const struct json_value *value, const struct json_text_rule *rule,
                  const char **out, struct fault *fault);
// The value's name in its object, checked in the same way.
bool json_key_as_text(const struct json_value *member, const struct json_text_rule *rule,
                      const char **out, struct fault *fault);
bool json_as_bool(const struct json_value *value, bool *out, struct fault *fault);
bool json_is(const struct json_value *value, enum json_kind kind, struct fault *fault);

// A member that must be there.
bool json_want(const struct json_value *object, const char *key, enum json_kind kind,
               const struct json_value **out, struct fault *fault);
bool json_want_i64(const struct json_value *object, const char *key, int64_t min, int64_t max,
                   int64_t *out, struct fault *fault);
bool json_want_text(const struct json_value *object, const char *key,
                    const struct json_text_rule *rule, const char **out, struct fault *fault);
bool json_want_bool(const struct json_value *object, const char *key, bool *out,
                    struct fault *fault);
bool json_want_schema(const struct json_value *object, const char *schema, struct fault *fault);

// A member that may be left out: then `*out` keeps what it had and the answer is true.
bool json_may(const struct json_value *object, const char *key, enum json_kind kind,
              const struct json_value **out, struct fault *fault);
bool json_may_i64(const struct json_value *object, const char *key, int64_t min, int64_t max,
                  int64_t *out, struct fault *fault);
// A number of at most three decimals, as thousandths.
bool json_may_milli(const struct json_value *object, const char *key, int64_t min, int64_t max,
                    int64_t *out, struct fault *fault);
bool json_may_text(const struct json_value *object, const char *key,
                   const struct json_text_rule *rule, const char **out, struct fault *fault);

// Refuses members that are not among `keys` (ended by NULL).
bool json_only(const struct json_value *object, const char *const *keys, struct fault *fault);

#endif
