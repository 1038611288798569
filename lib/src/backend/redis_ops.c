// SPDX-License-Identifier: MIT
// Commands on one key. Lives are exact to the millisecond.
#include "backend/redis_ops.h"

#include <stdio.h>
#include <string.h>

#include <cachekit/cache.h>

#include "backend/redis_inside.h"
#include "base/status.h"

// Redis's own limit of a text, proto-max-bulk-len.
enum { VALUE_MAX = 512 << 20 };

// PX adds the server's time to it and refuses what overflows; this is for ever all the same.
#define TTL_MAX (INT64_MAX / 2)

// A command and its key.
struct call {
    struct cki_redis *self;
    struct cki_scoped key;
    struct cki_command command;
    struct cki_answer answer;
};

static cachekit_status begin(struct call *call, cachekit_backend *backend, const char *name,
                             cachekit_slice key, cachekit_error *error)
{
    call->self = (struct cki_redis *)(void *)backend;
    call->answer.bulk = NULL;
    call->answer.items = NULL;
    cki_redis_enter(call->self);
    memset(&call->command, 0, sizeof call->command);
    cachekit_status status = cki_scope(call->self, key, "", &call->key, error);
    if (status == CACHEKIT_OK) {
        call->command.argc = 2;
        call->command.argv[0] = name;
        call->command.lens[0] = strlen(name);
        call->command.argv[1] = call->key.data;
        call->command.lens[1] = call->key.len;
        call->command.slot = cki_slot_of(call->self, &call->key);
    }
    return status;
}

static cachekit_status finish(struct call *call, int64_t deadline_ns, cachekit_error *error)
{
    cachekit_status status =
        cki_redis_call(call->self, &call->command, &call->answer, deadline_ns, error);
    cki_unscope(call->self, &call->key);
    return status;
}

cachekit_status cki_redis_get(cachekit_backend *self, cachekit_slice key, int64_t deadline_ns,
                              cachekit_buffer *value, cachekit_error *error)
{
    struct call call;
    value->len = 0;
    cachekit_status status = begin(&call, self, "GET", key, error);
    if (status == CACHEKIT_OK) {
        call.command.wants = CKI_ANSWER_BULK | CKI_ANSWER_NIL;
        call.answer.bulk = value;
        status = finish(&call, deadline_ns, error);
    }
    if (status != CACHEKIT_OK) {
        value->len = 0;
        return status;
    }
    return call.answer.kind == CKI_ANSWER_NIL ? CACHEKIT_MISS : CACHEKIT_OK;
}

static void add(struct cki_command *command, const char *data, size_t len)
{
    command->argv[command->argc] = data;
    command->lens[command->argc++] = len;
}

cachekit_status cki_redis_set(cachekit_backend *self, cachekit_slice key, cachekit_slice value,
                              int64_t ttl_ms, int64_t deadline_ns, cachekit_error *error)
{
    char px[24];
    struct call call;
    if (ttl_ms < 1) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "redis: ttl_ms is under 1");
    }
    if (value.len > VALUE_MAX) {
        return cki_fail(error, CACHEKIT_E_TOO_LARGE, 0, "redis: the value is over 512 MiB");
    }
    cachekit_status status = begin(&call, self, "SET", key, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    add(&call.command, value.len > 0 ? (const char *)value.data : "", value.len);
    if (ttl_ms != CACHEKIT_FOREVER_MS) {
        ttl_ms = ttl_ms < TTL_MAX ? ttl_ms : TTL_MAX;
        int len = snprintf(px, sizeof px, "%lld", (long long)ttl_ms);
        add(&call.command, "PX", 2);
        add(&call.command, px, (size_t)len);
    }
    call.command.wants = CKI_ANSWER_STATUS;
    return finish(&call, deadline_ns, error);
}

static cachekit_status ask_count(cachekit_backend *self, const char *name, cachekit_slice key,
                                 int64_t deadline_ns, cachekit_error *error)
{
    struct call call;
    cachekit_status status = begin(&call, self, name, key, error);
    if (status == CACHEKIT_OK) {
        call.command.wants = CKI_ANSWER_INTEGER;
        call.command.most = 1;
        status = finish(&call, deadline_ns, error);
    }
    return status == CACHEKIT_OK && call.answer.number == 0 ? CACHEKIT_MISS : status;
}

cachekit_status cki_redis_remove(cachekit_backend *self, cachekit_slice key, int64_t deadline_ns,
                                 cachekit_error *error)
{
    return ask_count(self, "DEL", key, deadline_ns, error);
}

cachekit_status cki_redis_exists(cachekit_backend *self, cachekit_slice key, int64_t deadline_ns,
                                 cachekit_error *error)
{
    return ask_count(self, "EXISTS", key, deadline_ns, error);
}

cachekit_status cki_redis_ttl(cachekit_backend *self, cachekit_slice key, int64_t deadline_ns,
                              int64_t *ttl_ms, cachekit_error *error)
{
    enum { NO_KEY = -2, NO_END = -1 };
    struct call call;
    cachekit_status status = begin(&call, self, "PTTL", key, error);
    if (status == CACHEKIT_OK) {
        call.command.wants = CKI_ANSWER_INTEGER;
        call.command.least = NO_KEY;
        call.command.most = INT64_MAX;
        status = finish(&call, deadline_ns, error);
    }
    if (status != CACHEKIT_OK || call.answer.number == NO_KEY) {
        return status != CACHEKIT_OK ? status : CACHEKIT_MISS;
    }
    *ttl_ms = call.answer.number == NO_END ? CACHEKIT_FOREVER_MS : call.answer.number;
    return CACHEKIT_OK;
}
