// SPDX-License-Identifier: MIT
// What the readers of an ir report share. Layer: store, for ir_read*.c only.
#ifndef CKBENCH_IR_READING_H
#define CKBENCH_IR_READING_H

#include "stats/gate.h"
#include "store/json.h"

extern const struct json_text_rule ir_any_text;

// Copies what fits; what is not printable ASCII becomes '?'.
void ir_keep(char *out, size_t size, const char *text);
bool ir_want_kept(const struct json_value *object, const char *key, char *out, size_t size,
                  struct fault *fault);

// A member that is null or else of `kind`; `*out` is NULL for null.
bool ir_want_or_null(const struct json_value *object, const char *key, enum json_kind kind,
                     const struct json_value **out, struct fault *fault);
bool ir_kept_or_null(const struct json_value *object, const char *key, char *out, size_t size,
                     struct fault *fault);

// `keys` ended by NULL, `to` as many.
bool ir_want_flags(const struct json_value *object, const char *const *keys, bool *const *to,
                   struct fault *fault);
bool ir_want_limits(const struct json_value *object, int64_t *fail_mpct, int64_t *warn_mpct,
                    struct fault *fault);

// The paths of a body, sorted; allocates result->paths.
bool ir_read_paths(const struct json_value *body, struct gate_result *result, struct fault *fault);

#endif
