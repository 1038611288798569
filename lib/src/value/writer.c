// SPDX-License-Identifier: MIT
// msgpack-c's packing template, whose append is a store behind a pointer: room for a whole object
// is made once, before it, so nothing inside it looks or fails. That halves the cost of its
// packer, which calls back for every header and body.
#include "value/writer.h"

#include <string.h>

// msgpack's headers take every machine for a little-endian one unless told otherwise.
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#    define MSGPACK_ENDIAN_BIG_BYTE    1
#    define MSGPACK_ENDIAN_LITTLE_BYTE 0
#endif
#include <msgpack/pack_define.h>
#include <msgpack/timestamp.h>

#include <cachekit/value.h>

#include "base/copy_ends.h"
#include "base/num.h"
#include "base/status.h"
#include "value/ascii.h"
#include "value/date.h"
#include "value/sentinel.h"
#include "value/utf8.h"

#define msgpack_pack_inline_func(name)        static inline void msgpack_pack##name
#define msgpack_pack_inline_func_cint(name)   static inline void msgpack_pack##name
#define msgpack_pack_inline_func_fixint(name) static inline void msgpack_pack_fix##name
#define msgpack_pack_user                     uint8_t **
#define msgpack_pack_append_buffer(at, bytes, len)                                                 \
    do {                                                                                           \
        memcpy(*(at), bytes, len);                                                                 \
        *(at) += (len);                                                                            \
    } while (0)
#include <msgpack/pack_template.h>

enum {
    HEAD_MAX = 9, // of any object
    // Head of any node: a map of two, its longest name, true, "value" and the head of the text.
    ROOM_MIN = CKI_PUT_ROOM
};

// The place in a collection to come back to.
struct place {
    const cachekit_value *next;
    const cachekit_value *end;
};

// ---- one object ----

// Room for an object with `len` bytes of body; NULL: no memory.
static uint8_t *begin(cachekit_buffer *out, size_t len)
{
    size_t need;
    if (!cki_add_size(len, HEAD_MAX, &need) || cachekit_buffer_reserve(out, need) != CACHEKIT_OK) {
        return NULL;
    }
    return out->data + out->len;
}

static cachekit_status finish(cachekit_buffer *out, const uint8_t *at)
{
    out->len = (size_t)(at - out->data);
    return CACHEKIT_OK;
}

static inline void put_body(uint8_t **at, const void *bytes, size_t len)
{
    if (len > 0) {
        memcpy(*at, bytes, len);
        *at += len;
    }
}

cachekit_status cki_pack_nil(cachekit_buffer *out)
{
    uint8_t *at = begin(out, 0);
    if (at == NULL) {
        return CACHEKIT_E_NOMEM;
    }
    msgpack_pack_nil(&at);
    return finish(out, at);
}

static inline void put_bool(uint8_t **at, bool boolean)
{
    if (boolean) {
        msgpack_pack_true(at);
    } else {
        msgpack_pack_false(at);
    }
}

cachekit_status cki_pack_bool(cachekit_buffer *out, bool boolean)
{
    uint8_t *at = begin(out, 0);
    if (at == NULL) {
        return CACHEKIT_E_NOMEM;
    }
    put_bool(&at, boolean);
    return finish(out, at);
}

cachekit_status cki_pack_i64(cachekit_buffer *out, int64_t number)
{
    uint8_t *at = begin(out, 0);
    if (at == NULL) {
        return CACHEKIT_E_NOMEM;
    }
    msgpack_pack_int64(&at, number);
    return finish(out, at);
}

cachekit_status cki_pack_u64(cachekit_buffer *out, uint64_t number)
{
    uint8_t *at = begin(out, 0);
    if (at == NULL) {
        return CACHEKIT_E_NOMEM;
    }
    msgpack_pack_uint64(&at, number);
    return finish(out, at);
}

cachekit_status cki_pack_f64(cachekit_buffer *out, double number)
{
    uint8_t *at = begin(out, 0);
    if (at == NULL) {
        return CACHEKIT_E_NOMEM;
    }
    msgpack_pack_double(&at, number);
    return finish(out, at);
}

