// SPDX-License-Identifier: MIT
// The map is a table of 16,384 node numbers. A redirection corrects one slot at once and makes the
// next caller load the whole map anew; one caller loads, the others go on with what there is.
#include "backend/redis_cluster.h"

#include <stdlib.h>
#include <string.h>

#include "backend/instant.h"
#include "backend/redis_map.h"
#include "backend/redis_ask.h"
#include "base/alloc.h"
#include "base/status.h"

// Between two loads, however much doubt there is.
#define LOAD_EVERY_NS INT64_C(100000000)

void cki_cluster_forked(struct cki_redis *self)
{
    if (self->slots != NULL) {
        memset(self->slots, 0xff, CKI_SLOTS * sizeof *self->slots);
        self->is_map_loading = false;
        self->map_loaded_ns = 0;
    }
}

void cki_cluster_doubt(struct cki_redis *self)
{
    (void)pthread_mutex_lock(&self->lock);
    self->is_map_old = true;
    (void)pthread_mutex_unlock(&self->lock);
}

uint32_t cki_cluster_owner(struct cki_redis *self, int slot)
{
    (void)pthread_mutex_lock(&self->lock);
    uint32_t node = self->slots[slot];
    (void)pthread_mutex_unlock(&self->lock);
    return node == CKI_NODE_NONE ? 0 : node;
}

// True for the caller who is to load the map; without a map it is everybody.
static bool claim_loading(struct cki_redis *self, bool *has_map)
{
    (void)pthread_mutex_lock(&self->lock);
    *has_map = self->map_loaded_ns != 0;
    bool is_mine = !*has_map || (self->is_map_old && !self->is_map_loading &&
                                 cki_instant_ns() - self->map_loaded_ns >= LOAD_EVERY_NS);
    self->is_map_loading = self->is_map_loading || is_mine;
    (void)pthread_mutex_unlock(&self->lock);
    return is_mine;
}

static void end_loading(struct cki_redis *self, bool loaded)
{
    (void)pthread_mutex_lock(&self->lock);
    self->is_map_loading = false;
    if (loaded) {
        self->is_map_old = false;
    }
    if (loaded || self->map_loaded_ns != 0) {
        self->map_loaded_ns = cki_instant_ns();
    }
    (void)pthread_mutex_unlock(&self->lock);
}

static cachekit_status load_from(struct cki_redis *self, uint32_t node, int64_t deadline_ns,
                                 cachekit_error *error)
{
    static const struct cki_command command = {
        .argc = 2, .argv = {"CLUSTER", "SLOTS"}, .lens = {7, 5}, .wants = CKI_ANSWER_ARRAY};
    cachekit_buffer bulk, items;
    cachekit_buffer_init(&bulk, self->allocator);
    cachekit_buffer_init(&items, self->allocator);
    struct cki_answer answer = {.bulk = &bulk, .items = &items};
    cachekit_status status =
        cki_ask(self, (struct cki_place){node, false}, &command, &answer, deadline_ns, error);
    if (status == CACHEKIT_OK) {
        status = cki_map_read(self, &answer, node, error);
    } else if (status == CACHEKIT_E_UNKNOWN) {
        status =
            cki_fail(error, CACHEKIT_E_CONFIG, 0, "redis: the server is no Cluster: use redis://");
    }
    cachekit_buffer_release(&items);
    cachekit_buffer_release(&bulk);
    return status;
}

static bool is_known(struct cki_redis *self, uint32_t node)
{
    (void)pthread_mutex_lock(&self->lock);
    bool known = self->nodes[node].is_used;
    (void)pthread_mutex_unlock(&self->lock);
    return known;
}

// Any node will do. Each gets half of what is left, so that a silent one leaves time for another.
static cachekit_status load(struct cki_redis *self, int64_t deadline_ns, cachekit_error *error)
{
    cachekit_status status = CACHEKIT_E_TRANSIENT;
    for (uint32_t node = 0; node < self->node_count; node++) {
        int64_t now = cki_instant_ns();
        if (node > 0 && (!is_known(self, node) || now >= deadline_ns)) {
            continue;
        }
        int64_t until = deadline_ns > now ? now + (deadline_ns - now) / 2 : deadline_ns;
        status = load_from(self, node, until, error);
        if (status == CACHEKIT_OK) {
            break;
        }
    }
    return status;
}

cachekit_status cki_cluster_ready(struct cki_redis *self, int64_t deadline_ns,
                                  cachekit_error *error)
{
    bool has_map;
    if (!claim_loading(self, &has_map)) {
        return CACHEKIT_OK;
    }
    cachekit_status status = load(self, deadline_ns, error);
    end_loading(self, status == CACHEKIT_OK);
    return has_map ? CACHEKIT_OK : status;
}

uint32_t cki_cluster_redirect(struct cki_redis *self, const char *line, uint32_t asked)
{
    bool is_moved = strncmp(line, "MOVED ", 6) == 0;
    char *end = NULL;
    const char *slot_text = strchr(line, ' ');
    if (slot_text == NULL || slot_text[1] < '0' || slot_text[1] > '9') {
        return CKI_NODE_NONE;
    }
    unsigned long slot = strtoul(slot_text, &end, 10);
    const char *colon = strrchr(line, ':');
    if (slot >= CKI_SLOTS || *end != ' ' || colon == NULL || colon < end + 1) {
        return CKI_NODE_NONE;
    }
    unsigned long port = strtoul(colon + 1, NULL, 10);
    if (port == 0 || port > UINT16_MAX) {
        return CKI_NODE_NONE;
    }
    (void)pthread_mutex_lock(&self->lock);
    uint32_t node = cki_map_node(self, (const uint8_t *)end + 1, (size_t)(colon - end - 1),
                                 (uint16_t)port, asked);
    if (is_moved && node != CKI_NODE_NONE) {
        self->slots[slot] = (uint16_t)node;
        self->is_map_old = true;
    }
    (void)pthread_mutex_unlock(&self->lock);
    return node;
}
