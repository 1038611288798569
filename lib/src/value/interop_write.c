// SPDX-License-Identifier: MIT
// The canonical form of interop/v1 values. A map in order is walked as it lies; one that is not
// gets an order of its pairs, which for small maps is a number in the walk's own frame, so that
// only large maps in disorder take memory.
#include <cachekit/interop.h>

#include <string.h>

#include "base/status.h"
#include "value/interop_order.h"
#include "value/writer.h"

enum fault { NONE, NO_MEMORY, DEEP, BAD_TEXT, BAD_DATE, BAD_FLOAT, BAD_TYPE, KEY_TYPE, KEY_TWICE };

#define IS_LARGE (UINT64_C(1) << 63)

// An open collection.
struct place {
    const cachekit_value *next; // in an ordered map: its first node
    const cachekit_value *end;  // in an ordered map: as many nodes on as there are pairs left
    uint64_t order;             // 0: as it lies. IS_LARGE: where its orders start. Else packed.
};

struct writer {
    cachekit_buffer *out;
    uint8_t *at;
    const uint8_t *limit;
    cachekit_buffer orders; // numbers of pairs, of the large maps that are open
    struct place *top;      // first unused
    struct place places[CACHEKIT_VALUE_DEPTH_MAX];
};

// ---- nodes ----

static bool make_room(struct writer *writer, size_t room)
{
    cachekit_buffer *out = writer->out;
    out->len = (size_t)(writer->at - out->data);
    if (cachekit_buffer_reserve(out, room) != CACHEKIT_OK) {
        return false;
    }
    writer->at = out->data + out->len;
    writer->limit = out->data + out->room;
    return true;
}

// For the node and, if it is a collection, a byte for each of its children.
static inline bool has_room(struct writer *writer, const cachekit_value *node)
{
    size_t room = CKI_PUT_ROOM + (size_t)node->len;
    return (size_t)(writer->limit - writer->at) >= room || make_room(writer, room);
}

static bool is_finite(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits << 1 < UINT64_C(0xffe0000000000000);
}

static enum fault fault_of(const cachekit_value *node)
{
    if (node->type == CACHEKIT_STR) {
        return BAD_TEXT;
    }
    return node->type <= CACHEKIT_TIME ? BAD_DATE : BAD_TYPE;
}

static inline enum fault put_leaf(struct writer *writer, const cachekit_value *node)
{
    if (node->type == CACHEKIT_FLOAT && !is_finite(node->as.f64)) {
        return BAD_FLOAT;
    }
    if (!has_room(writer, node)) {
        return NO_MEMORY;
    }
    uint8_t *at = cki_put_leaf(writer->at, node);
    if (at == NULL) {
        return fault_of(node);
    }
    writer->at = at;
    return NONE;
}

// ---- collections ----

static enum fault order_large(struct writer *writer, const cachekit_value *map, uint64_t *order)
{
    cachekit_buffer *orders = &writer->orders;
    size_t size = (size_t)map->len * sizeof(uint32_t);
    if (cachekit_buffer_reserve(orders, size) != CACHEKIT_OK) {
        return NO_MEMORY;
    }
    uint32_t *pairs = (uint32_t *)(void *)(orders->data + orders->len);
    *order = IS_LARGE | orders->len / sizeof(uint32_t);
    orders->len += size;
    return cki_order(map->as.items, map->len, pairs) ? NONE : KEY_TWICE;
}

static enum fault order_map(struct writer *writer, const cachekit_value *map, uint64_t *order)
{
    switch (cki_keys_look(map->as.items, map->len)) {
    case CKI_KEYS_SORTED:
        return NONE;
    case CKI_KEYS_TWICE:
        return KEY_TWICE;
    case CKI_KEYS_NO_TEXT:
        return KEY_TYPE;
    case CKI_KEYS_UNSORTED:
        break;
    }
    if (map->len > CKI_ORDER_PACKED_MAX) {
        return order_large(writer, map, order);
    }
    return cki_order_packed(map->as.items, map->len, order) ? NONE : KEY_TWICE;
}

