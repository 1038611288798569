// SPDX-License-Identifier: MIT
// Without recursion: open collections lie on a stack of their own. What a map or a set holds is
// packed where it stands, in the given order, and put into canonical order when the last element
// is there: pairs by their packed keys, elements by their packed bytes.
#include "call/long_key.h"

#include <string.h>

#include "base/hash.h"
#include "base/status.h"
#include "value/writer.h"

enum { DEPTH_MAX = 1024 };

// Never used by MessagePack: here it tells a set from the list of its elements.
static const uint8_t SET_MARK = 0xc1;

// An open collection.
struct level {
    const cachekit_arg *items; // of a map: key, value, key, value
    size_t count, next;
    uint32_t type;
    size_t begin; // of its bytes in the key
    size_t spans; // how many there were before its own
};

// An element of a set, or a pair of a map.
struct span {
    size_t at, key_len, len;
};

struct builder {
    cachekit_buffer *key;
    cachekit_buffer levels, spans, ordered; // of struct level, of struct span, of bytes
    cachekit_error *error;
};

static cachekit_status pack_scalar(cachekit_buffer *buffer, const cachekit_arg *arg)
{
    switch ((cachekit_arg_type)arg->type) {
    case CACHEKIT_ARG_NULL:
        return cki_pack_nil(buffer);
    case CACHEKIT_ARG_BOOL:
        return cki_pack_bool(buffer, arg->as.bits != 0);
    case CACHEKIT_ARG_I64:
        return cki_pack_i64(buffer, arg->as.i64);
    case CACHEKIT_ARG_U64:
        return cki_pack_u64(buffer, arg->as.u64);
    case CACHEKIT_ARG_F64:
        return cki_pack_f64(buffer, arg->as.f64);
    case CACHEKIT_ARG_STR:
        return cki_pack_str(buffer, arg->as.data, arg->len);
    default:
        return cki_pack_bin(buffer, arg->as.data, arg->len);
    }
}

static cachekit_status refuse(struct builder *b, const char *why)
{
    return cki_fail(b->error, CACHEKIT_E_INVALID, 0, "%s", why);
}

static struct level *top_of(struct builder *b)
{
    return (struct level *)(b->levels.data + b->levels.len) - 1;
}

static size_t span_count(const struct builder *b)
{
    return b->spans.len / sizeof(struct span);
}

static struct span *spans_of(struct builder *b, const struct level *level)
{
    return (struct span *)b->spans.data + level->spans;
}

static int compare(const struct builder *b, const struct span *x, const struct span *y)
{
    size_t len = x->key_len < y->key_len ? x->key_len : y->key_len;
    int order = memcmp(b->key->data + x->at, b->key->data + y->at, len);
    return order != 0 ? order : (x->key_len > y->key_len) - (x->key_len < y->key_len);
}

static void sift_down(const struct builder *b, struct span *spans, size_t at, size_t count)
{
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && compare(b, &spans[child], &spans[child + 1]) < 0) {
            child++;
        }
        if (compare(b, &spans[at], &spans[child]) >= 0) {
            return;
        }
        struct span kept = spans[at];
        spans[at] = spans[child];
        spans[child] = kept;
    }
}

// Heapsort: qsort() takes no context, and may allocate.
static void sort(const struct builder *b, struct span *spans, size_t count)
{
    for (size_t i = count / 2; i-- > 0;) {
        sift_down(b, spans, i, count);
    }
    for (size_t end = count; end-- > 1;) {
        struct span kept = spans[0];
        spans[0] = spans[end];
        spans[end] = kept;
        sift_down(b, spans, 0, end);
    }
}

// Drops elements that are there already; returns how many are left.
static size_t distinct(const struct builder *b, struct span *spans, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || compare(b, &spans[kept - 1], &spans[i]) != 0) {
            spans[kept++] = spans[i];
        }
    }
    return kept;
}

// Header and elements in order take the place of the elements as they came.
static cachekit_status reorder(struct builder *b, const struct level *level,
                               const struct span *spans, size_t count)
{
    bool is_map = level->type == CACHEKIT_ARG_MAP;
    cachekit_buffer *out = &b->ordered;
    out->len = 0;
    cachekit_status status = is_map ? CACHEKIT_OK : cachekit_buffer_append(out, &SET_MARK, 1);
    if (status == CACHEKIT_OK) {
        status = is_map ? cki_pack_map(out, count) : cki_pack_array(out, count);
    }
    for (size_t i = 0; status == CACHEKIT_OK && i < count; i++) {
        status = cachekit_buffer_append(out, b->key->data + spans[i].at, spans[i].len);
    }
    b->key->len = level->begin;
    return status == CACHEKIT_OK ? cachekit_buffer_append(b->key, out->data, out->len) : status;
}

