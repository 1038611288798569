// SPDX-License-Identifier: MIT
// A dump is read line by line through four states: in front of the parts, in a part's header, in
// its records, behind its totals. The whole file has to be sound, the parts that nobody asked for
// included, because a file that valgrind could not finish may look well at its start.
#include "measure/callgrind.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/callgrind_reader.h"
#include "measure/slurp.h"

enum { DEFAULT_BYTES_MAX = 256 << 20 };

bool callgrind_fail(struct callgrind_reader *reader, const char *format, ...)
{
    char cause[300];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(cause, sizeof cause, format, args);
    va_end(args);
    if (reader->line_number == 0) {
        return fault_set(reader->fault, "%s: %s", reader->name, cause);
    }
    return fault_set(reader->fault, "%s:%zu: %s", reader->name, reader->line_number, cause);
}

bool callgrind_no_memory(struct callgrind_reader *reader)
{
    return callgrind_fail(reader,
                          "no memory for this dump, or counts over 64 bits: did a call switch "
                          "callgrind off and on?");
}

static bool is_totals(struct callgrind_scan scan, struct callgrind_scan *values)
{
    static const char key[] = "totals:";
    if (scan.end - scan.at < (ptrdiff_t)sizeof key - 1 ||
        memcmp(scan.at, key, sizeof key - 1) != 0) {
        return false;
    }
    *values = (struct callgrind_scan){scan.at + sizeof key - 1, scan.end};
    return true;
}

// A record looks like "key=", or starts with a position; a header line has a colon behind the key.
static bool is_record(struct callgrind_scan scan)
{
    const char *key = NULL;
    size_t len = 0;
    return strchr("0123456789+-*", *scan.at) != NULL || callgrind_scan_key(&scan, '=', &key, &len);
}

static bool read_line(struct callgrind_reader *reader, struct callgrind_scan scan)
{
    struct callgrind_scan values = scan;
    if (callgrind_scan_end(&values) || *scan.at == '#') {
        return true;
    }
    bool ends_part = is_totals(scan, &values);
    if (reader->state == CALLGRIND_HEAD && (ends_part || is_record(scan)) &&
        !callgrind_head_done(reader)) {
        return false;
    }
    if (reader->state != CALLGRIND_BODY) {
        return callgrind_head_line(reader, scan);
    }
    return ends_part ? callgrind_body_totals(reader, values) : callgrind_body_line(reader, scan);
}

static bool read_lines(struct callgrind_reader *reader, const char *bytes, size_t size)
{
    const char *end = bytes + size;
    if (size == 0) {
        return callgrind_fail(reader, "empty: valgrind was killed or its disk is full");
    }
    for (const char *at = bytes; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        reader->line_number++;
        if (newline == NULL) {
            return callgrind_fail(reader, "cut inside a line");
        }
        if (memchr(at, '\0', (size_t)(newline - at)) != NULL) {
            return callgrind_fail(reader, "a NUL byte");
        }
        if (!read_line(reader, (struct callgrind_scan){at, newline})) {
            return false;
        }
        at = newline + 1;
    }
    reader->line_number = 0;
    if (!reader->has_pid) {
        return callgrind_fail(reader, "no process id");
    }
    if (reader->state != CALLGRIND_BEHIND) {
        return callgrind_fail(reader, "cut: the last part has no totals");
    }
    if (!reader->is_terminated) {
        return callgrind_fail(reader, "cut: the program's termination was not recorded");
    }
    return true;
}

static bool finish_windows(struct callgrind_reader *reader)
{
    size_t count = reader->request->window_count;
    reader->dump->windows = calloc(count + 1, sizeof *reader->dump->windows);
    if (reader->dump->windows == NULL) {
        return callgrind_no_memory(reader);
    }
    for (size_t i = 0; i < count; i++) {
        const char *name = reader->request->windows[i];
        struct profile *profile = &reader->dump->windows[i];
        if (reader->windows[i].builder == NULL) {
            return callgrind_fail(reader, "window %s is missing", name);
        }
        if (!profile_builder_finish(reader->windows[i].builder, profile)) {
            return callgrind_no_memory(reader);
        }
        reader->dump->window_count = i + 1;
        profile->window = interner_add(reader->dump->text, name, strlen(name));
        if (profile->window == NULL) {
            return callgrind_no_memory(reader);
        }
        if (profile->total_ir == 0) {
            return callgrind_fail(reader, "window %s counted no instruction", name);
        }
    }
    return true;
}

bool callgrind_parse(const char *name, const char *bytes, size_t size,
                     const struct callgrind_request *request, struct callgrind_dump *dump,
                     struct fault *fault)
{
    struct callgrind_reader reader = {
        .name = name, .request = request, .dump = dump, .fault = fault, .function = UINT32_MAX};
    *dump = (struct callgrind_dump){0};
    bool ok = false;
    if (request->window_count > CALLGRIND_WINDOWS_MAX) {
        return callgrind_fail(&reader, "more than %d windows were asked for",
                              CALLGRIND_WINDOWS_MAX);
    }
    dump->text = interner_new();
    if (dump->text == NULL) {
        return callgrind_no_memory(&reader);
    }
    ok = read_lines(&reader, bytes, size) && finish_windows(&reader);
    for (size_t i = 0; i < CALLGRIND_WINDOWS_MAX; i++) {
        profile_builder_free(reader.windows[i].builder);
    }
    for (size_t i = 0; i < sizeof reader.ids / sizeof *reader.ids; i++) {
        free(reader.ids[i].names);
    }
    free(reader.objects);
    if (!ok) {
        callgrind_release(dump);
    }
    return ok;
}

bool callgrind_read(const char *path, const struct callgrind_request *request,
                    struct callgrind_dump *dump, struct fault *fault)
{
    char *bytes = NULL;
    size_t size = 0;
    size_t bytes_max = request->bytes_max != 0 ? request->bytes_max : DEFAULT_BYTES_MAX;
    *dump = (struct callgrind_dump){0};
    if (!slurp_file(path, bytes_max, &bytes, &size, fault)) {
        return false;
    }
    bool ok = callgrind_parse(path, bytes, size, request, dump, fault);
    free(bytes);
    return ok;
}

void callgrind_release(struct callgrind_dump *dump)
{
    if (dump != NULL) {
        for (size_t i = 0; i < dump->window_count; i++) {
            profile_release(&dump->windows[i]);
        }
        free(dump->windows);
        interner_free(dump->text);
        *dump = (struct callgrind_dump){0};
    }
}
