// SPDX-License-Identifier: MIT
// Objects of one `$` key: what JSON has no words for. Each reader gets the value under the key.
#include <math.h>
#include <string.h>

#include "value/json_float.h"
#include "value/json_reader.h"

typedef cachekit_status read_tag(struct cki_json_reader *reader, const cachekit_value *value,
                                 uint32_t *height, cachekit_value *out);

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

static cachekit_status read_bytes(struct cki_json_reader *reader, const cachekit_value *value,
                                  uint32_t *height, cachekit_value *out)
{
    (void)height;
    if (value->type != CACHEKIT_STR || value->len % 2 != 0) {
        return CACHEKIT_E_DECODE;
    }
    size_t len = value->len / 2;
    char *bytes = cachekit_arena_copy(reader->arena, value->as.text, len);
    if (bytes == NULL) {
        return CACHEKIT_E_NOMEM;
    }
    for (size_t i = 0; i < len; i++) {
        int high = hex_digit(value->as.text[2 * i]);
        int low = hex_digit(value->as.text[2 * i + 1]);
        if (high < 0 || low < 0) {
            return CACHEKIT_E_DECODE;
        }
        bytes[i] = (char)(high << 4 | low);
    }
    *out = cachekit_value_bin(bytes, len);
    return CACHEKIT_OK;
}

static bool is_number(const cachekit_value *value, bool *is_float)
{
    return value->type == CACHEKIT_STR && value->len > 0 &&
           cki_json_number_len((const uint8_t *)value->as.text, value->len, is_float) == value->len;
}

static cachekit_status read_int(struct cki_json_reader *reader, const cachekit_value *value,
                                uint32_t *height, cachekit_value *out)
{
    (void)reader, (void)height;
    bool is_float;
    if (!is_number(value, &is_float) || is_float) {
        return CACHEKIT_E_DECODE;
    }
    return cki_json_integer((const uint8_t *)value->as.text, value->len, out) ? CACHEKIT_OK
                                                                              : CACHEKIT_E_VALUE;
}

static bool is_text(const cachekit_value *value, const char *text)
{
    return value->type == CACHEKIT_STR && value->len == strlen(text) &&
           memcmp(value->as.text, text, value->len) == 0;
}

static cachekit_status read_float(struct cki_json_reader *reader, const cachekit_value *value,
                                  uint32_t *height, cachekit_value *out)
{
    static const struct {
        const char *text;
        double number;
    } words[] = {{"nan", (double)NAN}, {"inf", (double)INFINITY}, {"-inf", -(double)INFINITY}};
    (void)reader, (void)height;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (is_text(value, words[i].text)) {
            *out = cachekit_value_f64(words[i].number);
            return CACHEKIT_OK;
        }
    }
    bool is_float;
    double number;
    if (!is_number(value, &is_float)) {
        return CACHEKIT_E_DECODE;
    }
    if (!cki_float_read((const uint8_t *)value->as.text, value->len, &number)) {
        return CACHEKIT_E_VALUE;
    }
    *out = cachekit_value_f64(number);
    return CACHEKIT_OK;
}

static cachekit_status read_datetime(struct cki_json_reader *reader, const cachekit_value *value,
                                     uint32_t *height, cachekit_value *out)
{
    (void)reader;
    int64_t instant;
    *height = 1; // it is a map of two wherever it is written
    if (value->type != CACHEKIT_STR ||
        cachekit_value_date(CACHEKIT_DATETIME, value->as.text, value->len, out) < 0 ||
        !cachekit_value_to_unix_us(out, &instant)) {
        return CACHEKIT_E_DECODE;
    }
    return CACHEKIT_OK;
}

static cachekit_status read_map(struct cki_json_reader *reader, const cachekit_value *value,
                                uint32_t *height, cachekit_value *out)
{
    if (value->type != CACHEKIT_ARRAY) {
        return CACHEKIT_E_DECODE;
    }
    // The two arrays around each key are no levels of the tree.
    *height = *height > 2 ? *height - 1 : 1;
    if (value->len == 0) {
        *out = cachekit_value_map(NULL, 0);
        return CACHEKIT_OK;
    }
    cachekit_value *items = cachekit_arena_values(reader->arena, 2 * (size_t)value->len);
    if (items == NULL) {
        return CACHEKIT_E_NOMEM;
    }
    for (size_t i = 0; i < value->len; i++) {
        const cachekit_value *pair = &value->as.items[i];
        if (pair->type != CACHEKIT_ARRAY || pair->len != 2) {
            return CACHEKIT_E_DECODE;
        }
        memcpy(&items[2 * i], pair->as.items, 2 * sizeof items[0]);
    }
    *out = cachekit_value_map(items, value->len);
    return CACHEKIT_OK;
}

static const struct tag {
    const char *name;
    read_tag *read;
    const char *complaint;
} tags[] = {
    {"$bytes", read_bytes, "$bytes wants pairs of hexadecimal digits"},
    {"$int", read_int, "$int wants the text of an integer of 64 bits"},
    {"$float", read_float, "$float wants the text of a number, nan, inf or -inf"},
    {"$datetime", read_datetime, "$datetime wants ISO 8601 with a UTC offset"},
    {"$map", read_map, "$map wants an array of pairs"},
    {"$set", NULL, "$set is for arguments only"},
    {"$uuid", NULL, "$uuid is for arguments only"},
};

cachekit_status cki_json_read_tag(struct cki_json_reader *reader, const cachekit_value *pair,
                                  const uint8_t *at, uint32_t *height, cachekit_value *out)
{
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        const struct tag *tag = &tags[i];
        if (!is_text(&pair[0], tag->name)) {
            continue;
        }
        cachekit_status status =
            tag->read != NULL ? tag->read(reader, &pair[1], height, out) : CACHEKIT_E_DECODE;
        if (status == CACHEKIT_E_NOMEM) {
            return cki_json_refuse(reader, status, at, "out of memory for the values");
        }
        return status < 0 ? cki_json_refuse(reader, status, at, tag->complaint) : status;
    }
    return cki_json_refuse(reader, CACHEKIT_E_DECODE, at, "unknown tag");
}
