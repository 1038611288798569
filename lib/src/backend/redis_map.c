// SPDX-License-Identifier: MIT
// CLUSTER SLOTS: an array of [first, last, [host, port, ...], replicas ...]. The reply is checked
// whole before a slot changes its owner.
#include "backend/redis_map.h"

#include <string.h>

#include "base/alloc.h"
#include "base/status.h"

struct cursor {
    const struct cki_answer_item *items;
    size_t count;
    size_t at;
    const uint8_t *texts;
};

struct range {
    int64_t first, last, port;
    const uint8_t *host;
    size_t host_len;
};

uint32_t cki_map_node(struct cki_redis *self, const uint8_t *host, size_t len, uint16_t port,
                      uint32_t asked)
{
    uint32_t room = CKI_NODE_NONE;
    const char *wanted = len > 0 ? (const char *)host : self->nodes[asked].host;
    len = len > 0 ? len : strlen(wanted);
    if (len >= CKI_HOST_ROOM || memchr(wanted, '\0', len) != NULL) {
        return CKI_NODE_NONE;
    }
    for (uint32_t i = 0; i < self->node_count; i++) {
        const struct cki_node *node = &self->nodes[i];
        if (!node->is_used) {
            room = room == CKI_NODE_NONE ? i : room;
        } else if (node->port == port && strlen(node->host) == len &&
                   memcmp(node->host, wanted, len) == 0) {
            return i;
        }
    }
    if (room != CKI_NODE_NONE) {
        struct cki_node *node = &self->nodes[room];
        uint32_t epoch = node->epoch + 1;
        cki_name_drop(node->name);
        char copy[CKI_HOST_ROOM];
        memcpy(copy, wanted, len);
        memset(node, 0, sizeof *node);
        memcpy(node->host, copy, len);
        node->epoch = epoch;
        node->port = port;
        node->is_used = true;
    }
    return room;
}

static const struct cki_answer_item *next(struct cursor *cursor, enum cki_answer_kind kind)
{
    if (cursor->at >= cursor->count || cursor->items[cursor->at].kind != kind) {
        return NULL;
    }
    return &cursor->items[cursor->at++];
}

static bool skip(struct cursor *cursor, int64_t count)
{
    while (count > 0 && cursor->at < cursor->count) {
        const struct cki_answer_item *item = &cursor->items[cursor->at++];
        count += (item->kind == CKI_ANSWER_ARRAY ? item->number : 0) - 1;
    }
    return count == 0;
}

static bool read_host(struct cursor *cursor, struct range *out)
{
    const struct cki_answer_item *host = next(cursor, CKI_ANSWER_BULK);
    out->host = NULL;
    out->host_len = 0;
    if (host != NULL) {
        out->host = cursor->texts + host->offset;
        out->host_len = host->len;
        return true;
    }
    return next(cursor, CKI_ANSWER_NIL) != NULL; // unknown: where we asked
}

static bool read_range(struct cursor *cursor, struct range *out)
{
    const struct cki_answer_item *row = next(cursor, CKI_ANSWER_ARRAY);
    const struct cki_answer_item *first = row != NULL ? next(cursor, CKI_ANSWER_INTEGER) : NULL;
    const struct cki_answer_item *last = first != NULL ? next(cursor, CKI_ANSWER_INTEGER) : NULL;
    const struct cki_answer_item *master = last != NULL ? next(cursor, CKI_ANSWER_ARRAY) : NULL;
    if (master == NULL || row->number < 3 || master->number < 2 || !read_host(cursor, out)) {
        return false;
    }
    const struct cki_answer_item *port = next(cursor, CKI_ANSWER_INTEGER);
    if (port == NULL || !skip(cursor, master->number - 2) || !skip(cursor, row->number - 3)) {
        return false;
    }
    out->first = first->number;
    out->last = last->number;
    out->port = port->number;
    return out->first >= 0 && out->first <= out->last && out->last < CKI_SLOTS && out->port > 0 &&
           out->port <= UINT16_MAX;
}

static bool is_sound(struct cursor cursor, int64_t ranges)
{
    struct range range;
    for (int64_t i = 0; i < ranges; i++) {
        if (!read_range(&cursor, &range)) {
            return false;
        }
    }
    return cursor.at == cursor.count;
}

// Under the lock.
static void forget_idle_nodes(struct cki_redis *self)
{
    bool owns[CKI_NODES_MAX] = {[0] = true}; // the URL's own node stays
    for (int slot = 0; slot < CKI_SLOTS; slot++) {
        if (self->slots[slot] != CKI_NODE_NONE) {
            owns[self->slots[slot]] = true;
        }
    }
    for (uint32_t i = 0; i < self->node_count; i++) {
        if (self->nodes[i].is_used && !owns[i]) {
            self->nodes[i].is_used = false;
            self->nodes[i].epoch++;
        }
    }
}

cachekit_status cki_map_read(struct cki_redis *self, const struct cki_answer *answer,
                             uint32_t asked, cachekit_error *error)
{
    struct cursor cursor = {(const struct cki_answer_item *)(const void *)answer->items->data,
                            answer->item_count, 0, answer->bulk->data};
    struct range range;
    if (!is_sound(cursor, answer->number)) {
        return cki_fail(error, CACHEKIT_E_UNKNOWN, 0, "redis: CLUSTER SLOTS makes no sense");
    }
    if (answer->number == 0) {
        return cki_fail(error, CACHEKIT_E_TRANSIENT, 0, "redis: the Cluster owns no slots yet");
    }
    (void)pthread_mutex_lock(&self->lock);
    memset(self->slots, 0xff, CKI_SLOTS * sizeof *self->slots);
    for (int64_t i = 0; i < answer->number && read_range(&cursor, &range); i++) {
        uint32_t node = cki_map_node(self, range.host, range.host_len, (uint16_t)range.port, asked);
        for (int64_t slot = range.first; slot <= range.last; slot++) {
            self->slots[slot] = (uint16_t)node;
        }
    }
    forget_idle_nodes(self);
    (void)pthread_mutex_unlock(&self->lock);
    return CACHEKIT_OK;
}
