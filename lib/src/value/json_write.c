// SPDX-License-Identifier: MIT
// Walks the tree with one frame for each level, and asks for room once for each piece of text.
#include <cachekit/json.h>

#include <float.h>
#include <string.h>

#include "base/status.h"
#include "value/date.h"
#include "value/json_float.h"
#include "value/json_plain.h"
#include "value/json_sort.h"
#include "value/sentinel.h"
#include "value/utf8.h"

enum { INTEGER_TEXT_MAX = 20 };

#define EXACT_MAX INT64_C(9007199254740991) // 2^53 - 1, the last that every JSON reader holds

enum kind { ARRAY, OBJECT, PAIRS };

// An open collection; a map counts as 2 * pairs nodes.
struct frame {
    const cachekit_value *items;
    uint64_t index; // of the node that is next
    uint64_t count;
    uint32_t kind;
    uint32_t order; // SORTED: where its part of the orders starts
};

struct writer {
    cachekit_buffer *out;
    cachekit_error *error;
    unsigned flags;
    unsigned depth;
    cachekit_buffer orders; // SORTED: uint32_t for each pair of the open objects
    struct frame frames[CACHEKIT_VALUE_DEPTH_MAX];
};

static cachekit_status refuse(struct writer *writer, const char *text)
{
    return cki_fail(writer->error, CACHEKIT_E_VALUE, 0, "%s", text);
}

static cachekit_status out_of_memory(struct writer *writer)
{
    return cki_fail(writer->error, CACHEKIT_E_NOMEM, 0, "out of memory for the text");
}

// Where `len` bytes more may be written, or NULL.
static inline char *room(struct writer *writer, size_t len)
{
    cachekit_buffer *out = writer->out;
    if (out->room - out->len < len && cachekit_buffer_reserve(out, len) < 0) {
        return NULL;
    }
    return (char *)out->data + out->len;
}

// Inlined, so that marks of constant length are stores and no calls.
static inline __attribute__((always_inline)) cachekit_status put(struct writer *writer,
                                                                 const char *text, size_t len)
{
    char *at = room(writer, len);
    if (at == NULL) {
        return out_of_memory(writer);
    }
    memcpy(at, text, len);
    writer->out->len += len;
    return CACHEKIT_OK;
}

#define PUT(writer, literal) put((writer), (literal), sizeof(literal) - 1)