static enum fault open_collection(struct writer *writer, const cachekit_value *node)
{
    struct place place = {node->as.items, node->as.items, 0};
    enum fault fault = NONE;
    if (node->type == CACHEKIT_MAP) {
        fault = order_map(writer, node, &place.order);
    }
    if (fault == NONE && !has_room(writer, node)) {
        fault = NO_MEMORY;
    }
    if (fault != NONE) {
        return fault;
    }
    writer->at = cki_put_header(writer->at, node);
    if (node->len > 0) { // none: the pointer may be NULL
        bool is_flat_map = node->type == CACHEKIT_MAP && place.order == 0;
        place.end += (size_t)node->len << is_flat_map;
    }
    *writer->top++ = place;
    return NONE;
}

static void close_collection(struct writer *writer)
{
    uint64_t order = (--writer->top)->order;
    if ((order & IS_LARGE) != 0) {
        writer->orders.len = (size_t)(order & ~IS_LARGE) * sizeof(uint32_t);
    }
}

static enum fault put_node(struct writer *writer, const cachekit_value *node)
{
    if (node->type < CACHEKIT_ARRAY) {
        return put_leaf(writer, node);
    }
    if (writer->top == writer->places + CACHEKIT_VALUE_DEPTH_MAX) {
        return DEEP; // a date is a level, too
    }
    bool is_collection = node->type <= CACHEKIT_MAP;
    return is_collection ? open_collection(writer, node) : put_leaf(writer, node);
}

static const cachekit_value *next_key(const struct writer *writer, struct place *map)
{
    size_t left = (size_t)(--map->end - map->next); // behind this one
    if ((map->order & IS_LARGE) == 0) {
        return &map->next[2 * (map->order >> 4 * left & 15)];
    }
    const uint32_t *pairs = (const uint32_t *)(const void *)writer->orders.data;
    return &map->next[2 * (size_t)pairs[(map->order & ~IS_LARGE) + left]];
}

// Leaves, which most nodes are, go by here one after another, up to a collection or the end.
static enum fault put_flat(struct writer *writer, struct place *place)
{
    enum fault fault = NONE;
    while (fault == NONE && place->next != place->end) {
        const cachekit_value *node = place->next++;
        if (node->type >= CACHEKIT_ARRAY) {
            return put_node(writer, node);
        }
        fault = put_leaf(writer, node);
    }
    return fault;
}

static enum fault put_ordered(struct writer *writer, struct place *map)
{
    enum fault fault = NONE;
    while (fault == NONE && map->next != map->end) {
        const cachekit_value *key = next_key(writer, map);
        fault = put_leaf(writer, key);
        if (fault == NONE && key[1].type >= CACHEKIT_ARRAY) {
            return put_node(writer, key + 1);
        }
        if (fault == NONE) {
            fault = put_leaf(writer, key + 1);
        }
    }
    return fault;
}

static enum fault put_tree(struct writer *writer, const cachekit_value *root)
{
    enum fault fault = put_node(writer, root);
    while (fault == NONE && writer->top > writer->places) {
        struct place *place = writer->top - 1;
        if (place->next == place->end) {
            close_collection(writer);
        } else {
            fault = place->order == 0 ? put_flat(writer, place) : put_ordered(writer, place);
        }
    }
    return fault;
}

cachekit_status cachekit_interop_encode(const cachekit_value *value, cachekit_buffer *out,
                                        cachekit_error *error)
{
    static const char *const texts[] = {
        [NO_MEMORY] = "out of memory for the document",
        [DEEP] = "more than 1024 levels",
        [BAD_TEXT] = "text that is not UTF-8",
        [BAD_DATE] = "a date or time whose text is none",
        [BAD_FLOAT] = "a float that is infinite or no number",
        [BAD_TYPE] = "a node of unknown type",
        [KEY_TYPE] = "a map key that is no text",
        [KEY_TWICE] = "a map key that is there twice",
    };
    struct writer writer;
    writer.out = out;
    writer.at = out->data;
    writer.limit = out->data;
    writer.top = writer.places;
    cachekit_buffer_init(&writer.orders, out->allocator);
    out->len = 0;
    if (out->room > 0) {
        writer.limit += out->room;
    }
    enum fault fault = put_tree(&writer, value);
    cachekit_buffer_release(&writer.orders);
    out->len = fault == NONE ? (size_t)(writer.at - out->data) : 0;
    if (fault == NONE) {
        return CACHEKIT_OK;
    }
    return cki_fail(error, fault == NO_MEMORY ? CACHEKIT_E_NOMEM : CACHEKIT_E_VALUE, 0, "%s",
                    texts[fault]);
}
