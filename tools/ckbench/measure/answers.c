// SPDX-License-Identifier: MIT
// One table row per member of the protocol says which line has it, what kind it is, which grammar
// it follows and where it goes.
#include "measure/answers.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

enum { TEXT_MAX = 1000, HASH_DIGITS = 16 };

// The grammar of a value.
enum rule {
    RULE_TEXT,    // any string of at most TEXT_MAX bytes
    RULE_NAME,    // [a-z0-9_]{1,64}
    RULE_HEX,     // hex digits, an even number of them, at least two
    RULE_DIGEST,  // 16 hex digits
    RULE_STEP,    // [a-z]{1,15}
    RULE_COUNT,   // integer from 0
    RULE_LAYOUT,  // integer from 0 to INT_MAX; also the pid of a child that could not be had
    RULE_PID,     // integer from 1 to INT_MAX
    RULE_FLAG,    // true or false
    RULE_SELF,    // 0 or 1
    RULE_SHAPES,  // strings of [a-z0-9-]{1,32}, none twice
    RULE_STRINGS, // any strings
    RULE_SHAPE,   // [a-z0-9-]{1,32}
    RULE_COUNTS,  // integers from 0
};

struct row {
    enum answer_kind kind;
    const char *member;
    enum rule rule;
    bool nullable; // null, or absent, is its zero
    size_t offset;
};

#define AT(field) offsetof(struct answer, field)
static const struct row rows[] = {
    {ANSWER_SUBJECT, "protocol", RULE_PID, false, AT(protocol)},
    {ANSWER_SUBJECT, "kit", RULE_TEXT, false, AT(kit)},
    {ANSWER_SUBJECT, "self", RULE_SELF, false, AT(self)},
    {ANSWER_SUBJECT, "compiler", RULE_TEXT, false, AT(compiler)},
    {ANSWER_SUBJECT, "flags", RULE_TEXT, false, AT(flags)},
    {ANSWER_SUBJECT, "commit", RULE_HEX, true, AT(commit)},
    {ANSWER_SUBJECT, "dirty", RULE_STRINGS, true, AT(dirty)},
    {ANSWER_SUBJECT, "build_id", RULE_HEX, true, AT(build_id)},
    {ANSWER_PATH, "name", RULE_NAME, false, AT(name)},
    {ANSWER_PATH, "about", RULE_TEXT, false, AT(about)},
    {ANSWER_PATH, "shapes", RULE_SHAPES, false, AT(shapes)},
    {ANSWER_PATH, "operations", RULE_SHAPES, false, AT(operations)},
    {ANSWER_PATH, "phases", RULE_SHAPES, false, AT(phases)},
    {ANSWER_PATH, "threads", RULE_FLAG, false, AT(threads)},
    {ANSWER_TERRAIN, "name", RULE_NAME, false, AT(name)},
    {ANSWER_TERRAIN, "about", RULE_TEXT, true, AT(about)},
    {ANSWER_GUEST, "cpuid", RULE_HEX, false, AT(cpuid)},
    {ANSWER_START, "path", RULE_NAME, false, AT(path)},
    {ANSWER_START, "layout", RULE_LAYOUT, false, AT(layout)},
    {ANSWER_START, "pid", RULE_PID, false, AT(pid)},
    {ANSWER_COUNTED, "path", RULE_NAME, false, AT(path)},
    {ANSWER_COUNTED, "layout", RULE_LAYOUT, false, AT(layout)},
    {ANSWER_COUNTED, "pid", RULE_PID, false, AT(pid)},
    {ANSWER_COUNTED, "warmup", RULE_COUNT, false, AT(warmup)},
    {ANSWER_COUNTED, "n1", RULE_COUNT, false, AT(n1)},
    {ANSWER_COUNTED, "n2", RULE_COUNT, false, AT(n2)},
    {ANSWER_COUNTED, "digest", RULE_DIGEST, true, AT(digest)},
    {ANSWER_COUNTED, "clock_reads", RULE_COUNT, false, AT(clock_reads)},
    {ANSWER_COUNTED, "entropy_reads", RULE_COUNT, false, AT(entropy_reads)},
    {ANSWER_COUNTED, "pid_reads", RULE_COUNT, false, AT(pid_reads)},
    {ANSWER_FAILED, "path", RULE_NAME, false, AT(path)},
    {ANSWER_FAILED, "layout", RULE_LAYOUT, false, AT(layout)},
    {ANSWER_FAILED, "pid", RULE_LAYOUT, false, AT(pid)},
    {ANSWER_FAILED, "step", RULE_STEP, false, AT(step)},
    {ANSWER_FAILED, "reason", RULE_TEXT, false, AT(reason)},
    {ANSWER_EXIT, "path", RULE_NAME, false, AT(path)},
    {ANSWER_EXIT, "layout", RULE_LAYOUT, false, AT(layout)},
    {ANSWER_EXIT, "pid", RULE_PID, false, AT(pid)},
    {ANSWER_EXIT, "status", RULE_COUNT, false, AT(status)},
    {ANSWER_EXIT, "signal", RULE_COUNT, false, AT(signal)},
    {ANSWER_TIMED, "path", RULE_NAME, false, AT(path)},
    {ANSWER_TIMED, "shape", RULE_SHAPE, true, AT(shape)},
    {ANSWER_TIMED, "operation", RULE_SHAPE, true, AT(operation)},
    {ANSWER_TIMED, "pid", RULE_PID, false, AT(pid)},
    {ANSWER_TIMED, "warmup", RULE_COUNT, false, AT(warmup)},
    {ANSWER_TIMED, "calls", RULE_COUNT, false, AT(calls)},
    {ANSWER_TIMED, "cpu_ns", RULE_COUNT, false, AT(cpu_ns)},
    {ANSWER_TIMED, "wall_ns", RULE_COUNT, false, AT(wall_ns)},
    {ANSWER_TIMED, "minor_faults", RULE_COUNT, false, AT(minor_faults)},
    {ANSWER_TIMED, "major_faults", RULE_COUNT, false, AT(major_faults)},
    {ANSWER_TIMED, "voluntary_switches", RULE_COUNT, false, AT(voluntary_switches)},
    {ANSWER_TIMED, "involuntary_switches", RULE_COUNT, false, AT(involuntary_switches)},
    {ANSWER_TIMED, "peak_rss_kib", RULE_COUNT, true, AT(peak_rss_kib)},
    {ANSWER_TIMED, "digest", RULE_DIGEST, true, AT(digest)},
    {ANSWER_TIMED, "allocations", RULE_COUNT, true, AT(allocations)},
    {ANSWER_SAMPLES, "first", RULE_COUNT, false, AT(first)},
    {ANSWER_SAMPLES, "wall_ns", RULE_COUNTS, false, AT(samples_ns)},
    {ANSWER_SAMPLES, "latency_ns", RULE_COUNTS, true, AT(latency_ns)},
    {ANSWER_PHASES, "path", RULE_NAME, false, AT(path)},
    {ANSWER_PHASES, "shape", RULE_SHAPE, true, AT(shape)},
    {ANSWER_PHASES, "operation", RULE_SHAPE, true, AT(operation)},
    {ANSWER_PHASES, "calls", RULE_COUNT, false, AT(calls)},
    {ANSWER_PHASES, "clock_ps", RULE_COUNT, false, AT(clock_ps)},
    {ANSWER_PHASES, "wall_ns", RULE_COUNTS, false, AT(samples_ns)},
    {ANSWER_PHASE, "name", RULE_SHAPE, false, AT(name)},
    {ANSWER_PHASE, "wall_ns", RULE_COUNTS, false, AT(samples_ns)},
    {ANSWER_PHASE, "from", RULE_COUNTS, true, AT(from)},
    {ANSWER_PHASE, "to", RULE_COUNTS, true, AT(to)},
    {ANSWER_END, "lines", RULE_COUNT, false, AT(lines)},
};

