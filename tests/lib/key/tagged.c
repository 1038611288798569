// SPDX-License-Identifier: MIT
#include "tagged.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cachekit/json.h>

#include "hex.h"

static bool read_all(const char *path, cachekit_buffer *out)
{
    FILE *file = fopen(path, "rb");
    char piece[4096];
    if (file == NULL) {
        return false;
    }
    bool is_good = true;
    for (size_t len; is_good && (len = fread(piece, 1, sizeof piece, file)) > 0;) {
        is_good = cachekit_buffer_append(out, piece, len) == CACHEKIT_OK;
    }
    return fclose(file) == 0 && is_good;
}

bool tagged_open(struct tagged_file *file, const char *name)
{
    char path[512];
    cachekit_error error;
    snprintf(path, sizeof path, "%s/vectors/%s", CACHEKIT_TEST_DIR, name);
    cachekit_arena_init(&file->arena, NULL, SIZE_MAX);
    cachekit_buffer_init(&file->text, NULL);
    if (!read_all(path, &file->text)) {
        return false;
    }
    const cachekit_slice text = {file->text.data, file->text.len};
    return cachekit_json_decode(text, CACHEKIT_JSON_COPY | CACHEKIT_JSON_PLAIN, &file->arena,
                                &file->root, &error) == CACHEKIT_OK;
}

void tagged_close(struct tagged_file *file)
{
    cachekit_arena_release(&file->arena);
    cachekit_buffer_release(&file->text);
}

const cachekit_value *tagged_rows(const struct tagged_file *file, const char *name)
{
    const cachekit_value *rows = cachekit_value_get(&file->root, name);
    return rows != NULL && rows->type == CACHEKIT_ARRAY ? rows : NULL;
}

const char *tagged_text(const cachekit_value *row, const char *name)
{
    const cachekit_value *text = cachekit_value_get(row, name);
    return text != NULL && text->type == CACHEKIT_STR ? text->as.text : NULL;
}

static void *room_for(struct tagged_file *file, size_t size)
{
    void *room = cachekit_arena_alloc(&file->arena, size + 1);
    if (room == NULL) {
        abort();
    }
    return room;
}

static bool to_arg(struct tagged_file *file, const cachekit_value *json, cachekit_arg *out);

static bool to_args(struct tagged_file *file, const cachekit_value *list, struct tagged_args *out)
{
    out->count = list->len;
    out->args = room_for(file, list->len * sizeof(cachekit_arg));
    for (size_t i = 0; i < out->count; i++) {
        if (!to_arg(file, &list->as.items[i], &out->args[i])) {
            return false;
        }
    }
    return true;
}

static bool flatten(struct tagged_file *file, const cachekit_value *pairs, struct tagged_args *out)
{
    out->count = 2 * (size_t)pairs->len;
    out->args = room_for(file, out->count * sizeof(cachekit_arg));
    for (size_t i = 0; i < out->count; i++) {
        if (!to_arg(file, &pairs->as.items[i / 2].as.items[i % 2], &out->args[i])) {
            return false;
        }
    }
    return true;
}

static const uint8_t *to_bytes(struct tagged_file *file, const char *hex, size_t *len)
{
    uint8_t *bytes = room_for(file, strlen(hex));
    *len = hex_append(bytes, 0, strlen(hex), hex);
    return bytes;
}

static bool to_int(const char *text, cachekit_arg *out)
{
    errno = 0;
    *out = text[0] == '-' ? cachekit_i64(strtoll(text, NULL, 10))
                          : cachekit_u64(strtoull(text, NULL, 10));
    return errno == 0;
}

static bool to_uuid(struct tagged_file *file, const char *text, cachekit_arg *out)
{
    char hex[33] = "";
    size_t len = 0;
    for (; *text != '\0' && len < 32; text++) {
        if (*text != '-') {
            hex[len++] = *text >= 'A' && *text <= 'F' ? (char)(*text + 32) : *text;
        }
    }
    *out = cachekit_arg_uuid(to_bytes(file, hex, &len));
    return len == 16;
}