cachekit_status cki_pack_str(cachekit_buffer *out, const char *text, size_t len)
{
    uint8_t *at = begin(out, len);
    if (at == NULL) {
        return CACHEKIT_E_NOMEM;
    }
    msgpack_pack_str(&at, len);
    put_body(&at, text, len);
    return finish(out, at);
}

cachekit_status cki_pack_bin(cachekit_buffer *out, const void *bytes, size_t len)
{
    uint8_t *at = begin(out, len);
    if (at == NULL) {
        return CACHEKIT_E_NOMEM;
    }
    msgpack_pack_bin(&at, len);
    put_body(&at, bytes, len);
    return finish(out, at);
}

cachekit_status cki_pack_array(cachekit_buffer *out, size_t count)
{
    uint8_t *at = begin(out, 0);
    if (at == NULL) {
        return CACHEKIT_E_NOMEM;
    }
    msgpack_pack_array(&at, count);
    return finish(out, at);
}

cachekit_status cki_pack_map(cachekit_buffer *out, size_t pairs)
{
    uint8_t *at = begin(out, 0);
    if (at == NULL) {
        return CACHEKIT_E_NOMEM;
    }
    msgpack_pack_map(&at, pairs);
    return finish(out, at);
}

// ---- a tree ----

enum fault { NONE, NO_MEMORY, DEEP, BAD_TEXT, BAD_DATE, BAD_TYPE };

// Copies all, and says no as well to texts that only the slow way can judge.
static inline bool copy_ascii(uint8_t *to, const char *text, size_t len)
{
    if (len >= 8 && len <= 16) {
        CKI_COPY_ENDS(uint64_t, to, text, len);
    }
    if (len >= 4 && len < 8) {
        CKI_COPY_ENDS(uint32_t, to, text, len);
    }
    if (len >= 2 && len < 4) {
        CKI_COPY_ENDS(uint16_t, to, text, len);
    }
    if (len > 16 && len <= 32) {
        memcpy(to, text, 16);
        memcpy(to + len - 16, text + len - 16, 16);
    } else if (len > 0) {
        memcpy(to, text, len);
    }
    return cki_is_ascii((const uint8_t *)text, len);
}

#undef COPY_ENDS

// These are inlined into put_tree() whoever else calls them.
#define INLINED static inline __attribute__((always_inline))

// Returns where to go on, or NULL if the text is no UTF-8.
INLINED uint8_t *put_text(uint8_t *at, const char *text, size_t len)
{
    msgpack_pack_str(&at, len);
    if (!copy_ascii(at, text, len) && cki_utf8_valid_len((const uint8_t *)text, len) != len) {
        return NULL;
    }
    return at + len;
}

INLINED uint8_t *put_date(uint8_t *at, const cachekit_value *date)
{
    const char *name = cki_sentinel_name(date->type);
    struct date parsed;
    if (!cki_date_parse(date->type, date->as.text, date->len, &parsed)) {
        return NULL;
    }
    msgpack_pack_map(&at, 2);
    msgpack_pack_str(&at, strlen(name));
    put_body(&at, name, strlen(name));
    msgpack_pack_true(&at);
    msgpack_pack_str(&at, 5);
    put_body(&at, "value", 5);
    msgpack_pack_str(&at, date->len);
    put_body(&at, date->as.text, date->len);
    return at;
}

// Everything but text and collections. Returns where to go on, or NULL.
INLINED uint8_t *put_scalar(uint8_t *at, const cachekit_value *node)
{
    switch (node->type) {
    case CACHEKIT_NIL:
        msgpack_pack_nil(&at);
        return at;
    case CACHEKIT_BOOL:
        put_bool(&at, node->as.boolean);
        return at;
    case CACHEKIT_INT:
        msgpack_pack_int64(&at, node->as.i64);
        return at;
    case CACHEKIT_UINT:
        msgpack_pack_uint64(&at, node->as.u64);
        return at;
    case CACHEKIT_FLOAT:
        msgpack_pack_double(&at, node->as.f64);
        return at;
    case CACHEKIT_BIN:
        msgpack_pack_bin(&at, node->len);
        put_body(&at, node->as.bytes, node->len);
        return at;
    case CACHEKIT_DATETIME:
    case CACHEKIT_DATE:
    case CACHEKIT_TIME:
        return put_date(at, node);
    default:
        return NULL;
    }
}

