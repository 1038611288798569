// SPDX-License-Identifier: MIT
// Header lines of a dump: "key: value". Keys are a table of what is read and what is known and
// passed over; another key ends the reading, for the file may not be what it seems.
#include "measure/callgrind_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool read_version(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    uint64_t version = 0;
    if (!callgrind_scan_number(scan, &version) || version > 1) {
        return callgrind_fail(reader, "the format is not version 1");
    }
    return true;
}

static bool read_creator(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    const char *text = NULL;
    size_t len = 0;
    (void)callgrind_scan_rest(scan, &text, &len);
    if (len < 9 || memcmp(text, "callgrind", 9) != 0) {
        return callgrind_fail(reader, "not written by callgrind");
    }
    (void)snprintf(reader->dump->creator, sizeof reader->dump->creator, "%.*s", (int)(len & 0xff),
                   text);
    return true;
}

static bool read_pid(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    uint64_t pid = 0;
    if (!callgrind_scan_number(scan, &pid) || pid == 0 || pid > INT32_MAX) {
        return callgrind_fail(reader, "no process id");
    }
    if (reader->request->pid != 0 && (pid_t)pid != reader->request->pid) {
        return callgrind_fail(reader, "written by process %" PRIu64 ", not by %ld", pid,
                              (long)reader->request->pid);
    }
    if (reader->has_pid && (pid_t)pid != reader->dump->pid) {
        return callgrind_fail(reader, "written by two processes, %ld and %" PRIu64,
                              (long)reader->dump->pid, pid);
    }
    reader->has_pid = true;
    reader->dump->pid = (pid_t)pid;
    return true;
}

static bool read_part(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    reader->part = (struct callgrind_part){.thread = 1,
                                           .window = CALLGRIND_IGNORED,
                                           .ir = CALLGRIND_NO_EVENT,
                                           .sys_count = CALLGRIND_NO_EVENT,
                                           .position_count = 1};
    for (size_t i = 0; i < PROFILE_CACHE_EVENTS; i++) {
        reader->part.cache[i] = CALLGRIND_NO_EVENT;
    }
    if (!callgrind_scan_number(scan, &reader->part.number)) {
        return callgrind_fail(reader, "a part without a number");
    }
    reader->place = reader->callee = (struct profile_place){0};
    reader->source = NULL;
    reader->function = UINT32_MAX;
    reader->state = CALLGRIND_HEAD;
    reader->dump->part_count++;
    return true;
}

static bool read_thread(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    if (reader->part.has_thread || !callgrind_scan_number(scan, &reader->part.thread) ||
        reader->part.thread > UINT32_MAX) {
        return callgrind_fail(reader, "a part with a wrong thread number");
    }
    reader->part.has_thread = true;
    return true;
}

static bool is_text(const char *text, size_t len, const char *wanted)
{
    return strlen(wanted) == len && memcmp(text, wanted, len) == 0;
}

static bool set_trigger(struct callgrind_reader *reader, const char *text, size_t len)
{
    static const char command[] = "dump ";
    if (reader->part.has_trigger) {
        return callgrind_fail(reader, "a part with two triggers");
    }
    reader->part.has_trigger = true;
    if (is_text(text, len, "Program termination")) {
        return true;
    }
    for (size_t i = 0; i < reader->request->window_count; i++) {
        if (len > sizeof command - 1 && memcmp(text, command, sizeof command - 1) == 0 &&
            is_text(text + sizeof command - 1, len - (sizeof command - 1),
                    reader->request->windows[i])) {
            reader->part.window = (int)i;
            return true;
        }
    }
    return callgrind_fail(reader, "a dump that nobody asked for, triggered by '%.*s'",
                          (int)(len & 0xff), text);
}

static bool read_desc(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    static const char trigger[] = "Trigger:";
    const char *text = NULL;
    size_t len = 0;
    (void)callgrind_scan_rest(scan, &text, &len);
    if (len < sizeof trigger - 1 || memcmp(text, trigger, sizeof trigger - 1) != 0) {
        return true;
    }
    struct callgrind_scan value = {text + sizeof trigger - 1, text + len};
    (void)callgrind_scan_rest(&value, &text, &len);
    return set_trigger(reader, text, len);
}

static bool read_positions(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    static const char *const names[] = {"instr", "bb", "line"};
    const char *word = NULL;
    size_t len = 0;
    size_t next = 0; // in this order only
    reader->part.position_count = 0;
    reader->part.line = CALLGRIND_NO_EVENT;
    while (callgrind_scan_word(scan, &word, &len)) {
        while (next < 3 && !is_text(word, len, names[next])) {
            next++;
        }
        if (next == 3) {
            return callgrind_fail(reader, "unknown position '%.*s'", (int)(len & 0xff), word);
        }
        if (next++ == 2) {
            reader->part.line = (int)reader->part.position_count;
        }
        reader->part.position_count++;
    }
    return reader->part.position_count > 0 ? true : callgrind_fail(reader, "no positions");
}

