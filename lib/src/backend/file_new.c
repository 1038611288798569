// SPDX-License-Identifier: MIT
// The file backend's options, and its making: a directory that can be trusted, counted once.
#include <cachekit/backends.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backend/file_dir.h"
#include "backend/file_inside.h"
#include "base/alloc.h"
#include "base/status.h"

#define MIB            ((uint64_t)1 << 20)
#define BUDGET_DEFAULT (1024 * MIB)
#define BUDGET_MAX     (1000000 * MIB)
#define VALUE_DEFAULT  (100 * MIB)

enum { ENTRIES_DEFAULT = 10000, ENTRIES_MIN = 100, ENTRIES_MAX = 1000000 };

static cachekit_status refuse(cachekit_error *error, const char *text)
{
    return cki_fail(error, CACHEKIT_E_INVALID, 0, "%s", text);
}

static cachekit_status take_options(const cachekit_file_backend_options *given,
                                    cachekit_file_backend_options *out, cachekit_error *error)
{
    memset(out, 0, sizeof *out);
    if (given == NULL || given->size < sizeof(size_t) || given->size > sizeof *out) {
        return refuse(error, "options.size is not this library's");
    }
    memcpy(out, given, given->size);
    if (out->directory == NULL || out->directory[0] == '\0') {
        return refuse(error, "directory is missing");
    }
    out->budget_bytes = out->budget_bytes != 0 ? out->budget_bytes : BUDGET_DEFAULT;
    if (out->budget_bytes < MIB || out->budget_bytes > BUDGET_MAX) {
        return refuse(error, "budget_bytes is not from 1 MiB to 1,000,000 MiB");
    }
    uint64_t half = out->budget_bytes / 2;
    if (out->value_max_bytes == 0) {
        out->value_max_bytes = half < VALUE_DEFAULT ? half : VALUE_DEFAULT;
    }
    if (out->value_max_bytes > half) {
        return refuse(error, "value_max_bytes is over half of budget_bytes");
    }
    out->entries_max = out->entries_max != 0 ? out->entries_max : ENTRIES_DEFAULT;
    if (out->entries_max < ENTRIES_MIN || out->entries_max > ENTRIES_MAX) {
        return refuse(error, "entries_max is not from 100 to 1,000,000");
    }
    return CACHEKIT_OK;
}

static cachekit_status init(struct cki_file_backend *self, const cachekit_file_backend_options *o,
                            cachekit_error *error)
{
    memset(self, 0, sizeof *self);
    self->base.ops = &cki_file_ops;
    self->allocator = o->allocator;
    self->value_max_bytes = (int64_t)o->value_max_bytes;
    cachekit_status status = cki_file_dir_open(o->directory, o->allocator, &self->dir_fd, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    int len = snprintf(self->temp_part, sizeof self->temp_part, ".tmp.%ld.%" PRId64 ".",
                       (long)getpid(), cki_file_wall_ns());
    self->temp_part_len = (size_t)len;
    self->room.dir_fd = self->dir_fd;
    self->room.allocator = o->allocator;
    self->room.budget_bytes = (int64_t)o->budget_bytes;
    self->room.entries_max = (int64_t)o->entries_max;
    return cki_file_room_init(&self->room, error);
}

cachekit_status cachekit_file_backend_new(const cachekit_file_backend_options *options,
                                          cachekit_backend **out, cachekit_error *error)
{
    if (out == NULL) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "out is NULL");
    }
    *out = NULL;
    cachekit_file_backend_options o;
    cachekit_status status = take_options(options, &o, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    struct cki_file_backend *self = cki_alloc(o.allocator, sizeof *self);
    if (self == NULL) {
        return cki_fail(error, CACHEKIT_E_NOMEM, 0, "file backend: out of memory");
    }
    status = init(self, &o, error);
    if (status == CACHEKIT_OK) {
        *out = &self->base;
    } else {
        self->base.ops->free(&self->base);
    }
    return status;
}
