// SPDX-License-Identifier: MIT
// Writing JSON: begin, put, end, in the caller's order, into memory. Integers stay integers; the
// same calls give the same bytes. Layer: store.
#ifndef CKBENCH_JSON_OUT_H
#define CKBENCH_JSON_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_out {
    char *text; // terminated
    size_t len, room;
    bool is_failed; // out of memory: `text` is not to be used
    bool has_sibling;
    const char *space; // goes before the next value or bracket, after the comma
};

#define JSON_OUT_INIT                                                                              \
    {                                                                                              \
        NULL, 0, 0, false, false, NULL                                                             \
    }

void json_out_release(struct json_out *out);

// `key` is NULL for the root and inside arrays.
void json_begin_object(struct json_out *out, const char *key);
void json_end_object(struct json_out *out);
void json_begin_array(struct json_out *out, const char *key);
void json_end_array(struct json_out *out);

void json_put_i64(struct json_out *out, const char *key, int64_t value);
// `scaled` / 10^`decimals` with exactly that many decimals (1 to 9), by integer arithmetic.
void json_put_fixed(struct json_out *out, const char *key, int64_t scaled, unsigned decimals);
// NULL becomes null. Invalid UTF-8 becomes '?', so that what is written can be read.
void json_put_text(struct json_out *out, const char *key, const char *text);
void json_put_bool(struct json_out *out, const char *key, bool value);
void json_put_null(struct json_out *out, const char *key);
// A value that is JSON already.
void json_put_raw(struct json_out *out, const char *key, const char *json, size_t len);

// White space before the next value or closing bracket, where people are to read the text.
// `space` must live until then.
void json_put_space(struct json_out *out, const char *space);
// Ends the text behind its root with a newline, as files end.
void json_end_text(struct json_out *out);

#endif