static bool text_tag(struct tagged_file *file, const char *tag, const char *text, cachekit_arg *out)
{
    size_t len = 0;
    if (strcmp(tag, "$int") == 0) {
        return to_int(text, out);
    }
    if (strcmp(tag, "$uuid") == 0) {
        return to_uuid(file, text, out);
    }
    if (strcmp(tag, "$float") == 0) {
        *out = cachekit_f64(strtod(text, NULL));
    } else if (strcmp(tag, "$us") == 0) {
        *out = cachekit_arg_datetime_us(strtoll(text, NULL, 10));
    } else if (strcmp(tag, "$datetime") == 0) {
        *out = cachekit_arg_datetime_text(text, strlen(text));
    } else if (strcmp(tag, "$bytes") == 0) {
        const uint8_t *bytes = to_bytes(file, text, &len);
        *out = cachekit_bytes(bytes, len);
    } else if (strcmp(tag, "$raw") == 0) {
        const uint8_t *bytes = to_bytes(file, text, &len);
        *out = cachekit_str_len((const char *)bytes, len);
    } else {
        abort(); // a tag that a vector file has and this one does not know
    }
    return true;
}

static bool map_or_tag(struct tagged_file *file, const cachekit_value *json, cachekit_arg *out)
{
    const cachekit_value *items = json->as.items;
    struct tagged_args inner;
    bool is_good = true;
    if (json->len != 1 || items[0].as.text[0] != '$') {
        inner.count = 2 * (size_t)json->len;
        inner.args = room_for(file, inner.count * sizeof(cachekit_arg));
        for (size_t i = 0; i < inner.count; i++) {
            is_good = is_good && to_arg(file, &items[i], &inner.args[i]);
        }
        *out = cachekit_map(inner.args, json->len);
    } else if (strcmp(items[0].as.text, "$map") == 0) {
        is_good = flatten(file, &items[1], &inner);
        *out = cachekit_map(inner.args, items[1].len);
    } else if (strcmp(items[0].as.text, "$set") == 0) {
        is_good = to_args(file, &items[1], &inner);
        *out = cachekit_set(inner.args, inner.count);
    } else {
        is_good = text_tag(file, items[0].as.text, items[1].as.text, out);
    }
    return is_good;
}

static bool to_arg(struct tagged_file *file, const cachekit_value *json, cachekit_arg *out)
{
    struct tagged_args inner;
    switch (json->type) {
    case CACHEKIT_NIL:
        *out = cachekit_null();
        return true;
    case CACHEKIT_BOOL:
        *out = cachekit_bool(json->as.boolean);
        return true;
    case CACHEKIT_INT:
        *out = cachekit_i64(json->as.i64);
        return true;
    case CACHEKIT_FLOAT:
        *out = cachekit_f64(json->as.f64);
        return true;
    case CACHEKIT_STR:
        *out = cachekit_str_len(json->as.text, json->len);
        return true;
    case CACHEKIT_ARRAY:
        if (!to_args(file, json, &inner)) {
            return false;
        }
        *out = cachekit_list(inner.args, inner.count);
        return true;
    default:
        return map_or_tag(file, json, out);
    }
}

bool tagged_list(struct tagged_file *file, const cachekit_value *row, const char *name,
                 struct tagged_args *out)
{
    const cachekit_value *list = cachekit_value_get(row, name);
    return list != NULL && list->type == CACHEKIT_ARRAY && to_args(file, list, out);
}

// Pairs come as a list of lists or, in the protocol's own file, as an object.
bool tagged_pairs(struct tagged_file *file, const cachekit_value *row, const char *name,
                  struct tagged_args *out)
{
    const cachekit_value *pairs = cachekit_value_get(row, name);
    if (pairs != NULL && pairs->type == CACHEKIT_ARRAY) {
        return flatten(file, pairs, out);
    }
    cachekit_arg map;
    if (pairs == NULL || !map_or_tag(file, pairs, &map)) {
        return false;
    }
    *out = (struct tagged_args){(cachekit_arg *)(uintptr_t)map.as.data, 2 * (size_t)map.len};
    return true;
}
