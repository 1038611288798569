// SPDX-License-Identifier: MIT
// A path of an ir report: integers within bounds, and facts that do not contradict them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/ir_reading.h"

enum { PATHS_MAX = 4096 };

static bool read_own(const struct json_value *object, int64_t *own, struct fault *fault)
{
    const struct json_value *value;
    *own = OWN_UNKNOWN;
    return ir_want_or_null(object, "own_ir", JSON_INTEGER, &value, fault) &&
           (value == NULL || json_as_i64(value, 0, JSON_SAFE_INTEGER, own, fault));
}

static bool read_layout(const struct json_value *value, struct ir_layout *l, struct fault *fault)
{
    const struct {
        const char *key;
        int64_t min, max, *to;
    } rows[] = {
        {"layout", 0, LAYOUTS_MAX - 1, &l->layout},
        {"ops", 1, JSON_SAFE_INTEGER, &l->ops},
        {"total_ir", 0, JSON_SAFE_INTEGER, &l->total_ir},
        {"allocs", 0, JSON_SAFE_INTEGER, &l->allocs},
        {"syscalls", 0, JSON_SAFE_INTEGER, &l->syscalls},
        {"empty_ir", 0, JSON_SAFE_INTEGER, &l->empty_ir},
    };
    if (!json_is(value, JSON_OBJECT, fault) || !read_own(value, &l->own_ir, fault)) {
        return false;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!json_want_i64(value, rows[i].key, rows[i].min, rows[i].max, rows[i].to, fault)) {
            return false;
        }
    }
    return true;
}

// The rule of medians holds for layouts of equally many calls, of which own is known of all or
// none.
static bool read_side(const struct json_value *path, const char *key, struct ir_side *side,
                      struct fault *fault)
{
    const struct json_value *object, *layouts;
    if (!ir_want_or_null(path, key, JSON_OBJECT, &object, fault)) {
        return false;
    }
    if (object == NULL) {
        return true;
    }
    if (!json_want(object, "layouts", JSON_ARRAY, &layouts, fault)) {
        return false;
    }
    if (json_count(layouts) < 1 || json_count(layouts) > LAYOUTS_MAX) {
        return json_fail(layouts, fault, "%zu layouts, wanted are 1 to %d", json_count(layouts),
                         LAYOUTS_MAX);
    }
    for (const struct json_value *v = json_first(layouts); v != NULL; v = json_next(v)) {
        struct ir_layout *l = &side->layouts[side->count];
        if (!read_layout(v, l, fault)) {
            return false;
        }
        if (l->ops != side->layouts[0].ops ||
            (l->own_ir == OWN_UNKNOWN) != (side->layouts[0].own_ir == OWN_UNKNOWN)) {
            return json_fail(v, fault, "other calls or another own_ir than the first layout's");
        }
        side->count++;
    }
    return true;
}

static bool read_policy(const struct json_value *path, struct ir_policy *p, struct fault *fault)
{
    static const char *const keys[] = {"accept_total", "accept_allocs", "accept_syscalls",
                                       "accept_gone", NULL};
    bool *const to[] = {&p->accept_total, &p->accept_allocs, &p->accept_syscalls, &p->accept_gone};
    const struct json_value *object;
    return json_want(path, "policy", JSON_OBJECT, &object, fault) &&
           ir_want_limits(object, &p->fail_mpct, &p->warn_mpct, fault) &&
           ir_want_flags(object, keys, to, fault);
}

static bool read_facts(const struct json_value *path, struct ir_case *c, struct fault *fault)
{
    static const char *const keys[] = {
        "incomparable", "gone", "has_base", "reads_input", "same_edges", "only_libc_moved", NULL};
    bool *const to[] = {&c->is_incomparable, &c->is_gone,    &c->has_base,
                        &c->reads_input,     &c->same_edges, &c->only_libc_moved};
    const struct json_value *object;
    return json_want(path, "facts", JSON_OBJECT, &object, fault) &&
           ir_want_flags(object, keys, to, fault);
}

