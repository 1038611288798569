// SPDX-License-Identifier: MIT
// Without recursion: open collections lie on a stack of their own. What a map or a set holds is
// packed where it stands, in the given order, and put into canonical order when the last element
// is there. Nodes of a value tree become arguments one by one, as they are met.
#include "key/canon.h"

#include <string.h>

#include <cachekit/value.h>

#include "base/status.h"
#include "key/key_item.h"
#include "key/put.h"
#include "value/utf8.h"

enum { DEPTH_MAX = 1024 };

static const char NO_MOMENT[] = "no moment with a UTC offset";

static cachekit_status fail(struct cki_canon *c, cachekit_status status, const char *why)
{
    return cki_fail(c->error, status, 0, "%s %zu: %s", c->what, c->position, why);
}

static cachekit_status refuse(struct cki_canon *c, const char *why)
{
    return fail(c, c->profile->refusal, why);
}

static cachekit_status no_memory(struct cki_canon *c)
{
    return cki_fail(c->error, CACHEKIT_E_NOMEM, 0, "no memory for a key");
}

static struct cki_level *top_of(struct cki_canon *c)
{
    return (struct cki_level *)(void *)(c->levels.data + c->levels.len) - 1;
}

static struct cki_span *span_end(struct cki_canon *c)
{
    return (struct cki_span *)(void *)(c->spans.data + c->spans.len);
}

static size_t span_count(const struct cki_canon *c)
{
    return c->spans.len / sizeof(struct cki_span);
}

// ---- one item ----

// Item `index` of a level as an argument; `is_tree`: what it holds are nodes.
static cachekit_status fetch(struct cki_canon *c, const struct cki_level *level, size_t index,
                             cachekit_arg *item, bool *is_tree)
{
    const cachekit_value *node = NULL;
    if (level->is_tree) {
        node = (const cachekit_value *)level->items + index;
    } else {
        *item = ((const cachekit_arg *)level->items)[index];
        const char *fault = cki_arg_fault(item);
        if (fault != NULL) {
            return fail(c, CACHEKIT_E_INVALID, fault);
        }
        node = item->type == CACHEKIT_ARG_VALUE ? item->as.data : NULL;
    }
    *is_tree = node != NULL;
    if (node == NULL) {
        return CACHEKIT_OK;
    }
    if (node->type == CACHEKIT_DATE || node->type == CACHEKIT_TIME) {
        return refuse(c, NO_MOMENT);
    }
    const char *fault = cki_node_to_arg(node, item) ? cki_arg_fault(item) : "no known type";
    return fault == NULL ? CACHEKIT_OK : fail(c, CACHEKIT_E_INVALID, fault);
}

static cachekit_status pack_text(struct cki_canon *c, const cachekit_arg *item)
{
    if (cki_scratch_reserve(&c->bytes, CKI_PUT_MAX + (size_t)item->len) != CACHEKIT_OK) {
        return no_memory(c);
    }
    uint8_t *at = c->bytes.data + c->bytes.len;
    bool is_str = item->type == CACHEKIT_ARG_STR;
    if (is_str && c->profile->is_strict &&
        cki_utf8_valid_len(item->as.data, item->len) != item->len) {
        return refuse(c, "text that is not UTF-8");
    }
    at = is_str ? cki_put_str(at, item->len) : cki_put_bin(at, item->len);
    at = cki_put_body(at, item->as.data, item->len);
    c->bytes.len = (size_t)(at - c->bytes.data);
    return CACHEKIT_OK;
}

static cachekit_status pack_fixed(struct cki_canon *c, const cachekit_arg *item)
{
    if (cki_scratch_reserve(&c->bytes, CKI_FIXED_MAX) != CACHEKIT_OK) {
        return no_memory(c);
    }
    uint8_t *at = cki_put_fixed(c->profile, c->bytes.data + c->bytes.len, item);
    if (at == NULL) {
        return refuse(c, item->type == CACHEKIT_ARG_F64 ? "NaN or infinite" : NO_MOMENT);
    }
    c->bytes.len = (size_t)(at - c->bytes.data);
    return CACHEKIT_OK;
}

// ---- keys of maps ----

static size_t head_len(const cachekit_arg *text)
{
    uint8_t head[CKI_PUT_MAX];
    return (size_t)((text->type == CACHEKIT_ARG_STR ? cki_put_str(head, text->len)
                                                    : cki_put_bin(head, text->len)) -
                    head);
}