// The column that an event of that name belongs into; NULL: not one of ours.
static int *column_of(struct callgrind_part *part, const char *word, size_t len)
{
    static const char *const cache[PROFILE_CACHE_EVENTS] = {"Dr",   "Dw",   "I1mr", "D1mr",
                                                            "D1mw", "ILmr", "DLmr", "DLmw"};
    for (size_t i = 0; i < PROFILE_CACHE_EVENTS; i++) {
        if (is_text(word, len, cache[i])) {
            return &part->cache[i];
        }
    }
    return is_text(word, len, "Ir")         ? &part->ir
           : is_text(word, len, "sysCount") ? &part->sys_count
                                            : NULL;
}

static bool read_events(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    struct callgrind_part *part = &reader->part;
    const char *word = NULL;
    size_t len = 0;
    if (part->event_count != 0) {
        return callgrind_fail(reader, "a part with two lists of events");
    }
    while (callgrind_scan_word(scan, &word, &len)) {
        if (part->event_count == CALLGRIND_EVENTS_MAX) {
            return callgrind_fail(reader, "more than %d events", CALLGRIND_EVENTS_MAX);
        }
        int *known = column_of(part, word, len);
        if (known != NULL) {
            if (*known != CALLGRIND_NO_EVENT) {
                return callgrind_fail(reader, "an event is listed twice");
            }
            *known = (int)part->event_count;
        }
        part->event_count++;
    }
    return part->ir != CALLGRIND_NO_EVENT ? true : callgrind_fail(reader, "no event Ir");
}

static bool pass_over(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    (void)reader;
    scan->at = scan->end;
    return true;
}

// Where a key may stand: in front of the parts, in a part's header, or in both.
enum { IN_FILE = 1, IN_PART = 2 };

static const struct key {
    const char *name;
    bool (*read)(struct callgrind_reader *reader, struct callgrind_scan *scan);
    int where;
} keys[] = {
    {"version", read_version, IN_FILE},   {"creator", read_creator, IN_FILE},
    {"pid", read_pid, IN_FILE | IN_PART}, {"cmd", pass_over, IN_FILE | IN_PART},
    {"part", read_part, IN_FILE},         {"thread", read_thread, IN_PART},
    {"desc", read_desc, IN_PART},         {"positions", read_positions, IN_PART},
    {"event", pass_over, IN_PART},        {"events", read_events, IN_PART},
    {"summary", pass_over, IN_PART},
};

bool callgrind_head_line(struct callgrind_reader *reader, struct callgrind_scan scan)
{
    const char *name = NULL;
    size_t len = 0;
    int where = reader->state == CALLGRIND_HEAD ? IN_PART : IN_FILE;
    if (!callgrind_scan_key(&scan, ':', &name, &len)) {
        return callgrind_fail(reader, "neither a header line nor a record");
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (is_text(name, len, keys[i].name)) {
            if ((keys[i].where & where) == 0) {
                return callgrind_fail(reader, "'%s:' does not belong here", keys[i].name);
            }
            return keys[i].read(reader, &scan) &&
                   (callgrind_scan_end(&scan) ||
                    callgrind_fail(reader, "text behind the value of '%s:'", keys[i].name));
        }
    }
    return callgrind_fail(reader, "unknown header '%.*s:'", (int)(len & 0xff), name);
}

bool callgrind_head_done(struct callgrind_reader *reader)
{
    struct callgrind_part *part = &reader->part;
    if (part->event_count == 0) {
        return callgrind_fail(reader, "a part without events");
    }
    if (!part->has_trigger) {
        return callgrind_fail(reader, "a part without a trigger");
    }
    reader->state = CALLGRIND_BODY;
    reader->is_terminated = part->window == CALLGRIND_IGNORED;
    if (part->window == CALLGRIND_IGNORED) {
        return true;
    }
    struct callgrind_window *window = &reader->windows[part->window];
    const char *name = reader->request->windows[part->window];
    if (window->builder == NULL) {
        window->builder = profile_builder_new();
        window->part = part->number;
        return window->builder != NULL || callgrind_no_memory(reader);
    }
    if (window->part != part->number ||
        profile_builder_has_thread(window->builder, (uint32_t)part->thread)) {
        return callgrind_fail(reader, "window %s is there twice", name);
    }
    return true;
}
