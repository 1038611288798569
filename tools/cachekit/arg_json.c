// SPDX-License-Identifier: MIT
// JSON to a tree first, then the tree to arguments. Collections wait in a list of jobs until it is
// their turn, so depth costs no stack; the order of turns does not matter, as a collection's room
// is taken when it is first met.
#include "arg_json.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cachekit/json.h>
#include <cachekit/value.h>

// Values that are still to become arguments.
struct job {
    struct job *next;
    const cachekit_value *from;
    cachekit_arg *to;
    size_t count;
    size_t argument; // the argument they lie in, from 1
};

struct reading {
    cachekit_arena *arena;
    struct job *jobs;
    size_t slots; // values a counted argument: 2 if it has a name
    size_t argument;
    cachekit_error *error;
};

typedef cachekit_status read_tag(struct reading *reading, const cachekit_value *tagged,
                                 cachekit_arg *out);

// `argument` 0: of none in particular.
static cachekit_status refuse(cachekit_error *error, cachekit_status status, size_t argument,
                              const char *text)
{
    char place[32] = "";
    if (argument > 0) {
        (void)snprintf(place, sizeof place, "argument %zu: ", argument);
    }
    if (error != NULL) {
        *error = (cachekit_error){.status = status};
        (void)snprintf(error->text, sizeof error->text, "%s%.120s", place, text);
    }
    return status;
}

static cachekit_status refuse_memory(struct reading *reading)
{
    return refuse(reading->error, CACHEKIT_E_NOMEM, 0, "no memory for the arguments");
}

static cachekit_status refuse_tag(struct reading *reading, const char *complaint)
{
    return refuse(reading->error, CACHEKIT_E_DECODE, reading->argument, complaint);
}

// Room for `count` arguments and a job that will fill it.
static cachekit_status put_off(struct reading *reading, const cachekit_value *from, size_t count,
                               const cachekit_arg **to)
{
    *to = NULL;
    if (count == 0 || from == NULL) {
        return CACHEKIT_OK;
    }
    cachekit_arg *items = cachekit_arena_alloc(reading->arena, count * sizeof *items);
    struct job *job = cachekit_arena_alloc(reading->arena, sizeof *job);
    if (items == NULL || job == NULL) {
        return refuse_memory(reading);
    }
    *job = (struct job){reading->jobs, from, items, count, reading->argument};
    reading->jobs = job;
    *to = items;
    return CACHEKIT_OK;
}

static cachekit_status read_set(struct reading *reading, const cachekit_value *tagged,
                                cachekit_arg *out)
{
    const cachekit_arg *items;
    if (tagged->type != CACHEKIT_ARRAY) {
        return refuse_tag(reading, "$set wants an array");
    }
    cachekit_status status = put_off(reading, tagged->as.items, tagged->len, &items);
    *out = cachekit_set(items, tagged->len);
    return status;
}

static cachekit_status read_map(struct reading *reading, const cachekit_value *tagged,
                                cachekit_arg *out)
{
    static const char complaint[] = "$map wants an array of pairs";
    const cachekit_arg *items = NULL;
    if (tagged->type != CACHEKIT_ARRAY) {
        return refuse_tag(reading, complaint);
    }
    cachekit_value *flat = cachekit_arena_values(reading->arena, 2 * (size_t)tagged->len);
    if (flat == NULL) {
        return refuse_memory(reading);
    }
    for (size_t i = 0; i < tagged->len; i++) {
        const cachekit_value *pair = &tagged->as.items[i];
        if (pair->type != CACHEKIT_ARRAY || pair->len != 2) {
            return refuse_tag(reading, complaint);
        }
        flat[2 * i] = pair->as.items[0];
        flat[2 * i + 1] = pair->as.items[1];
    }
    cachekit_status status = put_off(reading, flat, 2 * (size_t)tagged->len, &items);
    *out = cachekit_map(items, tagged->len);
    return status;
}

static cachekit_status read_datetime(struct reading *reading, const cachekit_value *tagged,
                                     cachekit_arg *out)
{
    if (tagged->type != CACHEKIT_STR) {
        return refuse_tag(reading, "$datetime wants ISO 8601 with a UTC offset");
    }
    *out = cachekit_arg_datetime_text(tagged->as.text, tagged->len);
    return CACHEKIT_OK;
}

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c == '\0' ? NULL : strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
    return at != NULL ? (int)(at - digits) : -1;
}

