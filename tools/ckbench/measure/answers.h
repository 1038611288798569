// SPDX-License-Identifier: MIT
// The lines of the subject protocol (tools/subject/README.md) as typed values. Layer: measure.
// Unknown members and unknown types of line pass; everything known is checked to the letter.
#ifndef CKBENCH_ANSWERS_H
#define CKBENCH_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "fault.h"
#include "measure/flat_json.h"

enum {
    ANSWER_PROTOCOL = 1, // the newest that is understood
    ANSWER_NAME_MAX = 64,
    ANSWER_SHAPE_MAX = 32,
    ANSWER_STEP_MAX = 15,
    ANSWER_LINES_MAX = 1 << 17, // of one stream: a subject that never stops is seen
};

enum answer_kind {
    ANSWER_UNKNOWN, // a type of line this version does not know
    ANSWER_SUBJECT,
    ANSWER_PATH,
    ANSWER_TERRAIN,
    ANSWER_GUEST,
    ANSWER_START,
    ANSWER_COUNTED,
    ANSWER_FAILED,
    ANSWER_EXIT,
    ANSWER_TIMED,
    ANSWER_SAMPLES,
    ANSWER_PHASES,
    ANSWER_PHASE,
    ANSWER_END,
};

struct answer_strings {
    size_t count;
    const char *const *items;
};

struct answer_integers {
    size_t count;
    const int64_t *items;
};

// Fields that a kind of line does not have are 0 or NULL. Strings live in `object`.
struct answer {
    enum answer_kind kind;
    int64_t protocol; // subject
    const char *kit;
    bool self;
    const char *compiler;
    const char *flags;
    const char *commit;   // NULL: not stamped
    const char *build_id; // NULL: has none
    struct answer_strings dirty;
    const char *name; // path, terrain
    const char *about;
    struct answer_strings shapes;
    struct answer_strings operations;
    struct answer_strings phases;
    bool threads;
    const char *cpuid; // guest
    const char *path;  // start, counted, failed, exit
    int64_t layout;
    int64_t pid;
    int64_t warmup; // counted, timed
    int64_t n1;
    int64_t n2;
    const char *digest; // NULL: the path has none
    int64_t clock_reads;
    int64_t entropy_reads;
    int64_t pid_reads;
    const char *step; // failed
    const char *reason;
    int64_t status; // exit
    int64_t signal;
    const char *shape;     // timed; NULL: the path has none
    const char *operation; // the same
    int64_t calls;
    int64_t cpu_ns;
    int64_t wall_ns;
    int64_t minor_faults;
    int64_t major_faults;
    int64_t voluntary_switches;
    int64_t involuntary_switches;
    int64_t peak_rss_kib;              // 0: not to be had
    int64_t allocations;               // 0 where none was said, too
    int64_t first;                     // samples
    struct answer_integers samples_ns; // of phases: of each round, and of a phase
    struct answer_integers latency_ns; // samples; empty: not of several threads
    int64_t clock_ps;                  // phases
    struct answer_integers from;       // phase: offsets in a page; empty: not told
    struct answer_integers to;
    int64_t lines; // end
    struct flat_object object;
};

// One subject's answers from the first line on.
struct answer_stream {
    int64_t lines; // before `end`
    bool ended;
    int64_t lines_max; // 0: ANSWER_LINES_MAX
};

// Reads the next line of `stream`. False: no JSON, a known member missing, of the wrong kind or
// out of its grammar, a line after `end`, an `end` whose count is wrong. `answer` must not be
// copied.
bool answer_next(struct answer_stream *stream, const char *line, size_t length,
                 struct answer *answer, struct fault *fault);

// [a-z0-9_]{1,64}
bool answer_is_name(const char *text);

// Starts with "ckbench_self_": a self-test path, never listed.
bool answer_is_self(const char *name);

#endif
