// SPDX-License-Identifier: MIT
// The file backend's table of functions. Every call works on names below one descriptor of the
// directory; none waits for another thread.
#include <cachekit/cache.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backend/file_inside.h"
#include "backend/instant.h"
#include "base/alloc.h"
#include "base/status.h"

#define TTL_MAX_MS    INT64_C(315360000000) // ten years
#define NS_PER_MS     INT64_C(1000000)
#define HEALTH_KEY    "__health_check__"
#define HEALTH_TTL_MS 60000
#define MS_PER_S      1000

static struct cki_file_backend *self_of(cachekit_backend *backend)
{
    return (struct cki_file_backend *)backend;
}

// What every call begins with: a name for the key, and a deadline that lies ahead.
static cachekit_status start(cachekit_slice key, int64_t deadline_ns, int64_t *now_ns,
                             char name[CKI_FILE_NAME_ROOM], cachekit_error *error)
{
    if (key.len == 0) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "file backend: the key is empty");
    }
    *now_ns = cki_instant_ns();
    if (*now_ns >= deadline_ns) {
        return cki_fail(error, CACHEKIT_E_TIMEOUT, 0, "file backend: the deadline has passed");
    }
    cachekit_status status = cki_file_name(key, name);
    return status == CACHEKIT_OK ? status : cki_fail(error, status, 0, "file backend: no digest");
}

static cachekit_status open_key(cachekit_backend *backend, cachekit_slice key, int64_t deadline_ns,
                                struct cki_file_opened *opened, cachekit_error *error)
{
    char name[CKI_FILE_NAME_ROOM];
    int64_t now_ns;
    cachekit_status status = start(key, deadline_ns, &now_ns, name, error);
    return status == CACHEKIT_OK ? cki_file_open(self_of(backend), name, opened, error) : status;
}

static cachekit_status file_get(cachekit_backend *backend, cachekit_slice key, int64_t deadline_ns,
                                cachekit_buffer *value, cachekit_error *error)
{
    struct cki_file_opened opened;
    value->len = 0;
    cachekit_status status = open_key(backend, key, deadline_ns, &opened, error);
    if (status == CACHEKIT_OK) {
        status = cki_file_read(self_of(backend), &opened, value, error);
        (void)close(opened.fd);
    }
    return status;
}

static cachekit_status expiry_of(int64_t ttl_ms, uint64_t *expiry_s, cachekit_error *error)
{
    *expiry_s = 0;
    if (ttl_ms == CACHEKIT_FOREVER_MS) {
        return CACHEKIT_OK;
    }
    if (ttl_ms < MS_PER_S || ttl_ms > TTL_MAX_MS) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0,
                        "file backend: ttl_ms is under a second or over ten years");
    }
    int64_t now_s = cki_file_wall_ns() / (NS_PER_MS * MS_PER_S);
    *expiry_s = (uint64_t)(now_s + (ttl_ms + MS_PER_S - 1) / MS_PER_S);
    return CACHEKIT_OK;
}

// At the bound, tidying comes before the refusal: totals may be old, and nobody else may evict.
static cachekit_status admit(struct cki_file_backend *self, const char *name, int64_t bytes,
                             int64_t now_ns, int64_t deadline_ns, cachekit_error *error)
{
    if (cki_file_room_has(&self->room, bytes) || cki_file_bytes(self, name) >= 0) {
        return CACHEKIT_OK;
    }
    cki_file_room_tidy(&self->room, true, now_ns, deadline_ns);
    if (cki_file_room_has(&self->room, bytes)) {
        return CACHEKIT_OK;
    }
    if (cki_instant_ns() >= deadline_ns) {
        return cki_fail(error, CACHEKIT_E_TIMEOUT, 0, "file backend: no time left to make room");
    }
    return cki_fail(error, CACHEKIT_E_FULL, 0,
                    "file backend: the directory holds as much as it may");
}

static cachekit_status file_set(cachekit_backend *backend, cachekit_slice key, cachekit_slice value,
                                int64_t ttl_ms, int64_t deadline_ns, cachekit_error *error)
{
    struct cki_file_backend *self = self_of(backend);
    char name[CKI_FILE_NAME_ROOM];
    int64_t now_ns;
    uint64_t expiry_s;
    if (value.len > (uint64_t)self->value_max_bytes) {
        return cki_fail(error, CACHEKIT_E_TOO_LARGE, 0,
                        "file backend: the value is over value_max_bytes");
    }
    cachekit_status status = expiry_of(ttl_ms, &expiry_s, error);
    if (status == CACHEKIT_OK) {
        status = start(key, deadline_ns, &now_ns, name, error);
    }
    if (status == CACHEKIT_OK) {
        int64_t bytes = (int64_t)value.len + CKI_FILE_HEADER_BYTES;
        status = admit(self, name, bytes, now_ns, deadline_ns, error);
    }
    if (status == CACHEKIT_OK) {
        status = cki_file_write(self, name, expiry_s, value, error);
    }
    if (status == CACHEKIT_OK) {
        cki_file_room_tidy(&self->room, false, now_ns, deadline_ns);
    }
    return status;
}