static const char *const type_names[] = {
    [ANSWER_SUBJECT] = "subject", [ANSWER_PATH] = "path",   [ANSWER_TERRAIN] = "terrain",
    [ANSWER_GUEST] = "guest",     [ANSWER_START] = "start", [ANSWER_COUNTED] = "counted",
    [ANSWER_FAILED] = "failed",   [ANSWER_EXIT] = "exit",   [ANSWER_TIMED] = "timed",
    [ANSWER_PHASES] = "phases",   [ANSWER_PHASE] = "phase", [ANSWER_SAMPLES] = "samples",
    [ANSWER_END] = "end",
};

static bool is_made_of(const char *text, const char *alphabet, size_t least, size_t most)
{
    size_t length = strlen(text);
    return length >= least && length <= most && strspn(text, alphabet) == length;
}

bool answer_is_name(const char *text)
{
    return is_made_of(text, "abcdefghijklmnopqrstuvwxyz0123456789_", 1, ANSWER_NAME_MAX);
}

static bool is_shape(const char *text)
{
    return is_made_of(text, "abcdefghijklmnopqrstuvwxyz0123456789-", 1, ANSWER_SHAPE_MAX);
}

bool answer_is_self(const char *name)
{
    static const char prefix[] = "ckbench_self_";
    return strncmp(name, prefix, sizeof prefix - 1) == 0;
}

static bool string_follows(const char *text, enum rule rule)
{
    static const char hex[] = "0123456789abcdef";
    switch (rule) {
    case RULE_NAME:
        return answer_is_name(text);
    case RULE_HEX:
        return is_made_of(text, hex, 2, TEXT_MAX) && strlen(text) % 2 == 0;
    case RULE_DIGEST:
        return is_made_of(text, hex, HASH_DIGITS, HASH_DIGITS);
    case RULE_SHAPE:
        return is_shape(text);
    case RULE_STEP:
        return is_made_of(text, "abcdefghijklmnopqrstuvwxyz", 1, ANSWER_STEP_MAX);
    default:
        return strlen(text) <= TEXT_MAX;
    }
}