// A new span that begins here, or NULL: no memory.
static inline struct cki_span *push_span(struct cki_canon *c)
{
    if (cki_scratch_reserve(&c->spans, sizeof(struct cki_span)) != CACHEKIT_OK) {
        return NULL;
    }
    struct cki_span *span = span_end(c);
    c->spans.len += sizeof *span;
    *span = (struct cki_span){.at = c->bytes.len, .key_at = c->bytes.len};
    return span;
}

static cachekit_status begin_pair(struct cki_canon *c, const struct cki_level *level,
                                  const cachekit_arg *key)
{
    const struct cki_profile *profile = c->profile;
    unsigned sort = cki_key_sort_of(key);
    if ((profile->key_sorts >> sort & 1) == 0) {
        return refuse(c, "a map key of a type that keys cannot have here");
    }
    if (profile->wants_one_key_sort && level->count > 2 &&
        (sort == CKI_KEY_NIL || (level->next > 1 && span_end(c)[-1].sort != sort))) {
        return refuse(c, "map keys that have no order among them");
    }
    struct cki_span *span = push_span(c);
    if (span == NULL) {
        return no_memory(c);
    }
    span->sort = (uint8_t)sort;
    if (profile->orders_by_value) {
        cki_span_order(key, span);
        if (sort == CKI_KEY_STR || sort == CKI_KEY_BIN) {
            span->key_at += head_len(key);
        }
    }
    return CACHEKIT_OK;
}

// Before an item of a map or a set is packed.
static cachekit_status mark(struct cki_canon *c, const struct cki_level *level,
                            const cachekit_arg *item)
{
    if (level->type == CACHEKIT_ARG_SET) {
        return push_span(c) != NULL ? CACHEKIT_OK : no_memory(c);
    }
    if (level->next % 2 != 0) { // `next` is the one behind the item
        return begin_pair(c, level, item);
    }
    struct cki_span *pair = span_end(c) - 1;
    pair->key_len = c->bytes.len - pair->key_at;
    return CACHEKIT_OK;
}

// ---- collections ----

static cachekit_status put_head(const struct cki_canon *c, struct cki_scratch *out, uint32_t type,
                                size_t count)
{
    if (cki_scratch_reserve(out, CKI_PUT_MAX + 1) != CACHEKIT_OK) {
        return CACHEKIT_E_NOMEM;
    }
    uint8_t *at = out->data + out->len;
    if (type == CACHEKIT_ARG_SET && c->profile->marks_sets) {
        at = cki_put_byte(at, CKI_LOCAL_MARK);
    }
    at = type == CACHEKIT_ARG_MAP ? cki_put_map(at, count) : cki_put_array(at, count);
    out->len = (size_t)(at - out->data);
    return CACHEKIT_OK;
}

static cachekit_status open_level(struct cki_canon *c, const cachekit_arg *item, bool is_tree)
{
    size_t begin = c->bytes.len;
    if (c->levels.len / sizeof(struct cki_level) > DEPTH_MAX) {
        return refuse(c, "more than 1024 levels");
    }
    if (item->type == CACHEKIT_ARG_SET && !c->profile->has_sets) {
        return refuse(c, "a set, which this kind of key has no form for");
    }
    if (put_head(c, &c->bytes, item->type, item->len) != CACHEKIT_OK ||
        cki_scratch_reserve(&c->levels, sizeof(struct cki_level)) != CACHEKIT_OK) {
        return no_memory(c);
    }
    c->levels.len += sizeof(struct cki_level);
    *top_of(c) = (struct cki_level){.items = item->as.data,
                                    .count = (size_t)item->len << (item->type == CACHEKIT_ARG_MAP),
                                    .begin = begin,
                                    .spans = span_count(c),
                                    .type = item->type,
                                    .is_tree = is_tree};
    return CACHEKIT_OK;
}

// Head and spans in order take the place of the elements as they came.
static cachekit_status reorder(struct cki_canon *c, const struct cki_level *level,
                               const struct cki_span *spans, size_t count)
{
    struct cki_scratch *out = &c->ordered;
    out->len = 0;
    cachekit_status status = put_head(c, out, level->type, count);
    for (size_t i = 0; status == CACHEKIT_OK && i < count; i++) {
        status = cki_scratch_append(out, c->bytes.data + spans[i].at, spans[i].len);
    }
    if (status != CACHEKIT_OK) {
        return no_memory(c);
    }
    // Not longer than what it replaces.
    memcpy(c->bytes.data + level->begin, out->data, out->len);
    c->bytes.len = level->begin + out->len;
    return CACHEKIT_OK;
}

