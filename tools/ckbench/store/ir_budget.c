// SPDX-License-Identifier: MIT
// A budget holds for a fingerprint; which one is found by agreement, not by name, since a run of
// some paths sees fewer objects than a run of all.
#include "store/ir_budget.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/median.h"
#include "store/ir_report.h"
#include "store/json.h"
#include "store/json_out.h"

static const struct json_text_rule text_rule = {.max = FINGERPRINT_TEXT - 1, .is_free = true};
static const struct json_text_rule pair_rule = {.min = 1, .max = 127, .is_free = true};

static bool read_text(const struct json_value *object, const char *key, char *out, size_t size,
                      struct fault *fault)
{
    const char *text = NULL;
    if (!json_want_text(object, key, &text_rule, &text, fault)) {
        return false;
    }
    if (strlen(text) >= size) {
        return json_fail(object, fault, "%s is too long", key);
    }
    memcpy(out, text, strlen(text) + 1);
    return true;
}

static bool read_pairs(const struct json_value *object, const char *key, const char *name_key,
                       const char *value_key, struct fingerprint_list *list, struct fault *fault)
{
    const struct json_value *array = NULL;
    if (!json_want(object, key, JSON_ARRAY, &array, fault)) {
        return false;
    }
    for (const struct json_value *v = json_first(array); v != NULL; v = json_next(v)) {
        const char *name = NULL, *value = NULL;
        if (!json_is(v, JSON_OBJECT, fault) ||
            !json_want_text(v, name_key, &pair_rule, &name, fault) ||
            !json_want_text(v, value_key, &pair_rule, &value, fault)) {
            return false;
        }
        if (!fingerprint_note(list, name, value)) {
            return json_fail(v, fault, "%s stands twice, or there are too many", name);
        }
    }
    return true;
}

static bool read_producers(const struct json_value *object, struct fingerprint *print,
                           struct fault *fault)
{
    const struct json_value *array = NULL;
    if (!json_want(object, "producers", JSON_ARRAY, &array, fault)) {
        return false;
    }
    for (const struct json_value *v = json_first(array); v != NULL; v = json_next(v)) {
        const char *text = NULL;
        if (!json_as_text(v, &text_rule, &text, fault)) {
            return false;
        }
        if (!fingerprint_producer(print, text)) {
            return json_fail(v, fault, "too many producers");
        }
    }
    return true;
}

static bool read_fingerprint(const struct budget_entry *entry, struct fingerprint *print,
                             struct fault *fault)
{
    struct json_doc *doc = NULL;
    char name[128];
    (void)snprintf(name, sizeof name, "baselines/ir.json: fingerprint %s", entry->id);
    memset(print, 0, sizeof *print);
    if (!json_read_text(name, entry->fingerprint, strlen(entry->fingerprint), &doc, fault)) {
        return false;
    }
    const struct json_value *root = json_root(doc);
    bool ok = read_text(root, "arch", print->arch, sizeof print->arch, fault) &&
              read_text(root, "valgrind", print->valgrind, sizeof print->valgrind, fault) &&
              read_text(root, "cpuid", print->cpuid, sizeof print->cpuid, fault) &&
              read_text(root, "tunables", print->tunables, sizeof print->tunables, fault) &&
              read_producers(root, print, fault) &&
              read_pairs(root, "objects", "name", "build_id", &print->objects, fault) &&
              read_pairs(root, "ifuncs", "function", "variant", &print->ifuncs, fault);
    json_free(doc);
    return ok;
}

const struct budget_entry *ir_budget_entry(const struct budget *budget,
                                           const struct fingerprint *print, bool *ok,
                                           struct fault *fault)
{
    const struct budget_entry *found = NULL;
    struct fingerprint *stored = malloc(sizeof *stored);
    *ok = stored != NULL || fault_set(fault, "out of memory");
    for (size_t i = 0; *ok && found == NULL && i < budget->entry_count; i++) {
        *ok = read_fingerprint(&budget->entries[i], stored, fault);
        if (*ok && fingerprint_agrees(print, stored, false, NULL)) {
            found = &budget->entries[i];
        }
    }
    free(stored);
    return *ok ? found : NULL;
}

int64_t ir_budget_ops(const struct budget *budget, const char *name)
{
    for (size_t i = 0; i < budget->entry_count; i++) {
        const struct budget_row *row = budget_row_of(&budget->entries[i], name);
        if (row != NULL) {
            return row->ops;
        }
    }
    return 0;
}

