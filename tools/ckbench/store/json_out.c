// SPDX-License-Identifier: MIT
// An append-only text. Memory that runs out is noted once and every later call does nothing, so
// that callers check at the end.
#include "store/json_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_token.h"

static void append(struct json_out *out, const char *text, size_t len)
{
    if (out->is_failed) {
        return;
    }
    if (len + 1 > out->room - out->len) {
        size_t room = (out->room + len + 1) * 2;
        char *grown = room > len ? realloc(out->text, room) : NULL;
        if (grown == NULL) {
            out->is_failed = true;
            return;
        }
        out->text = grown;
        out->room = room;
    }
    memcpy(out->text + out->len, text, len);
    out->len += len;
    out->text[out->len] = '\0';
}

static void append_word(struct json_out *out, const char *word)
{
    append(out, word, strlen(word));
}

static void append_space(struct json_out *out)
{
    if (out->space != NULL) {
        append_word(out, out->space);
    }
    out->space = NULL;
}

static void append_escaped(struct json_out *out, unsigned char byte)
{
    static const char letters[] = "\"\\\b\f\n\r\t";
    static const char names[] = "\"\\bfnrt";
    char escape[8];
    const char *found = memchr(letters, byte, sizeof letters - 1);
    if (found != NULL) {
        (void)snprintf(escape, sizeof escape, "\\%c", names[found - letters]);
    } else {
        (void)snprintf(escape, sizeof escape, "\\u%04x", byte);
    }
    append_word(out, escape);
}

// A character beyond ASCII, `len` bytes of sound UTF-8: some of them drive terminals or turn the
// line around, so none is written as it is.
static void append_wide(struct json_out *out, const unsigned char *at, size_t len)
{
    char escape[16];
    uint32_t point = at[0] & (0xffU >> (len + 1));
    for (size_t i = 1; i < len; i++) {
        point = point << 6 | (at[i] & 0x3fU);
    }
    if (point < 0x10000) {
        (void)snprintf(escape, sizeof escape, "\\u%04x", (unsigned)point);
    } else {
        point -= 0x10000;
        (void)snprintf(escape, sizeof escape, "\\u%04x\\u%04x", (unsigned)(0xd800 + (point >> 10)),
                       (unsigned)(0xdc00 + (point & 0x3ff)));
    }
    append_word(out, escape);
}

static void append_text(struct json_out *out, const char *text)
{
    append_word(out, "\"");
    const unsigned char *at = (const unsigned char *)text;
    while (*at != '\0') {
        size_t len = *at < 0x80 ? 1 : json_token_utf8((const char *)at, SIZE_MAX);
        if (len == 0) {
            append_word(out, "?");
            at++;
        } else if (*at < 0x20 || *at == 0x7f || *at == '"' || *at == '\\') {
            append_escaped(out, *at++);
        } else if (len == 1) {
            append(out, (const char *)at++, 1);
        } else {
            append_wide(out, at, len);
            at += len;
        }
    }
    append_word(out, "\"");
}

// Comma, white space and key: all that comes before a value.
static void lead(struct json_out *out, const char *key)
{
    if (out->has_sibling) {
        append_word(out, ",");
    }
    append_space(out);
    if (key != NULL) {
        append_text(out, key);
        append_word(out, ":");
    }
    out->has_sibling = true;
}

static void begin(struct json_out *out, const char *key, const char *bracket)
{
    lead(out, key);
    append_word(out, bracket);
    out->has_sibling = false;
}

static void end(struct json_out *out, const char *bracket)
{
    append_space(out);
    append_word(out, bracket);
    out->has_sibling = true;
}

void json_out_release(struct json_out *out)
{
    free(out->text);
    *out = (struct json_out)JSON_OUT_INIT;
}

void json_begin_object(struct json_out *out, const char *key)
{
    begin(out, key, "{");
}

void json_end_object(struct json_out *out)
{
    end(out, "}");
}

void json_begin_array(struct json_out *out, const char *key)
{
    begin(out, key, "[");
}

void json_end_array(struct json_out *out)
{
    end(out, "]");
}

void json_put_i64(struct json_out *out, const char *key, int64_t value)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%" PRId64, value);
    lead(out, key);
    append_word(out, text);
}

void json_put_fixed(struct json_out *out, const char *key, int64_t scaled, unsigned decimals)
{
    char text[48];
    uint64_t unit = 1;
    for (unsigned i = 0; i < decimals; i++) {
        unit *= 10;
    }
    uint64_t size = scaled < 0 ? 0 - (uint64_t)scaled : (uint64_t)scaled;
    (void)snprintf(text, sizeof text, "%s%" PRIu64 ".%0*" PRIu64, scaled < 0 ? "-" : "",
                   size / unit, (int)decimals, size % unit);
    lead(out, key);
    append_word(out, text);
}

void json_put_text(struct json_out *out, const char *key, const char *text)
{
    if (text == NULL) {
        json_put_null(out, key);
        return;
    }
    lead(out, key);
    append_text(out, text);
}

void json_put_bool(struct json_out *out, const char *key, bool value)
{
    lead(out, key);
    append_word(out, value ? "true" : "false");
}

void json_put_null(struct json_out *out, const char *key)
{
    lead(out, key);
    append_word(out, "null");
}

void json_put_raw(struct json_out *out, const char *key, const char *json, size_t len)
{
    lead(out, key);
    append(out, json, len);
}

void json_put_space(struct json_out *out, const char *space)
{
    out->space = space;
}

void json_end_text(struct json_out *out)
{
    append(out, "\n", 1);
}
