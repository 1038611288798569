// SPDX-License-Identifier: MIT
// State of reading one dump, shared by the files of the reader: callgrind.c (files and windows),
// callgrind_head.c (header lines), callgrind_body.c (records), callgrind_name.c (names). Layer:
// measure, private.
#ifndef CKBENCH_CALLGRIND_READER_H
#define CKBENCH_CALLGRIND_READER_H

#include "measure/callgrind.h"
#include "measure/callgrind_scan.h"
#include "measure/interner.h"
#include "measure/profile_builder.h"

enum {
    CALLGRIND_EVENTS_MAX = 32,
    CALLGRIND_POSITIONS_MAX = 3, // instr bb line
    CALLGRIND_OBJECTS_MAX = 4096,
    CALLGRIND_ID_MAX = 1 << 22,
    CALLGRIND_NO_EVENT = -1,
    CALLGRIND_IGNORED = -1, // window number of the termination part
};

// The file before its first part; a part's header; its records; behind its totals.
enum callgrind_state { CALLGRIND_FILE, CALLGRIND_HEAD, CALLGRIND_BODY, CALLGRIND_BEHIND };
enum callgrind_table { CALLGRIND_TABLE_OBJECT, CALLGRIND_TABLE_FILE, CALLGRIND_TABLE_FUNCTION };
enum callgrind_pending { CALLGRIND_NOTHING, CALLGRIND_CALL, CALLGRIND_JUMP };

// Numbers that stand for names, of one kind, through the whole file.
struct callgrind_ids {
    const char **names;
    size_t cap;
};

struct callgrind_object {
    const char *path;
    const char *class_name;
};

struct callgrind_part {
    uint64_t number;
    uint64_t thread;
    bool has_thread;
    bool has_trigger;
    int window; // index into the request, or CALLGRIND_IGNORED
    size_t event_count;
    int ir; // columns; CALLGRIND_NO_EVENT when the dump has no such event
    int sys_count;
    int cache[PROFILE_CACHE_EVENTS];
    size_t position_count;
    int line; // which position is the line
    uint64_t last[CALLGRIND_POSITIONS_MAX];
    uint64_t sums[CALLGRIND_EVENTS_MAX];
};

struct callgrind_window {
    struct profile_builder *builder;
    uint64_t part; // its number; the same for all threads
};

struct callgrind_reader {
    const char *name;
    size_t line_number; // 0: the whole file is meant
    const struct callgrind_request *request;
    struct callgrind_dump *dump;
    struct fault *fault;
    enum callgrind_state state;
    struct callgrind_part part;
    struct callgrind_window windows[CALLGRIND_WINDOWS_MAX];
    struct callgrind_ids ids[3];
    struct callgrind_object *objects;
    size_t object_count, object_cap;
    bool has_pid;
    bool is_terminated; // the newest part is the termination part
    // Where the next records lie.
    struct profile_place place;
    const char *source;          // of the next costs; inlined code has another than the function
    uint32_t function;           // of `place`; UINT32_MAX: not looked up yet
    struct profile_place callee; // NULL where the caller's holds
    enum callgrind_pending pending;
    uint64_t calls;
};

// Fills the fault with file, line and cause, and returns false.
__attribute__((format(printf, 2, 3))) bool callgrind_fail(struct callgrind_reader *reader,
                                                          const char *format, ...);
bool callgrind_no_memory(struct callgrind_reader *reader);

// The kept copy of a text; NULL: no memory, with the fault filled, as below.
const char *callgrind_name_keep(struct callgrind_reader *reader, const char *text, size_t len);
// Reads a name of a kind, with or by its number.
const char *callgrind_name_read(struct callgrind_reader *reader, struct callgrind_scan *scan,
                                enum callgrind_table table);
// Reads a source file; "???" is the empty name.
const char *callgrind_name_source(struct callgrind_reader *reader, struct callgrind_scan *scan);
// Reads an object's path and finds its class.
bool callgrind_name_object(struct callgrind_reader *reader, struct callgrind_scan *scan,
                           struct profile_place *place);

// A line of a header, or of the file in front of the parts.
bool callgrind_head_line(struct callgrind_reader *reader, struct callgrind_scan scan);
// Checks a header that is complete and finds its window.
bool callgrind_head_done(struct callgrind_reader *reader);
// A record line, or part of one.
bool callgrind_body_line(struct callgrind_reader *reader, struct callgrind_scan scan);
// The line behind a part's records.
bool callgrind_body_totals(struct callgrind_reader *reader, struct callgrind_scan scan);

#endif
