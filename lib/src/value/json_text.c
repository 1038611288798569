// SPDX-License-Identifier: MIT
// Strings. A text without escapes is the input's own bytes; one with escapes is copied and
// shrunk in place, since no escape is shorter than what it stands for.
#include "value/json_reader.h"

#include "value/json_plain.h"
#include "value/utf8.h"

// clang-format off
#define X16(b) b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b
const uint8_t cki_json_is_odd[256] = {
    X16(1), X16(1), // controls
    0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, // the quote is the third of these
    X16(0), X16(0),
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, // the backslash stands before `]`
    X16(0), X16(0),
    X16(1), X16(1), X16(1), X16(1), X16(1), X16(1), X16(1), X16(1),
};
// clang-format on

enum { HIGH_FIRST = 0xd800, LOW_FIRST = 0xdc00, LOW_LAST = 0xdfff };

static int hex_digit(uint8_t c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// The four digits behind `\u`, or -1. Text ends with its quote, so reading stops there.
static int32_t hex4(const uint8_t *at)
{
    int32_t unit = 0;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(at[i]);
        if (digit < 0) {
            return -1;
        }
        unit = unit << 4 | digit;
    }
    return unit;
}

// The character at `\u`, of one or two escapes, and their length; -1 if they are malformed.
static int32_t escaped_unit(const uint8_t *at, size_t *len)
{
    int32_t unit = hex4(at + 2);
    *len = 6;
    if (unit < HIGH_FIRST || unit > LOW_LAST) {
        return unit;
    }
    if (unit >= LOW_FIRST || at[6] != '\\' || at[7] != 'u') {
        return -1;
    }
    int32_t low = hex4(at + 8);
    if (low < LOW_FIRST || low > LOW_LAST) {
        return -1;
    }
    *len = 12;
    return 0x10000 + ((unit - HIGH_FIRST) << 10) + (low - LOW_FIRST);
}

static uint8_t *put_utf8(uint8_t *at, uint32_t c)
{
    if (c < 0x80) {
        *at++ = (uint8_t)c;
        return at;
    }
    unsigned tails = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const uint8_t leads[] = {0, 0xc0, 0xe0, 0xf0};
    *at++ = (uint8_t)(leads[tails] | c >> (6 * tails));
    while (tails-- > 0) {
        *at++ = (uint8_t)(0x80 | (c >> (6 * tails) & 0x3f));
    }
    return at;
}

// Escapes of two characters: what stands behind the backslash, and for what.
static const char escapes[][2] = {{'"', '"'},  {'\\', '\\'}, {'/', '/'},  {'b', '\b'},
                                  {'f', '\f'}, {'n', '\n'},  {'r', '\r'}, {'t', '\t'}};

// Writes the escape at `*from` and moves both; false if there is no such escape.
static bool unescape_one(const uint8_t **from, uint8_t **to)
{
    uint8_t name = (*from)[1];
    if (name == 'u') {
        size_t len;
        int32_t c = escaped_unit(*from, &len);
        if (c < 0) {
            return false;
        }
        *to = put_utf8(*to, (uint32_t)c);
        *from += len;
        return true;
    }
    for (size_t i = 0; i < sizeof escapes / sizeof escapes[0]; i++) {
        if (name == (uint8_t)escapes[i][0]) {
            *(*to)++ = (uint8_t)escapes[i][1];
            *from += 2;
            return true;
        }
    }
    return false;
}

// `raw` is in the input and has its closing quote behind it.
static cachekit_status unescape(struct cki_json_reader *reader, const uint8_t *raw, size_t len,
                                cachekit_value *out)
{
    char *text = cachekit_arena_copy(reader->arena, raw, len);
    if (text == NULL) {
        return cki_json_refuse(reader, CACHEKIT_E_NOMEM, raw, "out of memory for text");
    }
    const uint8_t *from = raw;
    uint8_t *to = (uint8_t *)text;
    while (from < raw + len) {
        if (*from != '\\') {
            *to++ = *from++;
        } else if (!unescape_one(&from, &to)) {
            return cki_json_refuse(reader, CACHEKIT_E_DECODE, from, "no such escape");
        }
    }
    *to = '\0';
    *out = cachekit_value_str(text, (size_t)(to - (uint8_t *)text));
    return CACHEKIT_OK;
}

static cachekit_status take(struct cki_json_reader *reader, const uint8_t *raw, size_t len,
                            cachekit_value *out)
{
    const char *text = (const char *)raw;
    if ((reader->flags & CACHEKIT_JSON_COPY) != 0) {
        text = cachekit_arena_copy(reader->arena, raw, len);
        if (text == NULL) {
            return cki_json_refuse(reader, CACHEKIT_E_NOMEM, raw, "out of memory for text");
        }
    }
    *out = cachekit_value_str(text, len);
    return CACHEKIT_OK;
}

cachekit_status cki_json_read_text(struct cki_json_reader *reader, cachekit_value *out)
{
    const uint8_t *raw = reader->at;
    const uint8_t *at = raw;
    bool has_escape = false;
    bool has_wide = false;
    for (;;) {
        at += cki_json_plain_len(at, (size_t)(reader->end - at));
        if (at == reader->end) {
            return cki_json_refuse(reader, CACHEKIT_E_DECODE, at, "text without an end");
        }
        if (*at == '"') {
            break;
        }
        if (*at < 0x20) {
            return cki_json_refuse(reader, CACHEKIT_E_DECODE, at, "control character in text");
        }
        if (*at == '\\') {
            has_escape = true;
            at += reader->end - at > 1;
        } else {
            has_wide = true;
        }
        at++;
    }
    size_t len = (size_t)(at - raw);
    reader->at = at + 1;
    if (has_wide) {
        size_t valid = cki_utf8_valid_len(raw, len);
        if (valid < len) {
            return cki_json_refuse(reader, CACHEKIT_E_DECODE, raw + valid,
                                   "text that is not UTF-8");
        }
    }
    return has_escape ? unescape(reader, raw, len, out) : take(reader, raw, len, out);
}
