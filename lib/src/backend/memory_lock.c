// SPDX-License-Identifier: MIT
// The memory backend's locks: names of their own, beside the entries, that nothing evicts.
#include "backend/memory_inside.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/entropy.h"
#include "base/status.h"

enum { TOKEN_BYTES = (CACHEKIT_LOCK_TOKEN_ROOM - 1) / 2 };

static void free_lock(struct cki_memory_backend *self, struct cki_lock *lock)
{
    cki_free(self->options.allocator, lock, sizeof *lock + lock->key_len);
}

void cki_mem_locks_free(struct cki_memory_backend *self, struct cki_lock *dead)
{
    while (dead != NULL) {
        struct cki_lock *next = dead->next;
        free_lock(self, dead);
        dead = next;
    }
}

// Takes locks that have ended off the list and chains them to `*dead`.
static void expire(struct cki_lock **list, int64_t now_ns, struct cki_lock **dead)
{
    while (*list != NULL) {
        struct cki_lock *lock = *list;
        if (now_ns < lock->due_ns) {
            list = &lock->next;
            continue;
        }
        *list = lock->next;
        lock->next = *dead;
        *dead = lock;
    }
}

// The place of the lock of that name in the list; the place holds NULL if there is none.
static struct cki_lock **find(struct cki_lock **list, cachekit_slice key)
{
    while (*list != NULL &&
           ((*list)->key_len != key.len || memcmp((*list)->key, key.data, key.len) != 0)) {
        list = &(*list)->next;
    }
    return list;
}

// A lock that is not in the list yet, or NULL and why.
static struct cki_lock *make_lock(const struct cki_memory_backend *self, cachekit_slice key,
                                  int64_t hold_ms, cachekit_status *status, cachekit_error *error)
{
    uint8_t random[TOKEN_BYTES];
    *status = cki_random(NULL, random, sizeof random);
    if (*status != CACHEKIT_OK) {
        (void)cki_fail(error, *status, 0, "memory backend: no random bytes");
        return NULL;
    }
    struct cki_lock *lock = cki_alloc(self->options.allocator, sizeof *lock + key.len);
    if (lock == NULL) {
        *status = cki_fail(error, CACHEKIT_E_NOMEM, 0, "memory backend: out of memory");
        return NULL;
    }
    *lock = (struct cki_lock){.key_len = key.len};
    lock->due_ns = cki_mem_due_ns(cki_now_ns(self->options.clock), hold_ms);
    for (size_t i = 0; i < TOKEN_BYTES; i++) {
        lock->token[2 * i] = "0123456789abcdef"[random[i] >> 4];
        lock->token[2 * i + 1] = "0123456789abcdef"[random[i] & 15];
    }
    memcpy(lock->key, key.data, key.len);
    return lock;
}

cachekit_status cki_mem_lock_take(cachekit_backend *backend, cachekit_slice key, int64_t hold_ms,
                                  int64_t deadline_ns, char token[CACHEKIT_LOCK_TOKEN_ROOM],
                                  cachekit_error *error)
{
    struct cki_memory_backend *self = cki_mem_self(backend);
    if (key.len == 0 || hold_ms < 1) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "memory backend: no key, or hold_ms under 1");
    }
    cachekit_status status = cki_mem_enter(self, deadline_ns, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    struct cki_lock *lock = make_lock(self, key, hold_ms, &status, error);
    if (lock == NULL) {
        return status;
    }
    struct cki_lock *dead = NULL;
    int64_t now_ns = cki_now_ns(self->options.clock);
    cki_mem_lock(self);
    expire(&self->locks, now_ns, &dead);
    if (*find(&self->locks, key) == NULL) {
        memcpy(token, lock->token, sizeof lock->token);
        lock->next = self->locks;
        self->locks = lock;
    } else {
        lock->next = dead;
        dead = lock;
        status = CACHEKIT_MISS;
    }
    cki_mem_unlock(self);
    cki_mem_locks_free(self, dead);
    return status;
}

cachekit_status cki_mem_lock_give(cachekit_backend *backend, cachekit_slice key, const char *token,
                                  int64_t deadline_ns, cachekit_error *error)
{
    struct cki_memory_backend *self = cki_mem_self(backend);
    cachekit_status status = cki_mem_enter(self, deadline_ns, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    struct cki_lock *dead = NULL;
    int64_t now_ns = cki_now_ns(self->options.clock);
    cki_mem_lock(self);
    expire(&self->locks, now_ns, &dead);
    struct cki_lock **at = find(&self->locks, key);
    struct cki_lock *lock = *at;
    status = CACHEKIT_MISS;
    if (lock != NULL && strcmp(lock->token, token) == 0) {
        *at = lock->next;
        lock->next = dead;
        dead = lock;
        status = CACHEKIT_OK;
    }
    cki_mem_unlock(self);
    cki_mem_locks_free(self, dead);
    return status;
}