// 16 bytes of the one spelling 8-4-4-4-12.
static bool read_uuid_text(const char *text, size_t len, uint8_t *out)
{
    size_t done = 0;
    if (len != 36) {
        return false;
    }
    for (size_t at = 0; at < len;) {
        if (at == 8 || at == 13 || at == 18 || at == 23) {
            if (text[at++] != '-') {
                return false;
            }
        }
        int high = hex_digit(text[at]);
        int low = hex_digit(text[at + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        out[done++] = (uint8_t)(high << 4 | low);
        at += 2;
    }
    return true;
}

static cachekit_status read_uuid(struct reading *reading, const cachekit_value *tagged,
                                 cachekit_arg *out)
{
    uint8_t *bytes = cachekit_arena_alloc(reading->arena, 16);
    if (bytes == NULL) {
        return refuse_memory(reading);
    }
    if (tagged->type != CACHEKIT_STR || !read_uuid_text(tagged->as.text, tagged->len, bytes)) {
        return refuse_tag(reading, "$uuid wants 32 hexadecimal digits in groups of 8-4-4-4-12");
    }
    *out = cachekit_arg_uuid(bytes);
    return CACHEKIT_OK;
}

static const struct tag {
    const char *name;
    read_tag *read; // NULL: of values too, so the library reads it
} tags[] = {{"$set", read_set},   {"$map", read_map}, {"$datetime", read_datetime},
            {"$uuid", read_uuid}, {"$bytes", NULL},   {"$float", NULL},
            {"$int", NULL}};

static bool is_text(const cachekit_value *value, const char *text)
{
    return value->len == strlen(text) && memcmp(value->as.text, text, value->len) == 0;
}

static const struct tag *find_tag(const cachekit_value *name)
{
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        if (is_text(name, tags[i].name)) {
            return &tags[i];
        }
    }
    return NULL;
}

static cachekit_arg scalar(const cachekit_value *value)
{
    switch (value->type) {
    case CACHEKIT_BOOL:
        return cachekit_bool(value->as.boolean);
    case CACHEKIT_INT:
        return cachekit_i64(value->as.i64);
    case CACHEKIT_UINT:
        return cachekit_u64(value->as.u64);
    case CACHEKIT_FLOAT:
        return cachekit_f64(value->as.f64);
    case CACHEKIT_STR:
        return cachekit_str_len(value->as.text, value->len);
    case CACHEKIT_BIN:
        return cachekit_bytes(value->as.bytes, value->len);
    default:
        return cachekit_null();
    }
}

// The tags that values share mean what they mean there: the object is read again as one of those.
static cachekit_status read_value_tag(struct reading *reading, const cachekit_value *object,
                                      cachekit_arg *out)
{
    cachekit_error why = {.text = ""};
    cachekit_value value = cachekit_value_nil();
    cachekit_buffer text = CACHEKIT_BUFFER_INIT;
    if (object->as.items[1].type != CACHEKIT_STR) {
        return refuse_tag(reading, "$bytes, $float and $int want a text");
    }
    cachekit_status status = cachekit_json_encode(object, CACHEKIT_JSON_PLAIN, &text, &why);
    if (status == CACHEKIT_OK) {
        status = cachekit_json_decode((cachekit_slice){text.data, text.len}, CACHEKIT_JSON_COPY,
                                      reading->arena, &value, &why);
    }
    if (status < 0) {
        char *place = strstr(why.text, ", at byte");
        if (place != NULL) {
            *place = '\0'; // of a text that nobody else has seen
        }
        (void)refuse(reading->error, status, reading->argument, why.text);
    }
    *out = scalar(&value);
    cachekit_buffer_release(&text);
    return status;
}

static cachekit_status read_object(struct reading *reading, const cachekit_value *object,
                                   cachekit_arg *out)
{
    const cachekit_value *name = object->len == 1 ? &object->as.items[0] : NULL;
    if (name != NULL && name->len > 0 && name->as.text[0] == '$') {
        const struct tag *tag = find_tag(name);
        if (tag == NULL) {
            return refuse_tag(reading, "unknown tag; a map of one key that begins with $ is "
                                       "written {\"$map\": [[key, value]]}");
        }
        return tag->read != NULL ? tag->read(reading, &object->as.items[1], out)
                                 : read_value_tag(reading, object, out);
    }
    const cachekit_arg *items;
    cachekit_status status = put_off(reading, object->as.items, 2 * (size_t)object->len, &items);
    *out = cachekit_map(items, object->len);
    return status;
}

static cachekit_status read_value(struct reading *reading, const cachekit_value *value,
                                  cachekit_arg *out)
{
    if (value->type == CACHEKIT_MAP) {
        return read_object(reading, value, out);
    }
    if (value->type == CACHEKIT_ARRAY) {
        const cachekit_arg *items;
        cachekit_status status = put_off(reading, value->as.items, value->len, &items);
        *out = cachekit_list(items, value->len);
        return status;
    }
    *out = scalar(value);
    return CACHEKIT_OK;
}

static cachekit_status work_off(struct reading *reading)
{
    while (reading->jobs != NULL) {
        const struct job *job = reading->jobs;
        reading->jobs = job->next;
        for (size_t i = 0; i < job->count; i++) {
            reading->argument = job->argument != 0 ? job->argument : i / reading->slots + 1;
            cachekit_status status = read_value(reading, &job->from[i], &job->to[i]);
            if (status < 0) {
                return status;
            }
        }
    }
    return CACHEKIT_OK;
}

static cachekit_status read_root(cachekit_slice text, cachekit_type wanted, size_t slots,
                                 cachekit_arena *arena, struct arg_list *out, cachekit_error *error)
{
    cachekit_value root;
    struct reading reading = {.arena = arena, .slots = slots, .error = error};
    *out = (struct arg_list){NULL, 0};
    cachekit_status status =
        cachekit_json_decode(text, CACHEKIT_JSON_PLAIN | CACHEKIT_JSON_COPY, arena, &root, error);
    if (status < 0) {
        return status;
    }
    if (root.type != wanted) {
        return refuse(error, CACHEKIT_E_DECODE, 0,
                      slots == 1 ? "arguments are a JSON array"
                                 : "keyword arguments are a JSON object");
    }
    const cachekit_arg *items;
    status = put_off(&reading, root.as.items, slots * root.len, &items);
    if (status == CACHEKIT_OK) {
        status = work_off(&reading);
    }
    if (status == CACHEKIT_OK) {
        *out = (struct arg_list){items, root.len};
    }
    return status;
}

cachekit_status arg_json_read(cachekit_slice text, cachekit_arena *arena, struct arg_list *out,
                              cachekit_error *error)
{
    return read_root(text, CACHEKIT_ARRAY, 1, arena, out, error);
}

cachekit_status arg_json_read_named(cachekit_slice text, cachekit_arena *arena,
                                    struct arg_list *out, cachekit_error *error)
{
    return read_root(text, CACHEKIT_MAP, 2, arena, out, error);
}
