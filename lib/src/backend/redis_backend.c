// SPDX-License-Identifier: MIT
// The constructor: options are judged here, connections are made at the first use.
#include <cachekit/backends.h>

#include <string.h>

#include "backend/redis_inside.h"
#include "backend/redis_ops.h"
#include "backend/redis_pool.h"
#include "base/alloc.h"
#include "base/status.h"

enum { CONNECTIONS_DEFAULT = 50, CONNECTIONS_MAX = 10000, TENANT_MAX = 4096 };
enum { BACKOFF_FIRST_MS = 100, BACKOFF_MAX_MS = 30000 };

#define ANSWER_MAX (((size_t)512 << 20) + 65536)
#define DAY_MS     INT64_C(86400000)

static void redis_free(cachekit_backend *backend);

static const cachekit_backend_ops redis_ops = {
    .size = sizeof redis_ops,
    .name = "redis",
    .get = cki_redis_get,
    .set = cki_redis_set,
    .remove = cki_redis_remove,
    .exists = cki_redis_exists,
    .health = cki_redis_health,
    .free = redis_free,
    .ttl = cki_redis_ttl,
    .lock = cki_redis_lock,
    .unlock = cki_redis_unlock,
    .remove_many = cki_redis_remove_many,
};

static void redis_free(cachekit_backend *backend)
{
    struct cki_redis *self = (struct cki_redis *)(void *)backend;
    const cachekit_allocator *allocator = self->allocator;
    if (self->links != NULL && self->nodes != NULL) {
        cki_redis_enter(self);
    }
    cki_pool_release(self);
    for (uint32_t i = 0; self->nodes != NULL && i < self->node_count; i++) {
        cki_name_drop(self->nodes[i].name);
    }
    cki_fork_mark_release(&self->mark);
    cki_free(allocator, self->nodes, self->node_count * sizeof *self->nodes);
    cki_free(allocator, self->slots, CKI_SLOTS * sizeof *self->slots);
    cki_free(allocator, self->prefix, self->prefix_len);
    memset(&self->url, 0, sizeof self->url);
    __asm__ volatile("" : : "r"(self) : "memory"); // or the password's end is left out
    cki_free(allocator, self, sizeof *self);
}

// `t:{tenant}:`, the tenant percent-encoded but for A-Z a-z 0-9 _ . - ~
static bool make_prefix(struct cki_redis *self, const char *tenant)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~";
    size_t len = strlen(tenant), at = 0;
    char text[3 * TENANT_MAX + 4];
    memcpy(text, "t:", 2);
    at = 2;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)tenant[i];
        if (strchr(plain, c) != NULL) {
            text[at++] = (char)c;
        } else {
            text[at++] = '%';
            text[at++] = "0123456789ABCDEF"[c >> 4];
            text[at++] = "0123456789ABCDEF"[c & 15];
        }
    }
    text[at++] = ':';
    self->prefix = cki_alloc(self->allocator, at);
    if (self->prefix == NULL) {
        return false;
    }
    memcpy(self->prefix, text, at);
    self->prefix_len = at;
    self->base.prefixes_keys = true;
    return true;
}

static bool make_nodes(struct cki_redis *self)
{
    self->node_count = self->url.is_cluster ? CKI_NODES_MAX : 1;
    self->nodes = cki_alloc(self->allocator, self->node_count * sizeof *self->nodes);
    if (self->nodes == NULL) {
        return false;
    }
    memset(self->nodes, 0, self->node_count * sizeof *self->nodes);
    self->nodes[0].is_used = true;
    self->nodes[0].port = self->url.port;
    memcpy(self->nodes[0].host, self->url.host, sizeof self->nodes[0].host);
    if (self->url.is_cluster) {
        self->slots = cki_alloc(self->allocator, CKI_SLOTS * sizeof *self->slots);
        if (self->slots == NULL) {
            return false;
        }
        memset(self->slots, 0xff, CKI_SLOTS * sizeof *self->slots);
    }
    return true;
}

static cachekit_status check(const cachekit_redis_backend_options *options, cachekit_error *error)
{
    const char *wrong = NULL;
    if (options == NULL || options->size != sizeof *options) {
        wrong = "size: is not that of the struct";
    } else if (options->url == NULL) {
        wrong = "url: is missing";
    } else if (options->tenant != NULL &&
               (options->tenant[0] == '\0' || strlen(options->tenant) > TENANT_MAX)) {
        wrong = "tenant: is empty or over 4,096 bytes";
    } else if (options->connections_max > CONNECTIONS_MAX) {
        wrong = "connections_max: is over 10,000";
    } else if (options->reply_max_bytes > ANSWER_MAX) {
        wrong = "reply_max_bytes: is over 512 MiB and 64 KiB";
    } else if (options->backoff_first_ms < 0 || options->backoff_first_ms > DAY_MS) {
        wrong = "backoff_first_ms: is negative or over a day";
    } else if (options->backoff_max_ms < 0 || options->backoff_max_ms > DAY_MS) {
        wrong = "backoff_max_ms: is negative or over a day";
    }
    return wrong == NULL ? CACHEKIT_OK : cki_fail(error, CACHEKIT_E_INVALID, 0, "%s", wrong);
}

static cachekit_status fill(struct cki_redis *self, const cachekit_redis_backend_options *options,
                            cachekit_error *error)
{
    cachekit_status status = cki_url_read(options->url, &self->url, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    self->entropy = options->entropy;
    self->answer_max = options->reply_max_bytes != 0 ? options->reply_max_bytes : ANSWER_MAX;
    self->backoff_first_ms =
        options->backoff_first_ms != 0 ? options->backoff_first_ms : BACKOFF_FIRST_MS;
    self->backoff_max_ms = options->backoff_max_ms != 0 ? options->backoff_max_ms : BACKOFF_MAX_MS;
    if (self->backoff_first_ms > self->backoff_max_ms) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "backoff_first_ms: is over backoff_max_ms");
    }
    atomic_init(&self->cannot_release, false);
    if ((options->tenant != NULL && !make_prefix(self, options->tenant)) || !make_nodes(self)) {
        return cki_fail(error, CACHEKIT_E_NOMEM, 0, "redis: no memory for a backend");
    }
    uint32_t links = options->connections_max != 0 ? options->connections_max : CONNECTIONS_DEFAULT;
    status = cki_pool_init(self, links);
    return status == CACHEKIT_OK
               ? status
               : cki_fail(error, status, 0, "redis: no memory for %u connections", (unsigned)links);
}

cachekit_status cachekit_redis_backend_new(const cachekit_redis_backend_options *options,
                                           cachekit_backend **out, cachekit_error *error)
{
    if (out == NULL) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "out is NULL");
    }
    *out = NULL;
    cachekit_status status = check(options, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    struct cki_redis *self = cki_alloc(options->allocator, sizeof *self);
    if (self == NULL) {
        return cki_fail(error, CACHEKIT_E_NOMEM, 0, "redis: no memory for a backend");
    }
    memset(self, 0, sizeof *self);
    self->base.ops = &redis_ops;
    self->allocator = options->allocator;
    cki_fork_mark_init(&self->mark);
    status = fill(self, options, error);
    if (status != CACHEKIT_OK) {
        redis_free(&self->base);
        return status;
    }
    *out = &self->base;
    return CACHEKIT_OK;
}