static cachekit_status close_unordered(struct cki_canon *c, const struct cki_level *level)
{
    size_t count = span_count(c) - level->spans, end = c->bytes.len;
    struct cki_span *spans = span_end(c) - count;
    for (size_t i = count; i-- > 0; end = spans[i].at) {
        spans[i].len = end - spans[i].at;
        if (level->type == CACHEKIT_ARG_SET) {
            spans[i].key_len = spans[i].len;
        }
    }
    c->spans.len -= count * sizeof *spans;
    if (cki_spans_ascend(c->bytes.data, spans, count)) {
        return CACHEKIT_OK;
    }
    cki_spans_sort(c->bytes.data, spans, count);
    size_t kept = cki_spans_distinct(c->bytes.data, spans, count);
    if (level->type == CACHEKIT_ARG_MAP && kept < count) {
        return refuse(c, "a map that has a key twice");
    }
    return reorder(c, level, spans, kept);
}

static cachekit_status pack_next(struct cki_canon *c)
{
    struct cki_level *level = top_of(c);
    size_t index = level->next++;
    cachekit_arg item = cachekit_null();
    bool is_tree = false;
    if (c->levels.len == sizeof *level) {
        c->position = level->type == CACHEKIT_ARG_MAP ? index / 2 + 1 : index + 1;
    }
    cachekit_status status = fetch(c, level, index, &item, &is_tree);
    if (status == CACHEKIT_OK && level->type != CACHEKIT_ARG_LIST) {
        status = mark(c, level, &item);
    }
    if (status != CACHEKIT_OK) {
        return status;
    }
    switch ((cachekit_arg_type)item.type) {
    case CACHEKIT_ARG_LIST:
    case CACHEKIT_ARG_MAP:
    case CACHEKIT_ARG_SET:
        return open_level(c, &item, is_tree);
    case CACHEKIT_ARG_STR:
    case CACHEKIT_ARG_BYTES:
        return pack_text(c, &item);
    default:
        return pack_fixed(c, &item);
    }
}

static cachekit_status pack_root(struct cki_canon *c, const cachekit_arg *root)
{
    cachekit_status status = open_level(c, root, false);
    while (status == CACHEKIT_OK && c->levels.len > 0) {
        struct cki_level *level = top_of(c);
        if (level->next < level->count) {
            status = pack_next(c);
            if (c->bytes.len > UINT32_MAX / 2) {
                return fail(c, CACHEKIT_E_INVALID, "too long for a key");
            }
            continue;
        }
        const struct cki_level closed = *level;
        c->levels.len -= sizeof closed;
        status = closed.type == CACHEKIT_ARG_LIST ? CACHEKIT_OK : close_unordered(c, &closed);
    }
    return status;
}

static bool are_countable(const cachekit_arg *args, size_t count)
{
    return count < UINT32_MAX && (args != NULL || count == 0);
}

cachekit_status cki_canon_list(struct cki_canon *c, const cachekit_arg *args, size_t count)
{
    c->what = "argument";
    if (!are_countable(args, count)) {
        return cki_fail(c->error, CACHEKIT_E_INVALID, 0, "the arguments are NULL or too many");
    }
    const cachekit_arg root = cachekit_list(args, count);
    return pack_root(c, &root);
}

cachekit_status cki_canon_named(struct cki_canon *c, const cachekit_arg *args, size_t pairs)
{
    c->what = "keyword argument";
    if (!are_countable(args, pairs)) {
        return cki_fail(c->error, CACHEKIT_E_INVALID, 0,
                        "the keyword arguments are NULL or too many");
    }
    for (size_t i = 0; i < pairs; i++) {
        if (args[2 * i].type != CACHEKIT_ARG_STR) {
            c->position = i + 1;
            return refuse(c, "its name is no text");
        }
    }
    const cachekit_arg root = cachekit_map(args, pairs);
    return pack_root(c, &root);
}

void cki_canon_init(struct cki_canon *c, const struct cki_profile *profile,
                    const cachekit_allocator *allocator, cachekit_error *error)
{
    c->profile = profile;
    c->error = error;
    c->what = "argument";
    c->position = 0;
    cki_scratch_init(&c->bytes, c->byte_room, sizeof c->byte_room, allocator);
    cki_scratch_init(&c->levels, c->level_room, sizeof c->level_room, allocator);
    cki_scratch_init(&c->spans, c->span_room, sizeof c->span_room, allocator);
    cki_scratch_init(&c->ordered, c->ordered_room, sizeof c->ordered_room, allocator);
}

void cki_canon_release(struct cki_canon *c)
{
    cki_scratch_release(&c->bytes);
    cki_scratch_release(&c->levels);
    cki_scratch_release(&c->spans);
    cki_scratch_release(&c->ordered);
}
