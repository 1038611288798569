// SPDX-License-Identifier: MIT
// The memory backend's table of functions. Hooks of the user (allocator, clock, latency) run before
// or after the lock is held, never under it.
#include "backend/memory_inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cachekit/cache.h>

#include "backend/instant.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/num.h"
#include "base/status.h"

static uint64_t hash_of(const struct cki_memory_backend *self, cachekit_slice key)
{
    return cki_xxh3_seeded(key.data, key.len, self->seed);
}

static void free_dead(struct cki_memory_backend *self, struct cki_lru_entry *dead)
{
    while (dead != NULL) {
        struct cki_lru_entry *next = dead->chain;
        cki_free(self->options.allocator, dead, cki_lru_entry_bytes(dead));
        dead = next;
    }
}

// The entry of the key if it lives. One that is over is taken out, into `*dead`.
static struct cki_lru_entry *find_live(struct cki_memory_backend *self, uint64_t hash,
                                       cachekit_slice key, int64_t now_ns,
                                       struct cki_lru_entry **dead)
{
    struct cki_lru_entry *entry = cki_lru_find(&self->lru, hash, key);
    if (entry != NULL && now_ns >= entry->due_ns) {
        cki_lru_remove(&self->lru, entry);
        entry->chain = *dead;
        *dead = entry;
        return NULL;
    }
    return entry;
}

// MISS: there is no entry. Else OK if the value fitted; `*need` is its length.
static cachekit_status copy_value(struct cki_memory_backend *self, cachekit_slice key,
                                  cachekit_buffer *value, size_t *need)
{
    struct cki_lru_entry *dead = NULL;
    uint64_t hash = hash_of(self, key);
    int64_t now_ns = cki_now_ns(self->options.clock);
    cachekit_status status = CACHEKIT_MISS;
    cki_mem_lock(self);
    struct cki_lru_entry *entry = find_live(self, hash, key, now_ns, &dead);
    if (entry != NULL) {
        status = CACHEKIT_OK;
        *need = entry->value_len;
        if (*need > 0 && *need <= value->room) {
            memcpy(value->data, entry->bytes + entry->key_len, *need);
            value->len = *need;
        }
        cki_lru_touch(&self->lru, entry);
    }
    cki_mem_unlock(self);
    free_dead(self, dead);
    return status;
}

static cachekit_status memory_get(cachekit_backend *backend, cachekit_slice key,
                                  int64_t deadline_ns, cachekit_buffer *value,
                                  cachekit_error *error)
{
    struct cki_memory_backend *self = cki_mem_self(backend);
    value->len = 0;
    cachekit_status status = cki_mem_enter(self, deadline_ns, error);
    size_t need = 0;
    while (status == CACHEKIT_OK) {
        status = copy_value(self, key, value, &need);
        if (status != CACHEKIT_OK || value->len == need) {
            break;
        }
        // Room is made without the lock, so the value may be another one when we come back.
        value->len = 0;
        if (cachekit_buffer_reserve(value, need) != CACHEKIT_OK) {
            status = cki_fail(error, CACHEKIT_E_NOMEM, 0, "memory backend: out of memory");
        }
    }
    return status;
}

// An entry that is not in the table yet, or NULL and why.
static struct cki_lru_entry *make_entry(const struct cki_memory_backend *self, cachekit_slice key,
                                        cachekit_slice value, cachekit_status *status,
                                        cachekit_error *error)
{
    size_t bytes;
    struct cki_lru_entry *entry;
    if (!cki_add_size(sizeof *entry, key.len, &bytes) || !cki_add_size(bytes, value.len, &bytes) ||
        bytes > self->lru.budget_bytes) {
        *status = cki_fail(error, CACHEKIT_E_TOO_LARGE, 0,
                           "memory backend: the entry is over budget_bytes");
        return NULL;
    }
    entry = cki_alloc(self->options.allocator, bytes);
    if (entry == NULL) {
        *status = cki_fail(error, CACHEKIT_E_NOMEM, 0, "memory backend: out of memory");
        return NULL;
    }
    *entry = (struct cki_lru_entry){
        .hash = hash_of(self, key), .key_len = key.len, .value_len = value.len};
    memcpy(entry->bytes, key.data, key.len);
    if (value.len > 0) {
        memcpy(entry->bytes + key.len, value.data, value.len);
    }
    return entry;
}

static cachekit_status memory_set(cachekit_backend *backend, cachekit_slice key,
                                  cachekit_slice value, int64_t ttl_ms, int64_t deadline_ns,
                                  cachekit_error *error)
{
    struct cki_memory_backend *self = cki_mem_self(backend);
    if (key.len == 0 || ttl_ms < 1) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "memory backend: no key, or ttl_ms under 1");
    }
    cachekit_status status = cki_mem_enter(self, deadline_ns, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    struct cki_lru_entry *entry = make_entry(self, key, value, &status, error);
    if (entry == NULL) {
        return status;
    }
    entry->due_ns = cki_mem_due_ns(cki_now_ns(self->options.clock), ttl_ms);
    cki_mem_lock(self);
    struct cki_lru_entry *dead = cki_lru_put(&self->lru, entry);
    cki_mem_unlock(self);
    free_dead(self, dead);
    return CACHEKIT_OK;
}

