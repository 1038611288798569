// SPDX-License-Identifier: MIT
// Records of a dump: names that say where, and cost lines. A name holds until the next of its kind
// within the part; a callee's names hold for one call and default to the caller's object and to
// the *current* file, which is not the function's where code was inlined.
#include "measure/callgrind_reader.h"

#include <inttypes.h>
#include <string.h>

#include "measure/checked.h"
#include "measure/symbol.h"

static bool spec_ob(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    reader->function = UINT32_MAX;
    return callgrind_name_object(reader, scan, &reader->place);
}

static bool spec_file(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    reader->source = callgrind_name_source(reader, scan);
    return reader->source != NULL;
}

static bool spec_fn(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    reader->function = UINT32_MAX;
    reader->place.name = callgrind_name_read(reader, scan, CALLGRIND_TABLE_FUNCTION);
    reader->place.source = reader->source;
    return reader->place.name != NULL;
}

static bool spec_cob(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    return callgrind_name_object(reader, scan, &reader->callee);
}

static bool spec_cfile(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    reader->callee.source = callgrind_name_source(reader, scan);
    return reader->callee.source != NULL;
}

static bool spec_cfn(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    reader->callee.name = callgrind_name_read(reader, scan, CALLGRIND_TABLE_FUNCTION);
    return reader->callee.name != NULL;
}

static bool spec_jfile(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    return callgrind_name_source(reader, scan) != NULL;
}

static bool spec_jfn(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    return callgrind_name_read(reader, scan, CALLGRIND_TABLE_FUNCTION) != NULL;
}

// The count, then the target's positions, which are relative to the last cost line's.
static bool read_count(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    if (!callgrind_scan_number(scan, &reader->calls)) {
        return callgrind_fail(reader, "not a number of calls");
    }
    for (size_t i = 0; i < reader->part.position_count; i++) {
        uint64_t target = reader->part.last[i];
        if (!callgrind_scan_position(scan, &target)) {
            return callgrind_fail(reader, "a call without its target's position");
        }
    }
    return true;
}

static bool spec_calls(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    if (reader->callee.name == NULL) {
        return callgrind_fail(reader, "a call to no function");
    }
    reader->pending = CALLGRIND_CALL;
    return read_count(reader, scan);
}

static bool spec_jump(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    reader->pending = CALLGRIND_JUMP;
    scan->at = scan->end;
    return true;
}

static const struct spec {
    const char *name;
    bool (*read)(struct callgrind_reader *reader, struct callgrind_scan *scan);
} specs[] = {
    {"ob", spec_ob},     {"fl", spec_file},     {"fi", spec_file},   {"fe", spec_file},
    {"fn", spec_fn},     {"cob", spec_cob},     {"cfi", spec_cfile}, {"cfl", spec_cfile},
    {"cfn", spec_cfn},   {"calls", spec_calls}, {"jump", spec_jump}, {"jcnd", spec_jump},
    {"jfi", spec_jfile}, {"jfn", spec_jfn},
};

// The builder's number of the function at `place`, whose name is as in the dump.
static uint32_t look_up(struct callgrind_reader *reader, struct profile_place place)
{
    size_t len = symbol_clean_len(place.name, strlen(place.name));
    if (symbol_is_unresolved(place.name, len)) {
        char folded[300];
        size_t class_len = strnlen(place.class_name, sizeof folded - 3);
        memcpy(folded, place.class_name, class_len);
        memcpy(folded + class_len, "+?", 2);
        place.name = callgrind_name_keep(reader, folded, class_len + 2);
        place.source = callgrind_name_keep(reader, "", 0);
    } else {
        place.name = callgrind_name_keep(reader, place.name, len);
    }
    if (place.name == NULL || place.source == NULL) {
        return UINT32_MAX;
    }
    struct profile_builder *builder = reader->windows[reader->part.window].builder;
    uint32_t function = profile_builder_function(builder, &place);
    if (function == UINT32_MAX) {
        (void)callgrind_no_memory(reader);
    }
    return function;
}

static bool find_function(struct callgrind_reader *reader)
{
    if (reader->function == UINT32_MAX) {
        reader->function = look_up(reader, reader->place);
    }
    return reader->function != UINT32_MAX;
}

static bool keep_cost(struct callgrind_reader *reader, const uint64_t *costs)
{
    const struct callgrind_part *part = &reader->part;
    uint64_t line = part->line >= 0 ? part->last[part->line] : 0;
    struct profile_line record = {.function = reader->function,
                                  .line = line <= UINT32_MAX ? (uint32_t)line : 0,
                                  .source = reader->source,
                                  .self_ir = costs[part->ir]};
    uint64_t sys_count = part->sys_count >= 0 ? costs[part->sys_count] : 0;
    return profile_builder_cost(reader->windows[part->window].builder, &record, sys_count) ||
           callgrind_no_memory(reader);
}