static bool integer_follows(int64_t number, enum rule rule)
{
    switch (rule) {
    case RULE_SELF:
        return number == 0 || number == 1;
    case RULE_PID:
        return number >= 1 && number <= INT_MAX;
    case RULE_LAYOUT:
        return number >= 0 && number <= INT_MAX;
    default:
        return number >= 0;
    }
}

static bool strings_follow(const struct flat_member *member, enum rule rule)
{
    for (int64_t i = 0; rule == RULE_SHAPES && i < member->number; i++) {
        bool good = is_shape(member->items[i]);
        for (int64_t k = 0; good && k < i; k++) {
            good = strcmp(member->items[i], member->items[k]) != 0;
        }
        if (!good) {
            return false;
        }
    }
    return true;
}

static bool integers_follow(const struct flat_member *member)
{
    for (int64_t i = 0; i < member->number; i++) {
        if (member->numbers[i] < 0) {
            return false;
        }
    }
    return true;
}

static enum flat_kind kind_of(enum rule rule)
{
    switch (rule) {
    case RULE_COUNT:
    case RULE_LAYOUT:
    case RULE_PID:
    case RULE_SELF:
        return FLAT_INT;
    case RULE_FLAG:
        return FLAT_BOOL;
    case RULE_SHAPES:
    case RULE_STRINGS:
        return FLAT_STRINGS;
    case RULE_COUNTS:
        return FLAT_INTS;
    default:
        return FLAT_STRING;
    }
}

static bool store(const struct row *row, const struct flat_member *member, struct answer *answer)
{
    void *place = (char *)answer + row->offset;
    struct answer_strings strings = {.count = (size_t)member->number, .items = member->items};
    struct answer_integers integers = {.count = (size_t)member->number, .items = member->numbers};
    bool flag = member->number != 0;
    switch (member->kind) {
    case FLAT_STRING:
        memcpy(place, &member->text, sizeof member->text);
        return string_follows(member->text, row->rule);
    case FLAT_STRINGS:
        memcpy(place, &strings, sizeof strings);
        return strings_follow(member, row->rule);
    case FLAT_INTS:
        memcpy(place, &integers, sizeof integers);
        return integers_follow(member);
    case FLAT_INT:
        if (row->rule == RULE_SELF) {
            memcpy(place, &flag, sizeof flag);
        } else {
            memcpy(place, &member->number, sizeof member->number);
        }
        return integer_follows(member->number, row->rule);
    case FLAT_BOOL:
        memcpy(place, &flag, sizeof flag);
        return true;
    default:
        return false;
    }
}

static bool take_row(const struct row *row, struct answer *answer, struct fault *fault)
{
    const struct flat_member *member = flat_find(&answer->object, row->member);
    const char *type = type_names[row->kind];
    if (member == NULL || member->kind == FLAT_NULL) {
        return row->nullable || fault_set(fault, "its `%s` line has no \"%s\"", type, row->member);
    }
    if (member->kind != kind_of(row->rule) || !store(row, member, answer)) {
        return fault_set(fault, "its `%s` line has a bad \"%s\"", type, row->member);
    }
    return true;
}

static enum answer_kind find_kind(const char *type)
{
    for (size_t i = 1; i < sizeof type_names / sizeof type_names[0]; i++) {
        if (strcmp(type, type_names[i]) == 0) {
            return (enum answer_kind)i;
        }
    }
    return ANSWER_UNKNOWN;
}

static bool read_answer(const char *line, size_t length, struct answer *answer, struct fault *fault)
{
    struct fault why;
    memset(answer, 0, offsetof(struct answer, object));
    if (!flat_read(line, length, &answer->object, &why)) {
        int shown = length < 60 ? (int)length : 60;
        return fault_set(fault, "it answered what is %s: %.*s", why.text, shown, line);
    }
    const struct flat_member *type = flat_find(&answer->object, "type");
    if (type == NULL || type->kind != FLAT_STRING) {
        return fault_set(fault, "it answered a line without \"type\"");
    }
    answer->kind = find_kind(type->text);
    // A newer protocol may have changed everything but this one number.
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].kind == answer->kind && !take_row(&rows[i], answer, fault)) {
            return false;
        }
        if (answer->kind == ANSWER_SUBJECT && answer->protocol > ANSWER_PROTOCOL) {
            return fault_set(fault, "it speaks protocol %lld, newer than %d: use a newer ckbench",
                             (long long)answer->protocol, ANSWER_PROTOCOL);
        }
    }
    return true;
}

bool answer_next(struct answer_stream *stream, const char *line, size_t length,
                 struct answer *answer, struct fault *fault)
{
    if (stream->ended) {
        return fault_set(fault, "it answered a line after `end`");
    }
    if (!read_answer(line, length, answer, fault)) {
        return false;
    }
    if (answer->kind != ANSWER_END) {
        stream->lines++;
        int64_t most = stream->lines_max > 0 ? stream->lines_max : ANSWER_LINES_MAX;
        return stream->lines <= most || fault_set(fault, "its answers do not end");
    }
    stream->ended = true;
    return answer->lines == stream->lines ||
           fault_set(fault, "its `end` line counts %lld lines, %lld were read",
                     (long long)answer->lines, (long long)stream->lines);
}
