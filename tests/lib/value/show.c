// SPDX-License-Identifier: MIT
// Appends piece by piece behind a cursor that stops at the end of the line.
#include "show.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

struct line {
    char *at;
    size_t room;
};

__attribute__((format(printf, 2, 3))) static void put(struct line *line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(line->at, line->room, format, args);
    va_end(args);
    size_t step = (size_t)len < line->room ? (size_t)len : line->room - 1;
    line->at += step;
    line->room -= step;
}

static void put_value(struct line *line, const cachekit_value *value);

static void put_bin(struct line *line, const cachekit_value *value)
{
    put(line, "x'");
    for (uint32_t i = 0; i < value->len; i++) {
        put(line, "%02x", value->as.bytes[i]);
    }
    put(line, "'");
}

static void put_items(struct line *line, const cachekit_value *value)
{
    bool is_map = value->type == CACHEKIT_MAP;
    size_t count = is_map ? 2 * (size_t)value->len : value->len;
    put(line, "%c", is_map ? '{' : '[');
    for (size_t i = 0; i < count; i++) {
        put(line, "%s", i == 0 ? "" : is_map && i % 2 == 1 ? ": " : ", ");
        put_value(line, &value->as.items[i]);
    }
    put(line, "%c", is_map ? '}' : ']');
}

static void put_value(struct line *line, const cachekit_value *value)
{
    switch (value->type) {
    case CACHEKIT_NIL:
        put(line, "nil");
        return;
    case CACHEKIT_BOOL:
        put(line, "%s", value->as.boolean ? "true" : "false");
        return;
    case CACHEKIT_INT:
        put(line, "%" PRId64, value->as.i64);
        return;
    case CACHEKIT_UINT:
        put(line, "%" PRIu64 "u", value->as.u64);
        return;
    case CACHEKIT_FLOAT:
        put(line, "%a", value->as.f64);
        return;
    case CACHEKIT_BIN:
        put_bin(line, value);
        return;
    case CACHEKIT_ARRAY:
    case CACHEKIT_MAP:
        put_items(line, value);
        return;
    default:
        put(line, "%s'%.*s'", value->type == CACHEKIT_STR ? "" : cachekit_type_name(value->type),
            (int)value->len, value->as.text);
    }
}

const char *show(const cachekit_value *value, char out[SHOW_MAX])
{
    struct line line = {out, SHOW_MAX};
    put_value(&line, value);
    return out;
}
