// SPDX-License-Identifier: MIT
// Names of a dump: kept once each, found by number where the dump is compressed, and for objects
// given a class.
#include "measure/callgrind_reader.h"

#include <inttypes.h>
#include <string.h>

#include "measure/checked.h"
#include "measure/symbol.h"

const char *callgrind_name_keep(struct callgrind_reader *reader, const char *text, size_t len)
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
const char *callgrind_name_read(struct callgrind_reader *reader, struct callgrind_scan *scan,
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
        const char *kept = callgrind_name_keep(reader, name.text, name.len);
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
        return callgrind_name_keep(reader, SYMBOL_EXE, sizeof SYMBOL_EXE - 1);
    }
    const char *known =
        request->class_of != NULL ? request->class_of(request->context, path) : NULL;
    size_t len = known != NULL ? strlen(known) : 0;
    if (known == NULL) {
        known = symbol_class_of_path(path, &len);
    }
    return callgrind_name_keep(reader, known, len);
}

bool callgrind_name_object(struct callgrind_reader *reader, struct callgrind_scan *scan,
                           struct profile_place *place)
{
    const char *path = callgrind_name_read(reader, scan, CALLGRIND_TABLE_OBJECT);
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

const char *callgrind_name_source(struct callgrind_reader *reader, struct callgrind_scan *scan)
{
    const char *source = callgrind_name_read(reader, scan, CALLGRIND_TABLE_FILE);
    return source != NULL && strcmp(source, "???") == 0 ? callgrind_name_keep(reader, "", 0)
                                                        : source;
}
