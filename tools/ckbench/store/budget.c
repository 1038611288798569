// SPDX-License-Identifier: MIT
// Read, changed in memory, written whole. Entries and rows are kept sorted, so that a diff of the
// file shows what changed and nothing else.
#include "store/budget.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/json.h"
#include "store/json_out.h"
#include "store/replace.h"

enum { ENTRIES_MAX = 1024, ROWS_MAX = 4096, OPS_MIN = 2, OPS_MAX = 1000000000 };

static const char schema[] = "ckbench/ir-budgets/1";
static const struct json_text_rule id_rule = {.min = 1, .max = 128, .is_free = true};

// Where `name` is among the rows, or belongs: the first that does not sort before it.
static size_t row_place(const struct budget_entry *entry, const char *name)
{
    size_t at = 0;
    while (at < entry->row_count && strcmp(entry->rows[at].name, name) < 0) {
        at++;
    }
    return at;
}

static size_t entry_place(const struct budget *budget, const char *id)
{
    size_t at = 0;
    while (at < budget->entry_count && strcmp(budget->entries[at].id, id) < 0) {
        at++;
    }
    return at;
}

static bool put_row(struct budget_entry *entry, const struct budget_row *row)
{
    size_t at = row_place(entry, row->name);
    if (at < entry->row_count && strcmp(entry->rows[at].name, row->name) == 0) {
        entry->rows[at] = *row;
        return true;
    }
    struct budget_row *grown = realloc(entry->rows, (entry->row_count + 1) * sizeof *entry->rows);
    if (grown == NULL) {
        return false;
    }
    memmove(grown + at + 1, grown + at, (entry->row_count - at) * sizeof *grown);
    grown[at] = *row;
    entry->rows = grown;
    entry->row_count++;
    return true;
}

// A new, empty entry in its place; NULL for want of memory.
static struct budget_entry *add_entry(struct budget *budget, const char *id)
{
    char *copy = strdup(id);
    struct budget_entry *grown =
        copy ? realloc(budget->entries, (budget->entry_count + 1) * sizeof *grown) : NULL;
    if (grown == NULL) {
        free(copy);
        return NULL;
    }
    budget->entries = grown;
    size_t at = entry_place(budget, id);
    memmove(grown + at + 1, grown + at, (budget->entry_count - at) * sizeof *grown);
    grown[at] = (struct budget_entry){.id = copy};
    budget->entry_count++;
    return &grown[at];
}

static bool read_own(const struct json_value *object, int64_t *out, struct fault *fault)
{
    const struct json_value *value = json_find(object, "own_ir");
    if (value != NULL && json_kind(value) == JSON_NULL) {
        *out = -1;
        return true;
    }
    return json_want_i64(object, "own_ir", 0, JSON_SAFE_INTEGER, out, fault);
}

static bool read_row(const struct json_value *member, struct budget_row *row, struct fault *fault)
{
    static const char *const keys[] = {"ops",      "total_ir", "own_ir", "allocs",
                                       "syscalls", "empty_ir", NULL};
    const int64_t most = JSON_SAFE_INTEGER;
    const char *name;
    if (!json_key_as_text(member, &json_rule_name, &name, fault) ||
        !json_is(member, JSON_OBJECT, fault) || !json_only(member, keys, fault)) {
        return false;
    }
    (void)snprintf(row->name, sizeof row->name, "%s", name);
    if (!json_want_i64(member, "ops", OPS_MIN, OPS_MAX, &row->ops, fault) ||
        !json_want_i64(member, "total_ir", 0, most, &row->total_ir, fault) ||
        !read_own(member, &row->own_ir, fault) ||
        !json_want_i64(member, "allocs", 0, most, &row->allocs, fault) ||
        !json_want_i64(member, "syscalls", 0, most, &row->syscalls, fault) ||
        !json_want_i64(member, "empty_ir", 0, most, &row->empty_ir, fault)) {
        return false;
    }
    return (row->own_ir <= row->total_ir || json_fail(member, fault, "own_ir is above total_ir")) &&
           (row->empty_ir <= row->total_ir ||
            json_fail(member, fault, "empty_ir is above total_ir"));
}

static bool read_rows(const struct json_value *paths, struct budget_entry *entry,
                      struct fault *fault)
{
    if (json_count(paths) > ROWS_MAX) {
        return json_fail(paths, fault, "more than %d paths", ROWS_MAX);
    }
    for (const struct json_value *item = json_first(paths); item; item = json_next(item)) {
        struct budget_row row;
        if (!read_row(item, &row, fault)) {
            return false;
        }
        if (!put_row(entry, &row)) {
            return json_fail(item, fault, "no memory");
        }
    }
    return true;
}

static bool read_entry(const struct json_value *member, struct budget *out, struct fault *fault)
{
    static const char *const keys[] = {"fingerprint", "paths", NULL};
    const struct json_value *fingerprint;
    const struct json_value *paths;
    const char *id;
    size_t len;
    if (!json_key_as_text(member, &id_rule, &id, fault) || !json_is(member, JSON_OBJECT, fault) ||
        !json_only(member, keys, fault) ||
        !json_want(member, "fingerprint", JSON_OBJECT, &fingerprint, fault) ||
        !json_want(member, "paths", JSON_OBJECT, &paths, fault)) {
        return false;
    }
    struct budget_entry *entry = add_entry(out, id);
    if (entry == NULL) {
        return json_fail(member, fault, "no memory");
    }
    const char *raw = json_raw(fingerprint, &len);
    entry->fingerprint = strndup(raw, len);
    return (entry->fingerprint != NULL || json_fail(member, fault, "no memory")) &&
           read_rows(paths, entry, fault);
}

