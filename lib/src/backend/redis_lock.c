// SPDX-License-Identifier: MIT
// The lock of a key: SET key:lock token NX PX, and a script that deletes it only while the token is
// still ours. Where the script is not permitted nobody deletes it, and it ends by itself.
#include <stdio.h>
#include <string.h>

#include "backend/redis_inside.h"
#include "backend/redis_ops.h"
#include "base/entropy.h"
#include "base/status.h"

#define SUFFIX ":lock"

enum { TOKEN_LEN = CACHEKIT_LOCK_TOKEN_ROOM - 1 };

static const char release_script[] =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

static cachekit_status make_token(const struct cki_redis *self, char *token, cachekit_error *error)
{
    uint8_t random[TOKEN_LEN / 2];
    if (cki_random(self->entropy, random, sizeof random) != CACHEKIT_OK) {
        return cki_fail(error, CACHEKIT_E_ENTROPY, 0, "redis: no entropy for a lock's token");
    }
    for (size_t i = 0; i < sizeof random; i++) {
        token[2 * i] = "0123456789abcdef"[random[i] >> 4];
        token[2 * i + 1] = "0123456789abcdef"[random[i] & 15];
    }
    token[TOKEN_LEN] = '\0';
    return CACHEKIT_OK;
}

cachekit_status cki_redis_lock(cachekit_backend *backend, cachekit_slice key, int64_t hold_ms,
                               int64_t deadline_ns, char token[CACHEKIT_LOCK_TOKEN_ROOM],
                               cachekit_error *error)
{
    char px[24];
    struct cki_scoped scoped;
    struct cki_answer answer = {.bulk = NULL};
    struct cki_redis *self = (struct cki_redis *)(void *)backend;
    cki_redis_enter(self);
    token[0] = '\0';
    if (hold_ms < 1 || hold_ms > INT64_MAX / 2) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "redis: hold_ms is under 1 or overflows");
    }
    cachekit_status status = cki_scope(self, key, SUFFIX, &scoped, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    status = make_token(self, token, error);
    if (status == CACHEKIT_OK) {
        int px_len = snprintf(px, sizeof px, "%lld", (long long)hold_ms);
        const struct cki_command command = {
            .argc = 6,
            .argv = {"SET", scoped.data, token, "NX", "PX", px},
            .lens = {3, scoped.len, TOKEN_LEN, 2, 2, (size_t)px_len},
            .wants = CKI_ANSWER_STATUS | CKI_ANSWER_NIL,
            .slot = cki_slot_of(self, &scoped),
        };
        status = cki_redis_call(self, &command, &answer, deadline_ns, error);
    }
    cki_unscope(self, &scoped);
    if (status == CACHEKIT_OK && answer.kind == CKI_ANSWER_NIL) {
        status = CACHEKIT_MISS;
    }
    if (status != CACHEKIT_OK) {
        token[0] = '\0';
    }
    return status;
}

static cachekit_status release(struct cki_redis *self, const struct cki_scoped *scoped,
                               const char *token, int64_t deadline_ns, cachekit_error *error)
{
    struct cki_answer answer = {.bulk = NULL};
    const struct cki_command command = {
        .argc = 5,
        .argv = {"EVAL", release_script, "1", scoped->data, token},
        .lens = {4, sizeof release_script - 1, 1, scoped->len, TOKEN_LEN},
        .wants = CKI_ANSWER_INTEGER,
        .most = 1,
        .slot = cki_slot_of(self, scoped),
    };
    cachekit_status status = cki_redis_call(self, &command, &answer, deadline_ns, error);
    if (status == CACHEKIT_E_REMOTE_AUTH && strncmp(answer.line, "NOPERM", 6) == 0) {
        atomic_store(&self->cannot_release, true);
        return CACHEKIT_MISS;
    }
    return status == CACHEKIT_OK && answer.number == 0 ? CACHEKIT_MISS : status;
}

cachekit_status cki_redis_unlock(cachekit_backend *backend, cachekit_slice key, const char *token,
                                 int64_t deadline_ns, cachekit_error *error)
{
    struct cki_scoped scoped;
    struct cki_redis *self = (struct cki_redis *)(void *)backend;
    cki_redis_enter(self);
    if (token == NULL || strlen(token) != TOKEN_LEN) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "redis: that is no lock's token");
    }
    if (atomic_load(&self->cannot_release)) {
        return CACHEKIT_MISS;
    }
    cachekit_status status = cki_scope(self, key, SUFFIX, &scoped, error);
    if (status == CACHEKIT_OK) {
        status = release(self, &scoped, token, deadline_ns, error);
        cki_unscope(self, &scoped);
    }
    return status;
}
