// SPDX-License-Identifier: MIT
// Where a command goes: to the one node, or to the owner of its slot and from there wherever the
// Cluster sends it, until the deadline.
#include <string.h>

#include "backend/instant.h"
#include "backend/redis_ask.h"
#include "backend/redis_cluster.h"
#include "backend/redis_inside.h"
#include "backend/redis_pool.h"
#include "backend/redis_slot.h"
#include "base/alloc.h"
#include "base/status.h"

enum { REDIRECTIONS_MAX = 16, KEY_MAX = 512 << 20 };

void cki_redis_enter(struct cki_redis *self)
{
    if (cki_fork_mark_is_child(&self->mark)) {
        cki_pool_forked(self);
        cki_cluster_forked(self);
        cki_fork_mark_settle(&self->mark);
    }
}

cachekit_status cki_scope(const struct cki_redis *self, cachekit_slice key, const char *suffix,
                          struct cki_scoped *out, cachekit_error *error)
{
    size_t suffix_len = strlen(suffix);
    out->heap = NULL;
    if (key.len == 0) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "redis: the key is empty");
    }
    if (key.len > KEY_MAX - self->prefix_len - suffix_len) {
        return cki_fail(error, CACHEKIT_E_TOO_LARGE, 0, "redis: the key is over 512 MiB");
    }
    out->len = self->prefix_len + key.len + suffix_len;
    out->data = (const char *)key.data;
    if (out->len == key.len) {
        return CACHEKIT_OK;
    }
    char *at = out->small;
    if (out->len > sizeof out->small) {
        at = out->heap = cki_alloc(self->allocator, out->len);
        if (at == NULL) {
            return cki_fail(error, CACHEKIT_E_NOMEM, 0, "redis: no memory for the key");
        }
    }
    out->data = at;
    if (self->prefix_len > 0) {
        memcpy(at, self->prefix, self->prefix_len);
    }
    memcpy(at + self->prefix_len, key.data, key.len);
    memcpy(at + self->prefix_len + key.len, suffix, suffix_len);
    return CACHEKIT_OK;
}

void cki_unscope(const struct cki_redis *self, struct cki_scoped *scoped)
{
    cki_free(self->allocator, scoped->heap, scoped->len);
    scoped->heap = NULL;
}

int cki_slot_of(const struct cki_redis *self, const struct cki_scoped *scoped)
{
    return self->slots != NULL ? cki_redis_slot(scoped->data, scoped->len) : 0;
}

// After a redirection: where to ask now. False: the answer is none.
static bool is_sent_on(struct cki_redis *self, const struct cki_answer *answer,
                       struct cki_place *place)
{
    bool is_asked = strncmp(answer->line, "ASK ", 4) == 0;
    bool is_moved = strncmp(answer->line, "MOVED ", 6) == 0;
    if (answer->kind != CKI_ANSWER_ERROR || (!is_asked && !is_moved)) {
        return false;
    }
    place->is_asked = is_asked;
    place->node = cki_cluster_redirect(self, answer->line, place->node);
    return true;
}

static cachekit_status call_cluster(struct cki_redis *self, const struct cki_command *command,
                                    struct cki_answer *answer, int64_t deadline_ns,
                                    cachekit_error *error)
{
    cachekit_status status = cki_cluster_ready(self, deadline_ns, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    struct cki_place place = {cki_cluster_owner(self, command->slot), false};
    for (int i = 0; i < REDIRECTIONS_MAX; i++) {
        status = cki_ask(self, place, command, answer, deadline_ns, error);
        if (status == CACHEKIT_E_TRANSIENT || status == CACHEKIT_E_TIMEOUT) {
            cki_cluster_doubt(self);
        }
        if (!is_sent_on(self, answer, &place)) {
            return status;
        }
        if (place.node == CKI_NODE_NONE) {
            cki_cluster_doubt(self);
            return cki_fail(error, CACHEKIT_E_UNKNOWN, 0, "redis: a redirection leads nowhere");
        }
    }
    return cki_fail(error, CACHEKIT_E_TRANSIENT, 0, "redis: the Cluster sends us in circles");
}

cachekit_status cki_redis_call(struct cki_redis *self, const struct cki_command *command,
                               struct cki_answer *answer, int64_t deadline_ns,
                               cachekit_error *error)
{
    if (deadline_ns <= cki_instant_ns()) {
        return cki_fail(error, CACHEKIT_E_TIMEOUT, 0, "redis: the deadline had passed already");
    }
    if (self->slots != NULL) {
        return call_cluster(self, command, answer, deadline_ns, error);
    }
    return cki_ask(self, (struct cki_place){0, false}, command, answer, deadline_ns, error);
}
