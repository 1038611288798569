// SPDX-License-Identifier: MIT
// Documents: where they come from, how long they live, how one walks through them.
#include "store/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/json_tree.h"

enum { CHUNK_VALUES = 256 };

struct json_chunk {
    struct json_chunk *next;
    struct json_value values[CHUNK_VALUES];
};

struct json_value *json_value_new(struct json_doc *doc)
{
    if (doc->value_count == JSON_VALUES_MAX) {
        return NULL;
    }
    size_t index = doc->value_count % CHUNK_VALUES;
    if (index == 0) {
        struct json_chunk *chunk = calloc(1, sizeof *chunk);
        if (chunk == NULL) {
            return NULL;
        }
        chunk->next = doc->chunks;
        doc->chunks = chunk;
    }
    doc->value_count++;
    struct json_value *value = &doc->chunks->values[index];
    value->doc = doc;
    return value;
}

void json_free(struct json_doc *doc)
{
    if (doc == NULL) {
        return;
    }
    while (doc->chunks != NULL) {
        struct json_chunk *next = doc->chunks->next;
        free(doc->chunks);
        doc->chunks = next;
    }
    free(doc->name);
    free(doc->raw);
    free(doc->texts);
    free(doc);
}

// A document of `len` bytes that are still to be filled in.
static struct json_doc *doc_new(const char *name, size_t len)
{
    struct json_doc *doc = calloc(1, sizeof *doc);
    if (doc == NULL) {
        return NULL;
    }
    doc->name = strdup(name);
    doc->raw = malloc(len + 1);
    doc->texts = malloc(len + 1);
    doc->len = len;
    if (doc->name == NULL || doc->raw == NULL || doc->texts == NULL) {
        json_free(doc);
        return NULL;
    }
    doc->raw[len] = '\0';
    return doc;
}

bool json_read_text(const char *name, const char *text, size_t len, struct json_doc **out,
                    struct fault *fault)
{
    *out = NULL;
    if (len > JSON_SIZE_MAX) {
        return fault_set(fault, "%.200s: larger than %d bytes", name, JSON_SIZE_MAX);
    }
    struct json_doc *doc = doc_new(name, len);
    if (doc == NULL) {
        return fault_set(fault, "%.200s: no memory", name);
    }
    memcpy(doc->raw, text, len);
    if (!json_scan(doc, fault)) {
        json_free(doc);
        return false;
    }
    *out = doc;
    return true;
}

// Up to `room` bytes; -1 with errno set.
static ssize_t read_all(int fd, char *to, size_t room)
{
    size_t len = 0;
    while (len < room) {
        ssize_t got = read(fd, to + len, room - len);
        if (got == 0) {
            break;
        }
        if (got < 0 && errno != EINTR) {
            return -1;
        }
        len += got > 0 ? (size_t)got : 0;
    }
    return (ssize_t)len;
}

static struct json_doc *load(int fd, const char *path, struct fault *fault)
{
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        (void)fault_set(fault, "%.200s: is no regular file", path);
        return NULL;
    }
    if (info.st_size > JSON_SIZE_MAX) {
        (void)fault_set(fault, "%.200s: larger than %d bytes", path, JSON_SIZE_MAX);
        return NULL;
    }
    struct json_doc *doc = doc_new(path, (size_t)info.st_size);
    if (doc == NULL) {
        (void)fault_set(fault, "%.200s: no memory", path);
        return NULL;
    }
    ssize_t got = read_all(fd, doc->raw, doc->len);
    if (got < 0) {
        (void)fault_set(fault, "%.200s: %s", path, strerror(errno));
        json_free(doc);
        return NULL;
    }
    doc->len = (size_t)got;
    doc->raw[doc->len] = '\0';
    return doc;
}

bool json_read_file(const char *path, struct json_doc **out, struct fault *fault)
{
    *out = NULL;
    // Without O_NONBLOCK a pipe of that name would hold us for ever.
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return fault_set(fault, "%.200s: %s", path, strerror(errno));
    }
    struct json_doc *doc = load(fd, path, fault);
    (void)close(fd);
    if (doc == NULL || !json_scan(doc, fault)) {
        json_free(doc);
        return false;
    }
    *out = doc;
    return true;
}

const struct json_value *json_root(const struct json_doc *doc)
{
    return doc->root;
}

enum json_kind json_kind(const struct json_value *value)
{
    return value->kind;
}

const char *json_key(const struct json_value *value)
{
    return value->key;
}

const struct json_value *json_first(const struct json_value *value)
{
    return value->first;
}

const struct json_value *json_next(const struct json_value *value)
{
    return value->next;
}

size_t json_count(const struct json_value *value)
{
    return value->count;
}

const struct json_value *json_find(const struct json_value *object, const char *key)
{
    for (const struct json_value *member = object->first; member; member = member->next) {
        if (member->key != NULL && strcmp(member->key, key) == 0) {
            return member;
        }
    }
    return NULL;
}

const char *json_raw(const struct json_value *value, size_t *len)
{
    *len = value->raw_len;
    return value->raw;
}

static size_t index_of(const struct json_value *element)
{
    size_t index = 0;
    for (const struct json_value *at = element->parent->first; at != element; at = at->next) {
        index++;
    }
    return index;
}

void json_path(const struct json_value *value, char *out, size_t size)
{
    const struct json_value *chain[JSON_DEPTH_MAX + 1];
    size_t depth = 0;
    for (; value->parent != NULL && depth <= JSON_DEPTH_MAX; value = value->parent) {
        chain[depth++] = value;
    }
    size_t len = 0;
    out[0] = '\0';
    while (depth > 0 && len < size) {
        const struct json_value *step = chain[--depth];
        int added = step->key != NULL
                        ? snprintf(out + len, size - len, "%s%.64s", len > 0 ? "." : "", step->key)
                        : snprintf(out + len, size - len, "[%zu]", index_of(step));
        len += added > 0 ? (size_t)added : 0;
    }
}

bool json_fail(const struct json_value *at, struct fault *fault, const char *format, ...)
{
    char path[160];
    char text[256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    json_path(at, path, sizeof path);
    return fault_set(fault, "%.200s:%u: %s%s%s", at->doc->name, at->line, path,
                     path[0] != '\0' ? ": " : "", text);
}