static cachekit_status close_unordered(struct builder *b, const struct level *level)
{
    size_t count = span_count(b) - level->spans;
    struct span *spans = spans_of(b, level);
    for (size_t i = 0; i < count; i++) {
        size_t end = i + 1 < count ? spans[i + 1].at : b->key->len;
        spans[i].len = end - spans[i].at;
        if (level->type == CACHEKIT_ARG_SET) {
            spans[i].key_len = spans[i].len;
        }
    }
    sort(b, spans, count);
    size_t kept = distinct(b, spans, count);
    b->spans.len = level->spans * sizeof(struct span);
    if (level->type == CACHEKIT_ARG_MAP && kept < count) {
        return refuse(b, "a map among the arguments has a key twice");
    }
    return reorder(b, level, spans, kept);
}

static cachekit_status open_level(struct builder *b, const cachekit_arg *items, size_t count,
                                  uint32_t type)
{
    const struct level level = {
        items, type == CACHEKIT_ARG_MAP ? 2 * count : count, 0, type, 0, span_count(b)};
    if (b->levels.len / sizeof level > DEPTH_MAX) {
        return refuse(b, "arguments are nested too deeply");
    }
    cachekit_status status = cachekit_buffer_append(&b->levels, &level, sizeof level);
    if (status == CACHEKIT_OK) {
        top_of(b)->begin = b->key->len;
        status = type == CACHEKIT_ARG_LIST ? cki_pack_array(b->key, count) : CACHEKIT_OK;
    }
    return status;
}

// The next item of a map or set: where it, or of a map its value, begins.
static cachekit_status mark(struct builder *b, const struct level *level)
{
    const struct span span = {b->key->len, 0, 0};
    if (level->type == CACHEKIT_ARG_LIST) {
        return CACHEKIT_OK;
    }
    if (level->type == CACHEKIT_ARG_MAP && level->next % 2 != 0) {
        struct span *last = (struct span *)b->spans.data + span_count(b) - 1;
        last->key_len = b->key->len - last->at;
        return CACHEKIT_OK;
    }
    return cachekit_buffer_append(&b->spans, &span, sizeof span);
}

static cachekit_status pack_next(struct builder *b)
{
    struct level *level = top_of(b);
    cachekit_status status = mark(b, level);
    if (status != CACHEKIT_OK) {
        return status;
    }
    const cachekit_arg *item = &level->items[level->next++];
    status = cki_arg_check(item, b->error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    return item->type <= CACHEKIT_ARG_BYTES ? pack_scalar(b->key, item)
                                            : open_level(b, item->as.data, item->len, item->type);
}

static cachekit_status pack_all(struct builder *b, const struct cki_args *args)
{
    cachekit_status status = open_level(b, args->args, args->count, CACHEKIT_ARG_LIST);
    while (status == CACHEKIT_OK && b->levels.len > 0) {
        const struct level level = *top_of(b);
        if (level.next < level.count) {
            status = pack_next(b);
            if (b->key->len > UINT32_MAX / 2) {
                return refuse(b, "arguments are too long for a key");
            }
            continue;
        }
        b->levels.len -= sizeof level;
        status = level.type == CACHEKIT_ARG_LIST ? CACHEKIT_OK : close_unordered(b, &level);
    }
    return status;
}

cachekit_status cki_arg_check(const cachekit_arg *arg, cachekit_error *error)
{
    if (arg->type > CACHEKIT_ARG_SET) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "an argument has no known type");
    }
    if (arg->type >= CACHEKIT_ARG_STR &&
        (arg->len == UINT32_MAX || (arg->len > 0 && arg->as.data == NULL))) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "an argument is NULL or too long");
    }
    return CACHEKIT_OK;
}

cachekit_status cki_long_key(const struct cki_args *args, uint64_t seed, cachekit_buffer *buffer,
                             struct cki_key *key, cachekit_error *error)
{
    struct builder b = {.key = buffer, .error = error};
    if (args->count > UINT32_MAX) {
        return refuse(&b, "too many arguments");
    }
    cachekit_buffer_init(&b.levels, buffer->allocator);
    cachekit_buffer_init(&b.spans, buffer->allocator);
    cachekit_buffer_init(&b.ordered, buffer->allocator);
    cachekit_status status = pack_all(&b, args);
    cachekit_buffer_release(&b.levels);
    cachekit_buffer_release(&b.spans);
    cachekit_buffer_release(&b.ordered);
    if (status != CACHEKIT_OK) {
        return status == CACHEKIT_E_NOMEM ? cki_fail(error, status, 0, "no memory for a key")
                                          : status;
    }
    *key = (struct cki_key){cki_xxh3_seeded(buffer->data, buffer->len, seed), CKI_KEY_MSGPACK,
                            (uint32_t)buffer->len, buffer->data};
    return CACHEKIT_OK;
}