static bool make_room(cachekit_buffer *out, const uint8_t *at, size_t room)
{
    out->len = (size_t)(at - out->data);
    return cachekit_buffer_reserve(out, room) == CACHEKIT_OK;
}

static inline uint8_t *put_header(uint8_t *at, const cachekit_value *collection)
{
    if (collection->type == CACHEKIT_MAP) {
        msgpack_pack_map(&at, collection->len);
    } else {
        msgpack_pack_array(&at, collection->len);
    }
    return at;
}

uint8_t *cki_put_leaf(uint8_t *at, const cachekit_value *node)
{
    return node->type == CACHEKIT_STR ? put_text(at, node->as.text, node->len)
                                      : put_scalar(at, node);
}

uint8_t *cki_put_header(uint8_t *at, const cachekit_value *collection)
{
    return put_header(at, collection);
}

static enum fault fault_of(const cachekit_value *node)
{
    if (node->type == CACHEKIT_STR) {
        return BAD_TEXT;
    }
    return node->type <= CACHEKIT_TIME ? BAD_DATE : BAD_TYPE;
}

static enum fault put_tree(cachekit_buffer *out, const cachekit_value *root)
{
    struct place places[CACHEKIT_VALUE_DEPTH_MAX];
    struct place *const last = places + CACHEKIT_VALUE_DEPTH_MAX;
    struct place *top = places; // first unused
    struct place now = {root, root + 1};
    if (cachekit_buffer_reserve(out, ROOM_MIN) != CACHEKIT_OK) {
        return NO_MEMORY;
    }
    uint8_t *at = out->data;
    const uint8_t *limit = at + out->room;
    for (;;) {
        if (now.next == now.end) {
            if (top == places) {
                out->len = (size_t)(at - out->data);
                return NONE;
            }
            now = *--top;
            continue;
        }
        const cachekit_value *node = now.next++;
        // A count serves as well as a length: each child takes a byte at least.
        size_t room = ROOM_MIN + (size_t)node->len;
        if ((size_t)(limit - at) < room) {
            if (!make_room(out, at, room)) {
                return NO_MEMORY;
            }
            at = out->data + out->len;
            limit = out->data + out->room;
        }
        if (node->type == CACHEKIT_STR) {
            at = put_text(at, node->as.text, node->len);
        } else if (node->type >= CACHEKIT_ARRAY && top == last) {
            return DEEP; // a date is a level, too
        } else if (node->type != CACHEKIT_ARRAY && node->type != CACHEKIT_MAP) {
            at = put_scalar(at, node);
        } else {
            *top++ = now;
            at = put_header(at, node);
            now.next = node->as.items;
            now.end = now.next;
            if (node->len > 0) { // none: the pointer may be NULL
                now.end += (size_t)node->len << (node->type == CACHEKIT_MAP);
            }
        }
        if (at == NULL) {
            return fault_of(node);
        }
    }
}

cachekit_status cachekit_value_encode(const cachekit_value *value, cachekit_buffer *out,
                                      cachekit_error *error)
{
    static const char *const texts[] = {
        [NO_MEMORY] = "out of memory for the document",
        [DEEP] = "more than 1024 levels",
        [BAD_TEXT] = "text that is not UTF-8",
        [BAD_DATE] = "a date or time whose text is none",
        [BAD_TYPE] = "a node of unknown type",
    };
    out->len = 0;
    enum fault fault = put_tree(out, value);
    if (fault == NONE) {
        return CACHEKIT_OK;
    }
    out->len = 0;
    return cki_fail(error, fault == NO_MEMORY ? CACHEKIT_E_NOMEM : CACHEKIT_E_VALUE, 0, "%s",
                    texts[fault]);
}