static bool keep_call(struct callgrind_reader *reader, uint64_t inclusive_ir)
{
    struct profile_place place = reader->callee;
    if (place.path == NULL) {
        place.path = reader->place.path;
        place.class_name = reader->place.class_name;
    }
    if (place.source == NULL) {
        place.source = reader->source;
    }
    uint32_t callee = look_up(reader, place);
    struct profile_edge edge = {reader->function, callee, reader->calls, inclusive_ir};
    return callee != UINT32_MAX &&
           (profile_builder_call(reader->windows[reader->part.window].builder, &edge) ||
            callgrind_no_memory(reader));
}

static bool read_costs(struct callgrind_reader *reader, struct callgrind_scan *scan,
                       uint64_t *costs)
{
    size_t count = 0;
    while (!callgrind_scan_end(scan)) {
        if (count == reader->part.event_count) {
            return callgrind_fail(reader, "more costs than events");
        }
        if (!callgrind_scan_number(scan, &costs[count++])) {
            return callgrind_fail(reader, "a cost that is no number of 64 bits");
        }
    }
    return true;
}

static bool add_to_sums(struct callgrind_reader *reader, const uint64_t *costs)
{
    for (size_t i = 0; i < reader->part.event_count; i++) {
        if (!checked_add(&reader->part.sums[i], costs[i])) {
            return callgrind_fail(reader, "costs add up to more than 64 bits");
        }
    }
    return true;
}

static bool cost_line(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    uint64_t costs[CALLGRIND_EVENTS_MAX] = {0};
    enum callgrind_pending pending = reader->pending;
    for (size_t i = 0; i < reader->part.position_count; i++) {
        if (!callgrind_scan_position(scan, &reader->part.last[i])) {
            return callgrind_fail(reader, "a cost line without its position");
        }
    }
    if (!read_costs(reader, scan, costs)) {
        return false;
    }
    if (reader->place.path == NULL || reader->source == NULL || reader->place.name == NULL ||
        reader->place.source == NULL) {
        return callgrind_fail(reader, "a cost of no function, file or object");
    }
    reader->pending = CALLGRIND_NOTHING;
    if (pending == CALLGRIND_NOTHING && !add_to_sums(reader, costs)) {
        return false;
    }
    bool ok = true;
    if (reader->part.window != CALLGRIND_IGNORED && pending != CALLGRIND_JUMP) {
        ok = find_function(reader) &&
             (pending == CALLGRIND_CALL ? keep_call(reader, costs[reader->part.ir])
                                        : keep_cost(reader, costs));
    }
    if (pending == CALLGRIND_CALL) {
        reader->callee = (struct profile_place){0};
    }
    return ok;
}

bool callgrind_body_line(struct callgrind_reader *reader, struct callgrind_scan scan)
{
    const char *name = NULL;
    size_t len = 0;
    if (strchr("0123456789+-*", *scan.at) != NULL) {
        return cost_line(reader, &scan);
    }
    if (reader->pending != CALLGRIND_NOTHING) {
        return callgrind_fail(reader, "a call without its cost line");
    }
    if (callgrind_scan_key(&scan, '=', &name, &len)) {
        for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
            if (strlen(specs[i].name) == len && memcmp(specs[i].name, name, len) == 0) {
                return specs[i].read(reader, &scan) &&
                       (callgrind_scan_end(&scan) ||
                        callgrind_fail(reader, "text behind '%s='", specs[i].name));
            }
        }
    }
    return callgrind_fail(reader, "not a record");
}

bool callgrind_body_totals(struct callgrind_reader *reader, struct callgrind_scan scan)
{
    uint64_t totals[CALLGRIND_EVENTS_MAX] = {0};
    const struct callgrind_part *part = &reader->part;
    if (reader->pending != CALLGRIND_NOTHING) {
        return callgrind_fail(reader, "a call without its cost line");
    }
    if (!read_costs(reader, &scan, totals)) {
        return false;
    }
    for (size_t i = 0; i < part->event_count; i++) {
        if (totals[i] != part->sums[i]) {
            return callgrind_fail(reader,
                                  "costs add up to %" PRIu64 ", but the totals say %" PRIu64,
                                  part->sums[i], totals[i]);
        }
    }
    reader->state = CALLGRIND_BEHIND;
    if (part->window == CALLGRIND_IGNORED) {
        return true;
    }
    struct profile_thread thread = {(uint32_t)part->thread,
                                    totals[part->ir],
                                    part->sys_count >= 0 ? totals[part->sys_count] : 0,
                                    {0}};
    for (size_t i = 0; i < PROFILE_CACHE_EVENTS; i++) {
        thread.cache[i] = part->cache[i] >= 0 ? totals[part->cache[i]] : 0;
    }
    return profile_builder_thread(reader->windows[part->window].builder, &thread) ||
           callgrind_no_memory(reader);
}
