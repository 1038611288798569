// SPDX-License-Identifier: MIT
// Texts of others are cut and made printable where they enter.
#include "store/ir_reading.h"

enum { PCT_MAX_MILLI = 1000000 };

const struct json_text_rule ir_any_text = {.max = 4096, .is_any = true};

void ir_keep(char *out, size_t size, const char *text)
{
    size_t len = 0;
    for (; text[len] != '\0' && len + 1 < size; len++) {
        bool printable = text[len] >= 0x20 && text[len] <= 0x7e;
        out[len] = printable ? text[len] : '?';
    }
    out[len] = '\0';
}

bool ir_want_kept(const struct json_value *object, const char *key, char *out, size_t size,
                  struct fault *fault)
{
    const char *text;
    if (!json_want_text(object, key, &ir_any_text, &text, fault)) {
        return false;
    }
    ir_keep(out, size, text);
    return true;
}

bool ir_want_or_null(const struct json_value *object, const char *key, enum json_kind kind,
                     const struct json_value **out, struct fault *fault)
{
    *out = json_find(object, key);
    if (*out != NULL && json_kind(*out) == JSON_NULL) {
        *out = NULL;
        return true;
    }
    return json_want(object, key, kind, out, fault);
}

bool ir_kept_or_null(const struct json_value *object, const char *key, char *out, size_t size,
                     struct fault *fault)
{
    const struct json_value *value;
    out[0] = '\0';
    return ir_want_or_null(object, key, JSON_TEXT, &value, fault) &&
           (value == NULL || ir_want_kept(object, key, out, size, fault));
}

bool ir_want_flags(const struct json_value *object, const char *const *keys, bool *const *to,
                   struct fault *fault)
{
    for (size_t i = 0; keys[i] != NULL; i++) {
        if (!json_want_bool(object, keys[i], to[i], fault)) {
            return false;
        }
    }
    return true;
}

bool ir_want_limits(const struct json_value *object, int64_t *fail_mpct, int64_t *warn_mpct,
                    struct fault *fault)
{
    *fail_mpct = *warn_mpct = 0;
    if (!json_may_milli(object, "fail_pct", 1, PCT_MAX_MILLI, fail_mpct, fault) ||
        !json_may_milli(object, "warn_pct", 1, PCT_MAX_MILLI, warn_mpct, fault)) {
        return false;
    }
    return (*fail_mpct != 0 && *warn_mpct != 0) ||
           json_fail(object, fault, "fail_pct or warn_pct is missing");
}