static bool read_root(const struct json_value *root, struct budget *out, struct fault *fault)
{
    static const char *const keys[] = {"schema", "fingerprints", NULL};
    const struct json_value *entries;
    if (!json_want_schema(root, schema, fault) || !json_only(root, keys, fault) ||
        !json_want(root, "fingerprints", JSON_OBJECT, &entries, fault)) {
        return false;
    }
    if (json_count(entries) > ENTRIES_MAX) {
        return json_fail(entries, fault, "more than %d fingerprints", ENTRIES_MAX);
    }
    for (const struct json_value *item = json_first(entries); item; item = json_next(item)) {
        if (!read_entry(item, out, fault)) {
            return false;
        }
    }
    return true;
}

bool budget_read(const char *path, struct budget *out, struct fault *fault)
{
    struct json_doc *doc = NULL;
    *out = (struct budget){NULL, 0};
    if (access(path, F_OK) != 0 && errno == ENOENT) {
        return true;
    }
    bool is_good = json_read_file(path, &doc, fault) && read_root(json_root(doc), out, fault);
    json_free(doc);
    if (!is_good) {
        budget_release(out);
    }
    return is_good;
}

void budget_release(struct budget *budget)
{
    for (size_t i = 0; i < budget->entry_count; i++) {
        free(budget->entries[i].id);
        free(budget->entries[i].fingerprint);
        free(budget->entries[i].rows);
    }
    free(budget->entries);
    *budget = (struct budget){NULL, 0};
}

const struct budget_entry *budget_find(const struct budget *budget, const char *id)
{
    size_t at = entry_place(budget, id);
    bool is_there = at < budget->entry_count && strcmp(budget->entries[at].id, id) == 0;
    return is_there ? &budget->entries[at] : NULL;
}

const struct budget_row *budget_row_of(const struct budget_entry *entry, const char *name)
{
    size_t at = row_place(entry, name);
    bool is_there = at < entry->row_count && strcmp(entry->rows[at].name, name) == 0;
    return is_there ? &entry->rows[at] : NULL;
}

bool budget_put(struct budget *budget, const char *id, const char *fingerprint,
                const struct budget_row *row, struct fault *fault)
{
    bool is_new = budget_find(budget, id) == NULL;
    struct budget_entry *entry =
        is_new ? add_entry(budget, id) : &budget->entries[entry_place(budget, id)];
    char *copy = strdup(fingerprint);
    if (entry == NULL || copy == NULL || !put_row(entry, row)) {
        free(copy);
        return fault_set(fault, "no memory for the budgets");
    }
    free(entry->fingerprint);
    entry->fingerprint = copy;
    return true;
}

static void put_figures(struct json_out *out, const struct budget_row *row)
{
    json_put_space(out, "\n      ");
    json_begin_object(out, row->name);
    json_put_i64(out, "ops", row->ops);
    json_put_i64(out, "total_ir", row->total_ir);
    if (row->own_ir < 0) {
        json_put_null(out, "own_ir");
    } else {
        json_put_i64(out, "own_ir", row->own_ir);
    }
    json_put_i64(out, "allocs", row->allocs);
    json_put_i64(out, "syscalls", row->syscalls);
    json_put_i64(out, "empty_ir", row->empty_ir);
    json_end_object(out);
}

static void put_entry(struct json_out *out, const struct budget_entry *entry)
{
    json_put_space(out, "\n  ");
    json_begin_object(out, entry->id);
    json_put_space(out, "\n    ");
    json_put_raw(out, "fingerprint", entry->fingerprint, strlen(entry->fingerprint));
    json_put_space(out, "\n    ");
    json_begin_object(out, "paths");
    for (size_t i = 0; i < entry->row_count; i++) {
        put_figures(out, &entry->rows[i]);
    }
    json_put_space(out, "\n    ");
    json_end_object(out);
    json_put_space(out, "\n  ");
    json_end_object(out);
}

bool budget_write(const char *path, const struct budget *budget, struct fault *fault)
{
    struct json_out out = JSON_OUT_INIT;
    json_begin_object(&out, NULL);
    json_put_space(&out, "\n");
    json_put_text(&out, "schema", schema);
    json_put_space(&out, "\n");
    json_begin_object(&out, "fingerprints");
    for (size_t i = 0; i < budget->entry_count; i++) {
        put_entry(&out, &budget->entries[i]);
    }
    json_put_space(&out, "\n");
    json_end_object(&out);
    json_put_space(&out, "\n");
    json_end_object(&out);
    json_end_text(&out);
    bool is_good = out.is_failed ? fault_set(fault, "no memory for %.200s", path)
                                 : replace_file(path, out.text, out.len, fault);
    json_out_release(&out);
    return is_good;
}
