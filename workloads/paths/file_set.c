// SPDX-License-Identifier: MIT
// The file backend's set of ready bytes: a digest of the key, a temporary file, fsync and rename.
// Always the same key, so the directory never fills and no call has a reason to scan it; a scan
// would ask the allocator for a list, and verify counts what was asked.

#define _POSIX_C_SOURCE 200809L // mkdtemp
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ckbench/subject.h>

#include <cachekit/backends.h>

#include "gen/inputs.h"
#include "paths/verdict.h"

enum { TTL_MS = 300000, HEADER_BYTES = 14, PATH_ROOM = 200, FILE_ROOM = 4096 };

#define KEY                                                                                        \
    "ns:users:func:app.users.get_user:args:"                                                       \
    "6f1b0c8d3c1f5a7e9b2d4f60718293a4b5c6d7e8f9012a3b4c5d6e7f80910a1b:1s"
#define KEY_FILE "8da57997ee13c343fad617067b152a57" /* printf %s KEY | b2sum -l 128 */

typedef struct file_state {
    pack value;
    char directory[PATH_ROOM];
    char file[PATH_ROOM + sizeof KEY_FILE];
    cachekit_allocator allocator;
    cachekit_backend *backend;
    uint64_t asked; /* of the allocator */
    uint64_t asked_before;
    uint64_t calls;
    uint64_t good;
} file_state;

static void *count_alloc(void *context, size_t size)
{
    ((file_state *)context)->asked++;
    return malloc(size);
}

static void *count_resize(void *context, void *block, size_t old_size, size_t size)
{
    (void)old_size;
    ((file_state *)context)->asked++;
    return realloc(block, size);
}

static void count_free(void *context, void *block, size_t size)
{
    (void)context;
    (void)size;
    free(block);
}

static void file_free(void *state)
{
    file_state *s = state;
    if (s != NULL) {
        cachekit_backend_free(s->backend);
        (void)unlink(s->file);
        (void)rmdir(s->directory);
        pack_release(&s->value);
        free(s);
    }
}

static void set_op(void *state)
{
    file_state *s = state;
    const cachekit_slice key = {(const uint8_t *)KEY, sizeof KEY - 1};
    const cachekit_slice value = {s->value.bytes, s->value.len};
    s->calls++;
    s->good += s->backend->ops->set(s->backend, key, value, TTL_MS, INT64_MAX, NULL) == CACHEKIT_OK;
}

static bool open_backend(file_state *s)
{
    const char *tmp = getenv("TMPDIR");
    (void)snprintf(s->directory, sizeof s->directory, "%s/ck-file-set.XXXXXX",
                   tmp != NULL ? tmp : "/tmp");
    if (mkdtemp(s->directory) == NULL) {
        return false;
    }
    (void)snprintf(s->file, sizeof s->file, "%s/" KEY_FILE, s->directory);
    s->allocator = (cachekit_allocator){count_alloc, count_resize, count_free, s};
    const cachekit_file_backend_options options = {
        .size = sizeof options, .directory = s->directory, .allocator = &s->allocator};
    return cachekit_file_backend_new(&options, &s->backend, NULL) == CACHEKIT_OK;
}

static void *setup(void)
{
    file_state *s = calloc(1, sizeof *s);
    if (s == NULL || !input_make("users_4", &s->value) || !open_backend(s)) {
        file_free(s);
        return NULL;
    }
    set_op(s);
    s->asked_before = s->asked;
    return s;
}

/* The file, read by nobody of ours: the header, an expiry that is set, and the value. */
static bool is_stored(const file_state *s)
{
    static const uint8_t start[] = {'C', 'K', 1, 0, 0, 0};
    static const uint8_t never[8];
    uint8_t found[FILE_ROOM];
    FILE *file = fopen(s->file, "rb");
    size_t len = file != NULL ? fread(found, 1, sizeof found, file) : 0;
    if (file != NULL) {
        (void)fclose(file);
    }
    return len == HEADER_BYTES + s->value.len && memcmp(found, start, sizeof start) == 0 &&
           memcmp(found + sizeof start, never, sizeof never) != 0 &&
           memcmp(found + HEADER_BYTES, s->value.bytes, s->value.len) == 0;
}

static int count_files(const file_state *s)
{
    int count = 0;
    DIR *stream = opendir(s->directory);
    for (struct dirent *entry = NULL; stream != NULL && (entry = readdir(stream)) != NULL;) {
        count += entry->d_name[0] != '.';
    }
    if (stream != NULL) {
        (void)closedir(stream);
    }
    return count;
}

static int verify(void *state)
{
    file_state *s = state;
    if (s->good != s->calls || s->calls < 2) {
        return VERDICT_CALL_FAILED;
    }
    bool ok = s->asked == s->asked_before && is_stored(s) && count_files(s) == 1;
    if (ok) { /* what is there now was put there by the calls */
        ok = unlink(s->file) == 0;
        set_op(s);
        ok = ok && is_stored(s);
    }
    return ok ? VERDICT_OK : VERDICT_WRONG_OUTPUT;
}

CKBENCH_PATH(file_set, "file backend: set of 1,090 ready bytes over an old entry, fsync included",
             setup, set_op, verify, file_free)