static cachekit_status file_remove(cachekit_backend *backend, cachekit_slice key,
                                   int64_t deadline_ns, cachekit_error *error)
{
    char name[CKI_FILE_NAME_ROOM];
    int64_t now_ns;
    cachekit_status status = start(key, deadline_ns, &now_ns, name, error);
    return status == CACHEKIT_OK ? cki_file_remove(self_of(backend), name, error) : status;
}

static cachekit_status file_ttl(cachekit_backend *backend, cachekit_slice key, int64_t deadline_ns,
                                int64_t *ttl_ms, cachekit_error *error)
{
    struct cki_file_opened opened;
    cachekit_status status = open_key(backend, key, deadline_ns, &opened, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    (void)close(opened.fd);
    *ttl_ms = CACHEKIT_FOREVER_MS;
    if (opened.expiry_s != 0 && opened.expiry_s <= INT64_MAX / MS_PER_S) {
        *ttl_ms = (int64_t)opened.expiry_s * MS_PER_S - cki_file_wall_ns() / NS_PER_MS;
        status = *ttl_ms > 0 ? CACHEKIT_OK : CACHEKIT_MISS; // it ended since it was opened
    }
    return status;
}

static cachekit_status file_exists(cachekit_backend *backend, cachekit_slice key,
                                   int64_t deadline_ns, cachekit_error *error)
{
    struct cki_file_opened opened;
    cachekit_status status = open_key(backend, key, deadline_ns, &opened, error);
    if (status == CACHEKIT_OK) {
        (void)close(opened.fd);
    }
    return status;
}

static cachekit_status probe(cachekit_backend *backend, int64_t deadline_ns, cachekit_error *error)
{
    const cachekit_slice key = {(const uint8_t *)HEALTH_KEY, sizeof HEALTH_KEY - 1};
    cachekit_buffer value;
    cachekit_buffer_init(&value, self_of(backend)->allocator);
    cachekit_status status = file_set(backend, key, key, HEALTH_TTL_MS, deadline_ns, error);
    if (status == CACHEKIT_OK) {
        status = file_get(backend, key, deadline_ns, &value, error);
    }
    if (status == CACHEKIT_OK &&
        (value.len != key.len || memcmp(value.data, key.data, key.len) != 0)) {
        status = cki_fail(error, CACHEKIT_E_UNKNOWN, 0, "file backend: other bytes came back");
    }
    if (status == CACHEKIT_OK) {
        status = file_remove(backend, key, deadline_ns, error);
    }
    cachekit_buffer_release(&value);
    // Another process that probes at the same time may have removed the entry: all is well.
    return status == CACHEKIT_MISS ? CACHEKIT_OK : status;
}

static cachekit_status file_health(cachekit_backend *backend, int64_t deadline_ns,
                                   cachekit_health *out, cachekit_error *error)
{
    struct cki_file_backend *self = self_of(backend);
    int64_t started_ns = cki_instant_ns();
    cachekit_status status = probe(backend, deadline_ns, error);
    out->latency_us = (cki_instant_ns() - started_ns) / 1000;
    (void)snprintf(out->details, sizeof out->details,
                   "file: %" PRId64 " of %" PRId64 " entries, %" PRId64 " of %" PRId64 " bytes",
                   (int64_t)atomic_load(&self->room.entries), self->room.entries_max,
                   (int64_t)atomic_load(&self->room.bytes), self->room.budget_bytes);
    return status;
}

static void file_free(cachekit_backend *backend)
{
    struct cki_file_backend *self = self_of(backend);
    cki_file_room_release(&self->room);
    if (self->dir_fd >= 0) {
        (void)close(self->dir_fd);
    }
    cki_free(self->allocator, self, sizeof *self);
}

const cachekit_backend_ops cki_file_ops = {
    .size = sizeof cki_file_ops,
    .name = "file",
    .get = file_get,
    .set = file_set,
    .remove = file_remove,
    .exists = file_exists,
    .health = file_health,
    .free = file_free,
    .ttl = file_ttl,
};