static bool read_reasons(const struct json_value *value, struct gate_path *path,
                         struct fault *fault)
{
    const struct json_value *reasons;
    if (!json_want(value, "reasons", JSON_ARRAY, &reasons, fault)) {
        return false;
    }
    if (json_count(reasons) > GATE_REASONS) {
        return json_fail(reasons, fault, "more than %d reasons", GATE_REASONS);
    }
    for (const struct json_value *v = json_first(reasons); v != NULL; v = json_next(v)) {
        const char *text;
        if (!json_as_text(v, &ir_any_text, &text, fault)) {
            return false;
        }
        ir_keep(path->reasons[path->reason_count++], GATE_REASON, text);
    }
    return true;
}

static bool read_spread(const struct json_value *value, struct gate_path *path, struct fault *fault)
{
    const struct json_value *total, *own;
    if (!ir_want_or_null(value, "spread_ir", JSON_INTEGER, &total, fault) ||
        !ir_want_or_null(value, "spread_own_ir", JSON_INTEGER, &own, fault)) {
        return false;
    }
    path->has_spread = total != NULL && own != NULL;
    return !path->has_spread ||
           (json_as_i64(total, 0, JSON_SAFE_INTEGER, &path->spread_ir, fault) &&
            json_as_i64(own, 0, JSON_SAFE_INTEGER, &path->spread_own_ir, fault));
}

// Estimates; of their fraction thousandths are left.
static bool read_cycles(const struct json_value *value, struct gate_path *path, struct fault *fault)
{
    static const char *const keys[] = {"head_cycles_per_op", "base_cycles_per_op"};
    for (size_t i = 0; i < 2; i++) {
        const struct json_value *figure = json_find(value, keys[i]);
        int64_t milli = 0;
        bool is_null = figure != NULL && json_kind(figure) == JSON_NULL;
        if (!is_null && !json_may_milli(value, keys[i], 0, JSON_SAFE_INTEGER, &milli, fault)) {
            return false;
        }
        path->cycles[i] = (struct per_op){milli, 1000};
    }
    return true;
}

// A path that was measured has figures of head, unless head does not have it.
static bool check_sides(const struct json_value *value, const struct gate_path *path,
                        struct fault *fault)
{
    if (!path->is_error && path->facts.is_gone == (path->head.count > 0)) {
        return json_fail(value, fault, "%s",
                         path->facts.is_gone ? "gone, and has figures of head"
                                             : "no error, and no figures of head");
    }
    return path->facts.has_base || path->base.count == 0 ||
           json_fail(value, fault, "no budget, and has figures of base");
}

static bool read_path(const struct json_value *value, void *to, struct fault *fault)
{
    struct gate_path *path = to;
    const char *name;
    if (!json_is(value, JSON_OBJECT, fault) ||
        !json_want_text(value, "name", &json_rule_name, &name, fault)) {
        return false;
    }
    (void)snprintf(path->name, sizeof path->name, "%s", name);
    if (!ir_kept_or_null(value, "error", path->error.text, sizeof path->error.text, fault)) {
        return false;
    }
    path->is_error = json_kind(json_find(value, "error")) == JSON_TEXT;
    path->facts.is_error = path->is_error;
    return read_facts(value, &path->facts, fault) && read_policy(value, &path->policy, fault) &&
           read_side(value, "head", &path->head, fault) &&
           read_side(value, "base", &path->base, fault) && check_sides(value, path, fault) &&
           read_reasons(value, path, fault) && read_spread(value, path, fault) &&
           read_cycles(value, path, fault);
}

bool ir_read_paths(const struct json_value *body, struct gate_result *r, struct fault *fault)
{
    const struct json_value *paths;
    if (!json_want(body, "paths", JSON_ARRAY, &paths, fault)) {
        return false;
    }
    if (json_count(paths) > PATHS_MAX) {
        return json_fail(paths, fault, "more than %d paths", PATHS_MAX);
    }
    r->paths = calloc(json_count(paths) + 1, sizeof *r->paths);
    if (r->paths == NULL) {
        return json_fail(paths, fault, "no memory");
    }
    for (const struct json_value *v = json_first(paths); v != NULL; v = json_next(v)) {
        struct gate_path *path = &r->paths[r->path_count];
        if (!read_path(v, path, fault)) {
            return false;
        }
        if (r->path_count > 0 && strcmp(path[-1].name, path->name) >= 0) {
            return json_fail(v, fault, "%s is not sorted behind %s", path->name, path[-1].name);
        }
        r->path_count++;
    }
    return true;
}
