// SPDX-License-Identifier: MIT
// Records of a dump: names that say where, and cost lines. A name holds until the next of its kind
// within the part; a callee's names hold for one call and default to the caller's object and to
// the *current* file, which is not the function's where code was inlined.
#include "measure/callgrind_reader.h"

#include <inttypes.h>
#include <string.h>

#include "measure/checked.h"
#include "measure/symbol.h"

static const char *intern(struct callgrind_reader *reader, const char *text, size_t len)
{
    const char *kept = interner_add(reader->dump->text, text, len);
    if (kept == NULL) {
        (void)callgrind_no_memory(reader);
    }
    return kept;
}

static bool define_id(struct callgrind_reader *reader, enum callgrind_table table, uint64_t id,
                      const char *name)
{
    struct callgrind_ids *ids = &reader->ids[table];
    while (id >= ids->cap) {
        size_t old = ids->cap;
        void *names = checked_room(ids->names, old, &ids->cap, sizeof *ids->names);
        if (names == NULL) {
            return callgrind_no_memory(reader);
        }
        ids->names = names;
        memset(ids->names + old, 0, (ids->cap - old) * sizeof *ids->names);
    }
    if (ids->names[id] != NULL && ids->names[id] != name) {
        return callgrind_fail(reader, "(%" PRIu64 ") stands for two names", id);
    }
    ids->names[id] = name;
    return true;
}

// The interned name of a spec, NULL when it failed.
static const char *read_name(struct callgrind_reader *reader, struct callgrind_scan *scan,
                             enum callgrind_table table)
{
    struct callgrind_name name;
    if (!callgrind_scan_name(scan, &name)) {
        (void)callgrind_fail(reader, "an empty or broken name");
        return NULL;
    }
    if (name.has_id && name.id > CALLGRIND_ID_MAX) {
        (void)callgrind_fail(reader, "(%" PRIu64 ") is too large a number", name.id);
        return NULL;
    }
    if (name.len > 0) {
        const char *kept = intern(reader, name.text, name.len);
        return kept == NULL || (name.has_id && !define_id(reader, table, name.id, kept)) ? NULL
                                                                                         : kept;
    }
    const struct callgrind_ids *ids = &reader->ids[table];
    if (name.id >= ids->cap || ids->names[name.id] == NULL) {
        (void)callgrind_fail(reader, "(%" PRIu64 ") stands for no name", name.id);
        return NULL;
    }
    return ids->names[name.id];
}

static const char *class_of(struct callgrind_reader *reader, const char *path)
{
    const struct callgrind_request *request = reader->request;
    if (request->exe != NULL && strcmp(request->exe, path) == 0) {
        return intern(reader, SYMBOL_EXE, sizeof SYMBOL_EXE - 1);
    }
    const char *known =
        request->class_of != NULL ? request->class_of(request->context, path) : NULL;
    size_t len = known != NULL ? strlen(known) : 0;
    if (known == NULL) {
        known = symbol_class_of_path(path, &len);
    }
    return intern(reader, known, len);
}

static bool read_object(struct callgrind_reader *reader, struct callgrind_scan *scan,
                        struct profile_place *place)
{
    const char *path = read_name(reader, scan, CALLGRIND_TABLE_OBJECT);
    if (path == NULL) {
        return false;
    }
    for (size_t i = 0; i < reader->object_count; i++) {
        if (reader->objects[i].path == path) {
            place->path = path;
            place->class_name = reader->objects[i].class_name;
            return true;
        }
    }
    if (reader->object_count == CALLGRIND_OBJECTS_MAX) {
        return callgrind_fail(reader, "more than %d objects", CALLGRIND_OBJECTS_MAX);
    }
    void *objects = checked_room(reader->objects, reader->object_count, &reader->object_cap,
                                 sizeof *reader->objects);
    if (objects == NULL) {
        return callgrind_no_memory(reader);
    }
    reader->objects = objects;
    place->path = path;
    place->class_name = class_of(reader, path);
    reader->objects[reader->object_count++] = (struct callgrind_object){path, place->class_name};
    return place->class_name != NULL;
}

static const char *read_source(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    const char *source = read_name(reader, scan, CALLGRIND_TABLE_FILE);
    return source != NULL && strcmp(source, "???") == 0 ? intern(reader, "", 0) : source;
}

static bool spec_ob(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    reader->function = UINT32_MAX;
    return read_object(reader, scan, &reader->place);
}

static bool spec_file(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    reader->source = read_source(reader, scan);
    return reader->source != NULL;
}

static bool spec_fn(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    reader->function = UINT32_MAX;
    reader->place.name = read_name(reader, scan, CALLGRIND_TABLE_FUNCTION);
    reader->place.source = reader->source;
    return reader->place.name != NULL;
}

static bool spec_cob(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    return read_object(reader, scan, &reader->callee);
}

static bool spec_cfile(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    reader->callee.source = read_source(reader, scan);
    return reader->callee.source != NULL;
}

static bool spec_cfn(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    reader->callee.name = read_name(reader, scan, CALLGRIND_TABLE_FUNCTION);
    return reader->callee.name != NULL;
}

static bool spec_jfile(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    return read_source(reader, scan) != NULL;
}

static bool spec_jfn(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    return read_name(reader, scan, CALLGRIND_TABLE_FUNCTION) != NULL;
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
        place.name = intern(reader, folded, class_len + 2);
        place.source = intern(reader, "", 0);
    } else {
        place.name = intern(reader, place.name, len);
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
    struct profile_thread thread = {(uint32_t)part->thread, totals[part->ir],
                                    part->sys_count >= 0 ? totals[part->sys_count] : 0};
    return profile_builder_thread(reader->windows[part->window].builder, &thread) ||
           callgrind_no_memory(reader);
}