static size_t format_u64(uint64_t number, char *out)
{
    char reversed[INTEGER_TEXT_MAX];
    size_t len = 0;
    do {
        reversed[len++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    for (size_t i = 0; i < len; i++) {
        out[i] = reversed[len - 1 - i];
    }
    return len;
}

static cachekit_status open_tag(struct writer *writer, const char *name)
{
    if ((writer->flags & CACHEKIT_JSON_PLAIN) != 0) {
        return refuse(writer, "a value that plain JSON cannot say");
    }
    return put(writer, name, strlen(name));
}

static cachekit_status put_tag(struct writer *writer, const char *name, const char *text,
                               size_t len)
{
    cachekit_status status = open_tag(writer, name);
    if (status == CACHEKIT_OK) {
        status = put(writer, text, len);
    }
    return status == CACHEKIT_OK ? PUT(writer, "\"}") : status;
}

static cachekit_status put_integer(struct writer *writer, const cachekit_value *node)
{
    char text[INTEGER_TEXT_MAX + 1];
    size_t len = 0;
    uint64_t magnitude = node->as.u64;
    if (node->type == CACHEKIT_INT && node->as.i64 < 0) {
        text[len++] = '-';
        magnitude = UINT64_C(0) - magnitude;
    }
    len += format_u64(magnitude, text + len);
    if (magnitude > EXACT_MAX && (writer->flags & CACHEKIT_JSON_PLAIN) == 0) {
        return put_tag(writer, "{\"$int\":\"", text, len);
    }
    return put(writer, text, len);
}

static cachekit_status put_float(struct writer *writer, double number)
{
    if (number != number) {
        return put_tag(writer, "{\"$float\":\"", "nan", 3);
    }
    if (number > DBL_MAX) {
        return put_tag(writer, "{\"$float\":\"", "inf", 3);
    }
    if (number < -DBL_MAX) {
        return put_tag(writer, "{\"$float\":\"", "-inf", 4);
    }
    char *at = room(writer, CKI_FLOAT_TEXT_MAX);
    if (at == NULL) {
        return out_of_memory(writer);
    }
    writer->out->len += cki_float_write(number, at);
    return CACHEKIT_OK;
}

static cachekit_status put_bytes(struct writer *writer, const cachekit_value *node)
{
    static const char digits[] = "0123456789abcdef";
    cachekit_status status = open_tag(writer, "{\"$bytes\":\"");
    if (status < 0) {
        return status;
    }
    size_t len = 2 * (size_t)node->len;
    char *at = room(writer, len);
    if (at == NULL) {
        return out_of_memory(writer);
    }
    for (size_t i = 0; i < node->len; i++) {
        *at++ = digits[node->as.bytes[i] >> 4];
        *at++ = digits[node->as.bytes[i] & 15];
    }
    writer->out->len += len;
    return PUT(writer, "\"}");
}

static cachekit_status put_escape(struct writer *writer, uint8_t c)
{
    static const char names[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    for (size_t i = 0; i + 1 < sizeof names - 1; i += 2) {
        if ((uint8_t)names[i] == c) {
            return put(writer, (char[]){'\\', names[i + 1]}, 2);
        }
    }
    static const char digits[] = "0123456789abcdef";
    return put(writer, (char[]){'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]}, 6);
}

// The text behind its first `plain` bytes.
static cachekit_status put_odd_text(struct writer *writer, const uint8_t *text, size_t len,
                                    size_t plain)
{
    if (cki_utf8_valid_len(text, len) != len) {
        return refuse(writer, "text that is not UTF-8");
    }
    size_t at = plain;
    cachekit_status status = CACHEKIT_OK;
    while (at < len && status == CACHEKIT_OK) {
        if (text[at] < 0x20 || text[at] == '"' || text[at] == '\\') {
            status = put_escape(writer, text[at++]);
            continue;
        }
        size_t run = at;
        while (run < len && text[run] >= 0x20 && text[run] != '"' && text[run] != '\\') {
            run++;
        }
        status = put(writer, (const char *)text + at, run - at);
        at = run;
    }
    return status == CACHEKIT_OK ? PUT(writer, "\"") : status;
}

static cachekit_status put_text(struct writer *writer, const char *text, size_t len)
{
    size_t plain = len > 0 ? cki_json_plain_len((const uint8_t *)text, len) : 0;
    char *at = room(writer, plain + 2);
    if (at == NULL) {
        return out_of_memory(writer);
    }
    *at++ = '"';
    if (plain > 0) {
        memcpy(at, text, plain);
    }
    writer->out->len += plain + 1;
    if (plain < len) {
        return put_odd_text(writer, (const uint8_t *)text, len, plain);
    }
    at[plain] = '"';
    writer->out->len++;
    return CACHEKIT_OK;
}

static bool is_deepest(const struct writer *writer)
{
    return writer->depth == CACHEKIT_VALUE_DEPTH_MAX;
}

static cachekit_status put_date(struct writer *writer, const cachekit_value *node)
{
    struct date date;
    if (is_deepest(writer)) {
        return refuse(writer, "more than 1024 levels");
    }
    if (!cki_date_parse(node->type, node->as.text, node->len, &date)) {
        return refuse(writer, "a date that is not what its type says");
    }
    const char *name = cki_sentinel_name(node->type);
    cachekit_status status = PUT(writer, "{\"");
    if (status == CACHEKIT_OK) {
        status = put(writer, name, strlen(name));
    }
    if (status == CACHEKIT_OK) {
        status = PUT(writer, "\":true,\"value\":\"");
    }
    if (status == CACHEKIT_OK) {
        status = put(writer, node->as.text, node->len); // digits and punctuation only
    }
    return status == CACHEKIT_OK ? PUT(writer, "\"}") : status;
}

// Only text can be a key of an object, and one pair under a `$` key would be read as a tag.
static enum kind map_kind(const cachekit_value *map, bool is_plain)
{
    for (size_t i = 0; i < map->len; i++) {
        if (map->as.items[2 * i].type != CACHEKIT_STR) {
            return PAIRS;
        }
    }
    const cachekit_value *key = map->as.items;
    bool is_tag = map->len == 1 && key->len > 0 && key->as.text[0] == '$';
    return is_tag && !is_plain ? PAIRS : OBJECT;
}

static cachekit_status sort(struct writer *writer, const cachekit_value *map, uint32_t *order)
{
    size_t open_pairs = writer->orders.len / sizeof(uint32_t);
    size_t size = map->len * sizeof(uint32_t);
    *order = (uint32_t)open_pairs;
    if (open_pairs > UINT32_MAX || cachekit_buffer_reserve(&writer->orders, size) < 0) {
        return out_of_memory(writer);
    }
    if (map->len > 0) {
        uint32_t *orders = (uint32_t *)(void *)writer->orders.data;
        cki_json_sort(map->as.items, map->len, orders + *order);
    }
    writer->orders.len += size;
    return CACHEKIT_OK;
}

static cachekit_status open_collection(struct writer *writer, const cachekit_value *node)
{
    bool is_plain = (writer->flags & CACHEKIT_JSON_PLAIN) != 0;
    if (is_deepest(writer)) {
        return refuse(writer, "more than 1024 levels");
    }
    struct frame *frame = &writer->frames[writer->depth++];
    *frame = (struct frame){node->as.items, 0, node->len, ARRAY, 0};
    if (node->type == CACHEKIT_ARRAY) {
        return PUT(writer, "[");
    }
    frame->count *= 2;
    frame->kind = map_kind(node, is_plain);
    if (frame->kind == PAIRS) {
        return is_plain ? refuse(writer, "a key that is no text") : PUT(writer, "{\"$map\":[");
    }
    if ((writer->flags & CACHEKIT_JSON_SORTED) != 0) {
        cachekit_status status = sort(writer, node, &frame->order);
        if (status < 0) {
            return status;
        }
    }
    return PUT(writer, "{");
}

static cachekit_status close_collection(struct writer *writer, const struct frame *frame)
{
    static const char *const ends[] = {"]", "}", "]}"};
    writer->depth--;
    if (frame->kind == OBJECT && (writer->flags & CACHEKIT_JSON_SORTED) != 0) {
        writer->orders.len = frame->order * sizeof(uint32_t);
    }
    if (frame->kind == PAIRS && frame->count > 0) {
        return PUT(writer, "]]}");
    }
    return put(writer, ends[frame->kind], strlen(ends[frame->kind]));
}

static cachekit_status put_node(struct writer *writer, const cachekit_value *node)
{
    switch (node->type) {
    case CACHEKIT_NIL:
        return PUT(writer, "null");
    case CACHEKIT_BOOL:
        return node->as.boolean ? PUT(writer, "true") : PUT(writer, "false");
    case CACHEKIT_INT:
    case CACHEKIT_UINT:
        return put_integer(writer, node);
    case CACHEKIT_FLOAT:
        return put_float(writer, node->as.f64);
    case CACHEKIT_STR:
        return put_text(writer, node->as.text, node->len);
    case CACHEKIT_BIN:
        return put_bytes(writer, node);
    case CACHEKIT_ARRAY:
    case CACHEKIT_MAP:
        return open_collection(writer, node);
    case CACHEKIT_DATETIME:
    case CACHEKIT_DATE:
    case CACHEKIT_TIME:
        return put_date(writer, node);
    default:
        return refuse(writer, "a value of an unknown type");
    }
}

// What stands before node `index` of a collection.
static inline cachekit_status put_before(struct writer *writer, uint32_t kind, uint64_t index)
{
    if (kind == PAIRS && (index & 1) == 0) {
        return index == 0 ? PUT(writer, "[") : PUT(writer, "],[");
    }
    if (index == 0) {
        return CACHEKIT_OK;
    }
    return kind == OBJECT && (index & 1) != 0 ? PUT(writer, ":") : PUT(writer, ",");
}

static cachekit_status put_next(struct writer *writer, struct frame *frame)
{
    uint64_t index = frame->index++;
    cachekit_status status = put_before(writer, frame->kind, index);
    if (status < 0) {
        return status;
    }
    if (frame->kind == OBJECT && (writer->flags & CACHEKIT_JSON_SORTED) != 0) {
        const uint32_t *orders = (const uint32_t *)(const void *)writer->orders.data;
        index = 2 * (uint64_t)orders[frame->order + index / 2] + (index & 1);
    }
    return put_node(writer, &frame->items[index]);
}

static cachekit_status write_tree(struct writer *writer, const cachekit_value *value)
{
    cachekit_status status = put_node(writer, value);
    while (status == CACHEKIT_OK && writer->depth > 0) {
        struct frame *frame = &writer->frames[writer->depth - 1];
        status = frame->index == frame->count ? close_collection(writer, frame)
                                              : put_next(writer, frame);
    }
    return status;
}

cachekit_status cachekit_json_encode(const cachekit_value *value, unsigned flags,
                                     cachekit_buffer *out, cachekit_error *error)
{
    out->len = 0;
    if ((flags & ~(unsigned)(CACHEKIT_JSON_SORTED | CACHEKIT_JSON_PLAIN)) != 0) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "unknown flags %#x", flags);
    }
    struct writer writer;
    writer.out = out;
    writer.error = error;
    writer.flags = flags;
    writer.depth = 0;
    cachekit_buffer_init(&writer.orders, out->allocator);
    cachekit_status status = write_tree(&writer, value);
    cachekit_buffer_release(&writer.orders);
    if (status < 0) {
        out->len = 0;
    }
    return status;
}
