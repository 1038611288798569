// SPDX-License-Identifier: MIT
// Strings and numbers of JSON (RFC 8259), strictly: what another reader might understand in another
// way (U+0000, lone surrogates, invalid UTF-8) is refused.
#include "json_token.h"

#include <stdint.h>
#include <string.h>

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// The four digits after "\u"; -1 when they are none.
static int32_t read_unit(const char *at, const char *end)
{
    int32_t unit = 0;
    if (end - at < 4) {
        return -1;
    }
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(at[i]);
        if (digit < 0) {
            return -1;
        }
        unit = unit * 16 + digit;
    }
    return unit;
}

static char *put_utf8(char *to, uint32_t code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    } else {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3f));
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    return to;
}

// `*at` is behind "\u".
static const char *scan_unicode(const char **at, const char *end, char **to)
{
    int32_t unit = read_unit(*at, end);
    if (unit < 0) {
        return "a \\u escape without four hex digits";
    }
    *at += 4;
    uint32_t code = (uint32_t)unit;
    if (code == 0) {
        return "U+0000 in a text";
    }
    if (code >= 0xd800 && code <= 0xdfff) {
        bool has_low = code < 0xdc00 && end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u';
        int32_t low = has_low ? read_unit(*at + 2, end) : -1;
        if (low < 0xdc00 || low > 0xdfff) {
            return "half a surrogate pair";
        }
        *at += 6;
        code = 0x10000 + ((code - 0xd800) << 10) + ((uint32_t)low - 0xdc00);
    }
    *to = put_utf8(*to, code);
    return NULL;
}

static const char *scan_escape(const char **at, const char *end, char **to)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    if (*at == end) {
        return "the text is cut";
    }
    char letter = *(*at)++;
    if (letter == 'u') {
        return scan_unicode(at, end, to);
    }
    const char *found = letter != '\0' ? strchr(letters, letter) : NULL;
    if (found == NULL) {
        return "an unknown escape in a text";
    }
    *(*to)++ = meanings[found - letters];
    return NULL;
}

size_t json_token_utf8(const char *text, size_t room)
{
    // Unicode, table 3-7.
    static const struct {
        unsigned char low, high, second_low, second_high;
        unsigned char len;
    } rows[] = {{0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
                {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3},
                {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
                {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    const unsigned char *at = (const unsigned char *)text;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (at[0] < rows[i].low || at[0] > rows[i].high) {
            continue;
        }
        if (room < rows[i].len || at[1] < rows[i].second_low || at[1] > rows[i].second_high) {
            return 0;
        }
        for (size_t j = 2; j < rows[i].len; j++) {
            if ((at[j] & 0xc0) != 0x80) {
                return 0;
            }
        }
        return rows[i].len;
    }
    return 0;
}

static const char *scan_plain(const char **at, const char *end, char **to)
{
    unsigned char byte = (unsigned char)**at;
    size_t len = 1;
    if (byte < 0x20) {
        return byte == 0 ? "a NUL byte in a text" : "a control character in a text";
    }
    if (byte >= 0x80) {
        len = json_token_utf8(*at, (size_t)(end - *at));
        if (len == 0) {
            return "a text that is no UTF-8";
        }
    }
    memcpy(*to, *at, len);
    *to += len;
    *at += len;
    return NULL;
}

const char *json_token_text(const char **at, const char *end, char **to)
{
    (*at)++;
    while (*at < end && **at != '"') {
        const char *wrong;
        if (**at == '\\') {
            (*at)++;
            wrong = scan_escape(at, end, to);
        } else {
            wrong = scan_plain(at, end, to);
        }
        if (wrong != NULL) {
            return wrong;
        }
    }
    if (*at == end) {
        return "the text is cut";
    }
    (*at)++;
    *(*to)++ = '\0';
    return NULL;
}

static size_t skip_digits(const char **at, const char *end)
{
    const char *from = *at;
    while (*at < end && **at >= '0' && **at <= '9') {
        (*at)++;
    }
    return (size_t)(*at - from);
}

const char *json_token_number(const char **at, const char *end, bool *is_decimal)
{
    *is_decimal = false;
    *at += **at == '-';
    const char *digits = *at;
    size_t count = skip_digits(at, end);
    if (count == 0) {
        return "no JSON value";
    }
    if (*digits == '0' && count > 1) {
        return "a number with leading zeros";
    }
    if (*at < end && **at == '.') {
        *is_decimal = true;
        (*at)++;
        if (skip_digits(at, end) == 0) {
            return "a number that ends in its decimal point";
        }
    }
    if (*at < end && (**at == 'e' || **at == 'E')) {
        *is_decimal = true;
        (*at)++;
        *at += *at < end && (**at == '+' || **at == '-');
        if (skip_digits(at, end) == 0) {
            return "a number with an empty exponent";
        }
    }
    return NULL;
}
