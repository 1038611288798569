// SPDX-License-Identifier: MIT
// Making nodes and looking at them. A number has one node (INT before UINT), so that equal trees
// are equal node by node.
#include <cachekit/value.h>

#include <string.h>

#include "base/num.h"
#include "value/date.h"

_Static_assert(sizeof(cachekit_value) == 16, "readers and writers count on 16 bytes");

const char *cachekit_type_name(uint32_t type)
{
    static const char *const names[] = {
        [CACHEKIT_NIL] = "nil",           [CACHEKIT_BOOL] = "bool",   [CACHEKIT_INT] = "int",
        [CACHEKIT_UINT] = "uint",         [CACHEKIT_FLOAT] = "float", [CACHEKIT_STR] = "str",
        [CACHEKIT_BIN] = "bin",           [CACHEKIT_ARRAY] = "array", [CACHEKIT_MAP] = "map",
        [CACHEKIT_DATETIME] = "datetime", [CACHEKIT_DATE] = "date",   [CACHEKIT_TIME] = "time",
    };
    return type < sizeof names / sizeof names[0] ? names[type] : "?";
}

cachekit_value cachekit_value_nil(void)
{
    return (cachekit_value){.type = CACHEKIT_NIL};
}

cachekit_value cachekit_value_bool(bool boolean)
{
    cachekit_value value = {.type = CACHEKIT_BOOL};
    value.as.boolean = boolean;
    return value;
}

cachekit_value cachekit_value_i64(int64_t number)
{
    return (cachekit_value){.type = CACHEKIT_INT, .as.i64 = number};
}

cachekit_value cachekit_value_u64(uint64_t number)
{
    if (number <= INT64_MAX) {
        return cachekit_value_i64((int64_t)number);
    }
    return (cachekit_value){.type = CACHEKIT_UINT, .as.u64 = number};
}

cachekit_value cachekit_value_f64(double number)
{
    return (cachekit_value){.type = CACHEKIT_FLOAT, .as.f64 = number};
}

cachekit_value cachekit_value_str(const char *text, size_t len)
{
    return (cachekit_value){.type = CACHEKIT_STR, .len = (uint32_t)len, .as.text = text};
}

cachekit_value cachekit_value_text(const char *text)
{
    return cachekit_value_str(text, strlen(text));
}

cachekit_value cachekit_value_bin(const void *bytes, size_t len)
{
    return (cachekit_value){.type = CACHEKIT_BIN, .len = (uint32_t)len, .as.bytes = bytes};
}

cachekit_value cachekit_value_array(const cachekit_value *items, size_t count)
{
    return (cachekit_value){.type = CACHEKIT_ARRAY, .len = (uint32_t)count, .as.items = items};
}

cachekit_value cachekit_value_map(const cachekit_value *items, size_t pairs)
{
    return (cachekit_value){.type = CACHEKIT_MAP, .len = (uint32_t)pairs, .as.items = items};
}

cachekit_status cachekit_value_date(cachekit_type type, const char *text, size_t len,
                                    cachekit_value *out)
{
    struct date date;
    if (!cki_date_parse(type, text, len, &date)) {
        return CACHEKIT_E_VALUE;
    }
    *out = cachekit_value_str(text, len);
    out->type = type;
    return CACHEKIT_OK;
}

cachekit_value *cachekit_arena_values(cachekit_arena *arena, size_t count)
{
    size_t size;
    if (!cki_mul_size(count, sizeof(cachekit_value), &size)) {
        return NULL;
    }
    cachekit_value *values = cachekit_arena_alloc(arena, size);
    for (size_t i = 0; values != NULL && i < count; i++) {
        values[i] = cachekit_value_nil();
    }
    return values;
}

const cachekit_value *cachekit_value_at(const cachekit_value *array, size_t index)
{
    if (array == NULL || array->type != CACHEKIT_ARRAY || index >= array->len) {
        return NULL;
    }
    return &array->as.items[index];
}

const cachekit_value *cachekit_value_get(const cachekit_value *map, const char *key)
{
    return cachekit_value_get_str(map, key, strlen(key));
}

const cachekit_value *cachekit_value_get_str(const cachekit_value *map, const char *key, size_t len)
{
    if (map == NULL || map->type != CACHEKIT_MAP) {
        return NULL;
    }
    for (size_t i = map->len; i-- > 0;) {
        const cachekit_value *at = &map->as.items[2 * i];
        if (at->type == CACHEKIT_STR && at->len == len &&
            (len == 0 || memcmp(at->as.text, key, len) == 0)) {
            return at + 1;
        }
    }
    return NULL;
}

static bool is_type(const cachekit_value *value, cachekit_type type)
{
    return value != NULL && value->type == type;
}

bool cachekit_value_to_bool(const cachekit_value *value, bool *out)
{
    if (!is_type(value, CACHEKIT_BOOL)) {
        return false;
    }
    *out = value->as.boolean;
    return true;
}

bool cachekit_value_to_i64(const cachekit_value *value, int64_t *out)
{
    if (!is_type(value, CACHEKIT_INT)) {
        return false;
    }
    *out = value->as.i64;
    return true;
}

bool cachekit_value_to_u64(const cachekit_value *value, uint64_t *out)
{
    if (is_type(value, CACHEKIT_UINT)) {
        *out = value->as.u64;
        return true;
    }
    if (is_type(value, CACHEKIT_INT) && value->as.i64 >= 0) {
        *out = (uint64_t)value->as.i64;
        return true;
    }
    return false;
}

// 2^64 and 2^63 are the first numbers beyond the integers: casting them back is undefined.
static bool exact_f64(const cachekit_value *value, double *out)
{
    if (value->type == CACHEKIT_UINT) {
        double wide = (double)value->as.u64;
        *out = wide;
        return wide < 18446744073709551616.0 && (uint64_t)wide == value->as.u64;
    }
    double wide = (double)value->as.i64;
    *out = wide;
    return wide < 9223372036854775808.0 && (int64_t)wide == value->as.i64;
}

bool cachekit_value_to_f64(const cachekit_value *value, double *out)
{
    double exact;
    if (is_type(value, CACHEKIT_FLOAT)) {
        *out = value->as.f64;
        return true;
    }
    if ((!is_type(value, CACHEKIT_INT) && !is_type(value, CACHEKIT_UINT)) ||
        !exact_f64(value, &exact)) {
        return false;
    }
    *out = exact;
    return true;
}

bool cachekit_value_to_text(const cachekit_value *value, cachekit_slice *out)
{
    if (!is_type(value, CACHEKIT_STR) && !is_type(value, CACHEKIT_DATETIME) &&
        !is_type(value, CACHEKIT_DATE) && !is_type(value, CACHEKIT_TIME)) {
        return false;
    }
    *out = (cachekit_slice){(const uint8_t *)value->as.text, value->len};
    return true;
}

bool cachekit_value_to_bin(const cachekit_value *value, cachekit_slice *out)
{
    if (!is_type(value, CACHEKIT_BIN)) {
        return false;
    }
    *out = (cachekit_slice){value->as.bytes, value->len};
    return true;
}

bool cachekit_value_to_unix_us(const cachekit_value *value, int64_t *out)
{
    struct date date;
    if (!is_type(value, CACHEKIT_DATETIME) ||
        !cki_date_parse(value->type, value->as.text, value->len, &date) || !date.has_offset) {
        return false;
    }
    *out = cki_date_us(&date) - date.offset_us;
    return true;
}