// Looks at an entry, or takes it out. `*due_ns` is its end.
static cachekit_status visit(struct cki_memory_backend *self, cachekit_slice key, bool take,
                             int64_t now_ns, int64_t *due_ns)
{
    struct cki_lru_entry *dead = NULL;
    uint64_t hash = hash_of(self, key);
    cki_mem_lock(self);
    struct cki_lru_entry *entry = find_live(self, hash, key, now_ns, &dead);
    bool found = entry != NULL;
    if (found) {
        *due_ns = entry->due_ns;
    }
    if (found && take) {
        cki_lru_remove(&self->lru, entry);
        entry->chain = dead;
        dead = entry;
    }
    cki_mem_unlock(self);
    free_dead(self, dead);
    return found ? CACHEKIT_OK : CACHEKIT_MISS;
}

static cachekit_status memory_remove(cachekit_backend *backend, cachekit_slice key,
                                     int64_t deadline_ns, cachekit_error *error)
{
    struct cki_memory_backend *self = cki_mem_self(backend);
    cachekit_status status = cki_mem_enter(self, deadline_ns, error);
    int64_t due_ns;
    return status == CACHEKIT_OK ? visit(self, key, true, cki_now_ns(self->options.clock), &due_ns)
                                 : status;
}

static cachekit_status memory_exists(cachekit_backend *backend, cachekit_slice key,
                                     int64_t deadline_ns, cachekit_error *error)
{
    struct cki_memory_backend *self = cki_mem_self(backend);
    cachekit_status status = cki_mem_enter(self, deadline_ns, error);
    int64_t due_ns;
    return status == CACHEKIT_OK ? visit(self, key, false, cki_now_ns(self->options.clock), &due_ns)
                                 : status;
}

static cachekit_status memory_ttl(cachekit_backend *backend, cachekit_slice key,
                                  int64_t deadline_ns, int64_t *ttl_ms, cachekit_error *error)
{
    struct cki_memory_backend *self = cki_mem_self(backend);
    cachekit_status status = cki_mem_enter(self, deadline_ns, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    int64_t now_ns = cki_now_ns(self->options.clock);
    int64_t due_ns;
    status = visit(self, key, false, now_ns, &due_ns);
    if (status == CACHEKIT_OK) {
        *ttl_ms = due_ns == INT64_MAX ? CACHEKIT_FOREVER_MS : (due_ns - now_ns + 999999) / 1000000;
    }
    return status;
}

static cachekit_status memory_remove_many(cachekit_backend *backend, const cachekit_slice *keys,
                                          size_t count, int64_t deadline_ns, bool *done,
                                          cachekit_error *error)
{
    struct cki_memory_backend *self = cki_mem_self(backend);
    cachekit_status status = cki_mem_enter(self, deadline_ns, error);
    int64_t now_ns = cki_now_ns(self->options.clock);
    int64_t due_ns;
    for (size_t i = 0; i < count; i++) {
        done[i] = status == CACHEKIT_OK;
        if (done[i]) {
            (void)visit(self, keys[i], true, now_ns, &due_ns);
        }
    }
    return status;
}

static cachekit_status memory_health(cachekit_backend *backend, int64_t deadline_ns,
                                     cachekit_health *out, cachekit_error *error)
{
    struct cki_memory_backend *self = cki_mem_self(backend);
    int64_t started_ns = cki_instant_ns();
    cachekit_status status = cki_mem_enter(self, deadline_ns, error);
    out->latency_us = (cki_instant_ns() - started_ns) / 1000;
    cki_mem_lock(self);
    (void)snprintf(out->details, sizeof out->details, "memory: %zu entries, %zu of %zu bytes",
                   self->lru.count, self->lru.used_bytes, self->lru.budget_bytes);
    cki_mem_unlock(self);
    return status;
}

static void memory_free(cachekit_backend *backend)
{
    struct cki_memory_backend *self = cki_mem_self(backend);
    cki_mem_check_process(self);
    while (self->lru.oldest != NULL) {
        struct cki_lru_entry *entry = self->lru.oldest;
        cki_lru_remove(&self->lru, entry);
        cki_free(self->options.allocator, entry, cki_lru_entry_bytes(entry));
    }
    cki_mem_locks_free(self, self->locks);
    (void)pthread_mutex_destroy(&self->lock);
    cki_mem_mark_release(&self->mark);
    const cachekit_allocator *allocator = self->options.allocator;
    cki_free(allocator, self->lru.buckets, self->lru.bucket_count * sizeof self->lru.buckets[0]);
    cki_free(allocator, self, sizeof *self);
}

const cachekit_backend_ops cki_mem_ops = {
    .size = sizeof cki_mem_ops,
    .name = "memory",
    .get = memory_get,
    .set = memory_set,
    .remove = memory_remove,
    .exists = memory_exists,
    .health = memory_health,
    .free = memory_free,
    .ttl = memory_ttl,
    .lock = cki_mem_lock_take,
    .unlock = cki_mem_lock_give,
    .remove_many = memory_remove_many,
};
