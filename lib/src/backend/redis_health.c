// SPDX-License-Identifier: MIT
// PING for the time, INFO for the rest; a user who may not INFO is healthy all the same.
#include <stdio.h>
#include <string.h>

#include "backend/instant.h"
#include "backend/redis_inside.h"
#include "backend/redis_ops.h"
#include "base/status.h"

// The text after `name` at the beginning of a line, as far as it is plain; "?" if there is none.
static void pick(const cachekit_buffer *info, const char *name, char *out, size_t room)
{
    size_t name_len = strlen(name), len = 0;
    (void)snprintf(out, room, "?");
    for (size_t i = 0; i + name_len < info->len; i++) {
        if ((i > 0 && info->data[i - 1] != '\n') || memcmp(info->data + i, name, name_len) != 0) {
            continue;
        }
        for (i += name_len; i < info->len && len + 1 < room; i++) {
            char c = (char)info->data[i];
            if (c <= ' ' || c > '~') {
                break;
            }
            out[len++] = c;
        }
        out[len] = '\0';
        return;
    }
}

static void describe(struct cki_redis *self, int64_t deadline_ns, cachekit_health *out)
{
    static const struct cki_command command = {
        .argc = 1, .argv = {"INFO"}, .lens = {4}, .wants = CKI_ANSWER_BULK};
    char version[24], memory[24], clients[24];
    cachekit_buffer info;
    cachekit_buffer_init(&info, self->allocator);
    struct cki_answer answer = {.bulk = &info};
    (void)snprintf(out->details, sizeof out->details, "redis");
    if (cki_redis_call(self, &command, &answer, deadline_ns, NULL) == CACHEKIT_OK) {
        pick(&info, "redis_version:", version, sizeof version);
        pick(&info, "used_memory_human:", memory, sizeof memory);
        pick(&info, "connected_clients:", clients, sizeof clients);
        (void)snprintf(out->details, sizeof out->details, "redis %s, %s in use, %s clients",
                       version, memory, clients);
    }
    cachekit_buffer_release(&info);
}

cachekit_status cki_redis_health(cachekit_backend *backend, int64_t deadline_ns,
                                 cachekit_health *out, cachekit_error *error)
{
    static const struct cki_command command = {
        .argc = 1, .argv = {"PING"}, .lens = {4}, .wants = CKI_ANSWER_STATUS};
    struct cki_answer answer = {.bulk = NULL};
    struct cki_redis *self = (struct cki_redis *)(void *)backend;
    cki_redis_enter(self);
    memset(out, 0, sizeof *out);
    int64_t begun = cki_instant_ns();
    cachekit_status status = cki_redis_call(self, &command, &answer, deadline_ns, error);
    out->latency_us = (cki_instant_ns() - begun) / 1000;
    if (status == CACHEKIT_OK) {
        describe(self, deadline_ns, out);
    }
    return status;
}
