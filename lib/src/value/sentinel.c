// SPDX-License-Identifier: MIT
// A map is a date only when nothing is lost by saying so: exactly two pairs, in either order,
// true itself, and a text of the right form. Whatever else has such a key stays a map.
#include "value/sentinel.h"

#include <string.h>

#include "value/date.h"

static const struct row {
    cachekit_type type;
    const char *name;
} rows[] = {
    {CACHEKIT_DATETIME, "__datetime__"},
    {CACHEKIT_DATE, "__date__"},
    {CACHEKIT_TIME, "__time__"},
};

const char *cki_sentinel_name(uint32_t type)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].type == type) {
            return rows[i].name;
        }
    }
    return NULL;
}

static bool is_text(const cachekit_value *node, const char *text)
{
    return node->type == CACHEKIT_STR && node->len == strlen(text) &&
           memcmp(node->as.text, text, node->len) == 0;
}

// `name` and `mark` are one pair, `key` and `text` the other.
static bool revive(const cachekit_value *name, const cachekit_value *mark,
                   const cachekit_value *key, const cachekit_value *text, cachekit_value *out)
{
    if (mark->type != CACHEKIT_BOOL || !mark->as.boolean || text->type != CACHEKIT_STR ||
        !is_text(key, "value")) {
        return false;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct date date;
        if (is_text(name, rows[i].name)) {
            if (!cki_date_parse(rows[i].type, text->as.text, text->len, &date)) {
                return false;
            }
            *out = *text;
            out->type = rows[i].type;
            return true;
        }
    }
    return false;
}

static bool revive_pairs(const cachekit_value *n, cachekit_value *out)
{
    return revive(&n[0], &n[1], &n[2], &n[3], out) || revive(&n[2], &n[3], &n[0], &n[1], out);
}

bool cki_sentinel_revive(cachekit_value *map)
{
    return map->type == CACHEKIT_MAP && map->len == 2 && revive_pairs(map->as.items, map);
}

// A text of any header width, or true; everything else is no part of a date.
static size_t read_node(const uint8_t *at, size_t room, cachekit_value *node)
{
    if (room == 0) {
        return 0;
    }
    if (*at == 0xc3) {
        *node = cachekit_value_bool(true);
        return 1;
    }
    size_t width = *at >= 0xd9 && *at <= 0xdb ? (size_t)1 << (*at - 0xd9) : 0;
    if ((width == 0 && (*at & 0xe0) != 0xa0) || room < 1 + width) {
        return 0;
    }
    size_t len = width == 0 ? *at & 31u : 0;
    for (size_t i = 1; i <= width; i++) {
        len = len << 8 | at[i];
    }
    if (len > room - 1 - width) {
        return 0;
    }
    *node = cachekit_value_str((const char *)at + 1 + width, len);
    return 1 + width + len;
}

size_t cki_sentinel_read(const uint8_t *pairs, size_t room, cachekit_value *node)
{
    cachekit_value nodes[4];
    size_t used = 0;
    for (size_t i = 0; i < 4; i++) {
        size_t len = read_node(pairs + used, room - used, &nodes[i]);
        if (len == 0) {
            return 0;
        }
        used += len;
    }
    return revive_pairs(nodes, node) ? used : 0;
}