bool ir_budget_side(const struct budget_entry *entry, const char *name, struct ir_side *side)
{
    const struct budget_row *row = entry != NULL ? budget_row_of(entry, name) : NULL;
    side->count = 0;
    if (row == NULL) {
        return false;
    }
    side->layouts[0] = (struct ir_layout){.layout = 0,
                                          .ops = row->ops,
                                          .total_ir = row->total_ir,
                                          .own_ir = row->own_ir,
                                          .allocs = row->allocs,
                                          .syscalls = row->syscalls,
                                          .empty_ir = row->empty_ir};
    side->count = 1;
    return true;
}

static struct budget_row median_row(const struct gate_path *path)
{
    int64_t totals[LAYOUTS_MAX];
    for (size_t i = 0; i < path->head.count; i++) {
        totals[i] = path->head.layouts[i].total_ir;
    }
    const struct ir_layout *at = &path->head.layouts[median_index(totals, path->head.count)];
    struct budget_row row = {.ops = at->ops,
                             .total_ir = at->total_ir,
                             .own_ir = at->own_ir,
                             .allocs = at->allocs,
                             .syscalls = at->syscalls,
                             .empty_ir = at->empty_ir};
    memcpy(row.name, path->name, sizeof row.name);
    return row;
}

// -1: every figure at or under the budget, one under; 0: all equal; 1: one is over.
static int compare(const struct gate_path *path, const struct ir_side *budget)
{
    struct ir_figures head = ir_figures(&path->head), base = ir_figures(budget);
    int order[] = {per_op_compare(head.total, base.total), per_op_compare(head.own, base.own),
                   per_op_compare(head.allocs, base.allocs),
                   per_op_compare(head.syscalls, base.syscalls)};
    int result = 0;
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        if (order[i] > 0) {
            return 1;
        }
        result = order[i] < 0 ? -1 : result;
    }
    return result;
}

static size_t *counter_of(struct ir_budget_changes *changes, bool known, int order, bool allowed)
{
    if (!known) {
        return &changes->recorded;
    }
    if (order > 0) {
        return allowed ? &changes->raised : &changes->kept;
    }
    return order < 0 ? &changes->lowered : &changes->equal;
}

// The stored conditions with what this run saw beside them.
static bool merged(const struct budget_entry *entry, const struct fingerprint *seen,
                   struct json_out *text, struct fault *fault)
{
    struct fingerprint *print = malloc(sizeof *print);
    bool ok = print != NULL || fault_set(fault, "out of memory");
    if (ok && entry != NULL) {
        ok = read_fingerprint(entry, print, fault);
        for (size_t i = 0; ok && i < seen->objects.count; i++) {
            (void)fingerprint_note(&print->objects, seen->objects.pairs[i].name,
                                   seen->objects.pairs[i].value);
        }
        for (size_t i = 0; ok && i < seen->ifuncs.count; i++) {
            (void)fingerprint_note(&print->ifuncs, seen->ifuncs.pairs[i].name,
                                   seen->ifuncs.pairs[i].value);
        }
    } else if (ok) {
        *print = *seen;
    }
    if (ok) {
        ir_fingerprint_put(text, NULL, print);
        ok = !text->is_failed || fault_set(fault, "out of memory");
    }
    free(print);
    return ok;
}

bool ir_budget_update(struct budget *budget, const struct gate_result *result, bool allow_increase,
                      struct ir_budget_changes *changes, struct fault *fault)
{
    struct json_out text = JSON_OUT_INIT;
    char id[129];
    bool ok = false;
    memset(changes, 0, sizeof *changes);
    const struct budget_entry *entry = ir_budget_entry(budget, &result->fingerprint, &ok, fault);
    if (!ok || !merged(entry, &result->fingerprint, &text, fault)) {
        json_out_release(&text);
        return false;
    }
    if (entry != NULL) {
        (void)strncpy(id, entry->id, sizeof id - 1);
        id[sizeof id - 1] = '\0';
    } else {
        ok = ir_fingerprint_id(&result->fingerprint, id);
    }
    for (size_t i = 0; ok && i < result->path_count; i++) {
        const struct gate_path *path = &result->paths[i];
        struct ir_side side;
        if (path->head.count == 0) {
            continue;
        }
        bool known = ir_budget_side(budget_find(budget, id), path->name, &side);
        int order = known ? compare(path, &side) : 0;
        size_t *counter = counter_of(changes, known, order, allow_increase);
        struct budget_row row = median_row(path);
        (*counter)++;
        if (counter != &changes->kept && counter != &changes->equal) {
            ok = budget_put(budget, id, text.text, &row, fault);
        }
    }
    json_out_release(&text);
    return ok;
}
