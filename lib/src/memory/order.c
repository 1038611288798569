// SPDX-License-Identifier: MIT
// The heap holds rank and turn beside the pointer: sifting compares without touching entries, of
// which each would be a cache miss.
#include "memory/order.h"

#include "base/alloc.h"

enum { ARITY = 4, FIRST_ROOM = 16 };

void cki_order_init(struct cki_order *order, int which)
{
    *order = (struct cki_order){.which = which};
}

void cki_order_release(struct cki_order *order, const cachekit_allocator *allocator)
{
    cki_free(allocator, order->nodes, cki_order_bytes(order));
    cki_order_init(order, order->which);
}

size_t cki_order_bytes(const struct cki_order *order)
{
    return (size_t)order->room * sizeof *order->nodes;
}

static uint32_t room_for(const struct cki_order *order, uint32_t entries)
{
    uint32_t room = order->room < FIRST_ROOM ? FIRST_ROOM : order->room * 2;
    return room < entries ? entries : room;
}

size_t cki_order_growth(const struct cki_order *order, uint32_t entries)
{
    if (entries <= order->room) {
        return 0;
    }
    return (size_t)(room_for(order, entries) - order->room) * sizeof *order->nodes;
}

bool cki_order_reserve(struct cki_order *order, const cachekit_allocator *allocator,
                       uint32_t entries)
{
    if (entries <= order->room) {
        return true;
    }
    uint32_t room = room_for(order, entries);
    struct cki_order_node *nodes =
        cki_resize(allocator, order->nodes, cki_order_bytes(order), (size_t)room * sizeof *nodes);
    if (nodes == NULL) {
        return false;
    }
    order->nodes = nodes;
    order->room = room;
    return true;
}

static struct cki_place *place_of(const struct cki_order *order, struct cki_entry *entry)
{
    return &entry->places[order->which];
}

static bool before(const struct cki_order_node *a, const struct cki_order_node *b)
{
    return a->rank < b->rank || (a->rank == b->rank && a->turn < b->turn);
}

static void put(struct cki_order *order, uint32_t index, const struct cki_order_node *node)
{
    order->nodes[index] = *node;
    place_of(order, node->entry)->index = index;
}

static void sift_up(struct cki_order *order, uint32_t index, struct cki_order_node node)
{
    while (index > 0) {
        uint32_t parent = (index - 1) / ARITY;
        if (!before(&node, &order->nodes[parent])) {
            break;
        }
        put(order, index, &order->nodes[parent]);
        index = parent;
    }
    put(order, index, &node);
}

static uint32_t smallest_child(const struct cki_order *order, uint32_t index)
{
    uint32_t first = index * ARITY + 1;
    uint32_t end = first + ARITY < order->count ? first + ARITY : order->count;
    uint32_t best = first;
    for (uint32_t child = first + 1; child < end; child++) {
        if (before(&order->nodes[child], &order->nodes[best])) {
            best = child;
        }
    }
    return best;
}

static void sift_down(struct cki_order *order, uint32_t index, struct cki_order_node node)
{
    while (index * ARITY + 1 < order->count) {
        uint32_t child = smallest_child(order, index);
        if (!before(&order->nodes[child], &node)) {
            break;
        }
        put(order, index, &order->nodes[child]);
        index = child;
    }
    put(order, index, &node);
}

static void run_append(struct cki_order *order, struct cki_entry *entry)
{
    struct cki_place *place = place_of(order, entry);
    place->index = CKI_IN_RUN;
    place->prev = order->tail;
    place->next = NULL;
    if (order->tail != NULL) {
        place_of(order, order->tail)->next = entry;
    } else {
        order->head = entry;
    }
    order->tail = entry;
}

static void run_remove(struct cki_order *order, struct cki_entry *entry)
{
    struct cki_place *place = place_of(order, entry);
    if (place->prev != NULL) {
        place_of(order, place->prev)->next = place->next;
    } else {
        order->head = place->next;
    }
    if (place->next != NULL) {
        place_of(order, place->next)->prev = place->prev;
    } else {
        order->tail = place->prev;
    }
}

static void heap_remove(struct cki_order *order, uint32_t index)
{
    struct cki_order_node last = order->nodes[--order->count];
    if (index == order->count) {
        return;
    }
    if (index > 0 && before(&last, &order->nodes[(index - 1) / ARITY])) {
        sift_up(order, index, last);
    } else {
        sift_down(order, index, last);
    }
}

void cki_order_file(struct cki_order *order, struct cki_entry *entry, int64_t rank)
{
    struct cki_place *place = place_of(order, entry);
    place->rank = rank;
    place->turn = order->turns++;
    if (order->tail == NULL || place_of(order, order->tail)->rank <= rank) {
        run_append(order, entry);
    } else {
        sift_up(order, order->count++, (struct cki_order_node){rank, place->turn, entry});
    }
}

void cki_order_remove(struct cki_order *order, struct cki_entry *entry)
{
    struct cki_place *place = place_of(order, entry);
    if (place->index == CKI_IN_RUN) {
        run_remove(order, entry);
    } else if (place->index != CKI_NOWHERE) {
        heap_remove(order, place->index);
    }
    place->index = CKI_NOWHERE;
}

static struct cki_order_node node_of(const struct cki_order *order, struct cki_entry *entry)
{
    const struct cki_place *place = place_of(order, entry);
    return (struct cki_order_node){place->rank, place->turn, entry};
}

struct cki_entry *cki_order_first(const struct cki_order *order)
{
    if (order->count == 0) {
        return order->head;
    }
    if (order->head == NULL) {
        return order->nodes[0].entry;
    }
    struct cki_order_node run = node_of(order, order->head);
    return before(&order->nodes[0], &run) ? order->nodes[0].entry : order->head;
}

static bool run_is_valid(const struct cki_order *order, size_t *seen)
{
    struct cki_entry *prev = NULL;
    for (struct cki_entry *e = order->head; e != NULL; e = place_of(order, e)->next) {
        const struct cki_place *place = place_of(order, e);
        if (place->index != CKI_IN_RUN || place->prev != prev) {
            return false;
        }
        if (prev != NULL) {
            struct cki_order_node a = node_of(order, prev), b = node_of(order, e);
            if (!before(&a, &b)) {
                return false;
            }
        }
        prev = e;
        (*seen)++;
    }
    return order->tail == prev;
}

bool cki_order_is_valid(const struct cki_order *order, size_t entries)
{
    size_t seen = 0;
    if (!run_is_valid(order, &seen) || order->count > order->room) {
        return false;
    }
    for (uint32_t i = 0; i < order->count; i++) {
        const struct cki_order_node *node = &order->nodes[i];
        const struct cki_place *place = place_of(order, node->entry);
        bool ok = place->index == i && place->rank == node->rank && place->turn == node->turn;
        if (!ok || (i > 0 && before(node, &order->nodes[(i - 1) / ARITY]))) {
            return false;
        }
    }
    return seen + order->count == entries;
}
