// SPDX-License-Identifier: MIT
// Figures are per call of the path. A figure that was not measured is a dash, never a zero.
#include "render/ir_table.h"

#include <inttypes.h>
#include <string.h>

#include "render/figure.h"

enum { COLUMNS_MAX = 13 };

static const struct table_column always[] = {
    {"path", TABLE_LEFT, true},     {"base", TABLE_RIGHT, false},
    {"head", TABLE_RIGHT, false},   {"change", TABLE_RIGHT, false},
    {"own", TABLE_RIGHT, false},    {"own change", TABLE_RIGHT, false},
    {"allocs", TABLE_RIGHT, false}, {"syscalls", TABLE_RIGHT, false},
    {"verdict", TABLE_LEFT, false},
};
static const struct table_column with_repeat[] = {
    {"spread", TABLE_RIGHT, false},
    {"own spread", TABLE_RIGHT, false},
};
static const struct table_column with_caches[] = {
    {"base cycles est.", TABLE_RIGHT, false},
    {"head cycles est.", TABLE_RIGHT, false},
};

static size_t choose_columns(const struct gate_settings *settings,
                             struct table_column columns[COLUMNS_MAX])
{
    size_t count = sizeof always / sizeof always[0];
    memcpy(columns, always, sizeof always);
    if (settings->repeat > 1) {
        memcpy(columns + count, with_repeat, sizeof with_repeat);
        count += sizeof with_repeat / sizeof with_repeat[0];
    }
    if (settings->cache_sim) {
        memcpy(columns + count, with_caches, sizeof with_caches);
        count += sizeof with_caches / sizeof with_caches[0];
    }
    return count;
}

static enum table_tone tone_of(enum ir_verdict verdict)
{
    switch (verdict) {
    case IR_OK:
    case IR_LOWER:
        return TABLE_GOOD;
    case IR_FAIL:
    case IR_GONE:
    case IR_ERROR:
    case IR_INCOMPARABLE:
        return TABLE_BAD;
    default:
        return TABLE_CAUTION;
    }
}

static void add_per(struct table *table, bool known, struct per_op figure)
{
    char text[FIGURE_SIZE];
    table_add(table, "%s", known ? figure_per(text, figure.num, figure.den) : "-");
}

static void add_delta(struct table *table, bool known, struct per_op head, struct per_op base)
{
    char text[FIGURE_SIZE];
    if (!known || base.num <= 0) {
        table_add(table, "-");
    } else {
        table_add(table, "%s%%", figure_fixed(text, per_op_delta_mpct(head, base), 3));
    }
}

// Own is exact, so its change is shown to one instruction.
static void add_own_change(struct table *table, bool known, const struct ir_figures *head,
                           const struct ir_figures *base)
{
    char text[FIGURE_SIZE];
    if (!known || head->own.num == OWN_UNKNOWN || base->own.num == OWN_UNKNOWN) {
        table_add(table, "-");
    } else if (head->own.den == base->own.den &&
               (head->own.num - base->own.num) % head->own.den == 0) {
        table_add(table, "%s",
                  figure_signed(text, (head->own.num - base->own.num) / head->own.den));
    } else {
        table_add(table, "%+.2f", per_op_value(head->own) - per_op_value(base->own));
    }
}

static void add_spread(struct table *table, const struct gate_path *path)
{
    char text[FIGURE_SIZE];
    bool own = path->head.count > 0 && path->head.layouts[0].own_ir != OWN_UNKNOWN;
    table_add(table, "%s",
              path->has_spread && !path->is_error ? figure_grouped(text, path->spread_ir) : "-");
    table_add(table, "%s",
              path->has_spread && !path->is_error && own ? figure_grouped(text, path->spread_own_ir)
                                                         : "-");
}

static void add_path(struct table *table, const struct gate_path *path,
                     const struct gate_settings *settings)
{
    const struct ir_judgement *j = &path->judgement;
    const struct ir_figures *head = &j->head_figures, *base = &j->base_figures;
    bool has_head = path->head.count > 0, has_base = path->base.count > 0;
    bool both = has_head && has_base;
    table_add(table, "%s", path->name);
    add_per(table, has_base, base->total);
    add_per(table, has_head, head->total);
    add_delta(table, both, head->total, base->total);
    add_per(table, has_head && head->own.num != OWN_UNKNOWN, head->own);
    add_own_change(table, both, head, base);
    add_per(table, has_head, head->allocs);
    add_per(table, has_head, head->syscalls);
    table_add_tone(table, tone_of(j->verdict), ir_verdict_name(j->verdict));
    if (settings->repeat > 1) {
        add_spread(table, path);
    }
    if (settings->cache_sim) {
        add_per(table, has_base && path->cycles[1].num > 0, path->cycles[1]);
        add_per(table, has_head && path->cycles[0].num > 0, path->cycles[0]);
    }
}

static void print_reasons(FILE *stream, const struct gate_result *result)
{
    for (size_t i = 0; i < result->path_count; i++) {
        const struct gate_path *path = &result->paths[i];
        if (!path->is_error && path->reason_count == 0) {
            continue;
        }
        enum ir_class class = path->judgement.class;
        (void)fprintf(stream, "\n%s: %s%s%s\n", path->name,
                      ir_verdict_name(path->judgement.verdict), class != IR_NONE ? ", class " : "",
                      class != IR_NONE ? ir_class_name(class) : "");
        if (path->is_error) {
            (void)fprintf(stream, "  %s\n", path->error.text);
        }
        for (size_t r = 0; r < path->reason_count; r++) {
            (void)fprintf(stream, "  %s\n", path->reasons[r]);
        }
    }
}

static void count_verdicts(const struct gate_result *result, size_t counts[IR_VERDICTS])
{
    memset(counts, 0, IR_VERDICTS * sizeof counts[0]);
    for (size_t i = 0; i < result->path_count; i++) {
        counts[result->paths[i].judgement.verdict]++;
    }
}

// What a person does next about budgets; a run with a base has none.
static void print_cure(FILE *stream, const size_t counts[IR_VERDICTS])
{
    if (counts[IR_NO_BUDGET] > 0) {
        (void)fputs("A path has no budget under these conditions: `ckbench ir --update`"
                    " records one.\n",
                    stream);
    }
    if (counts[IR_LOWER] > 0) {
        (void)fputs("`ckbench ir --update` lowers the budgets to what was measured.\n", stream);
    }
}

static void print_verdict(FILE *stream, const struct gate_result *result)
{
    static const char *const other[] = {"base", "committed budget", "itself, moved about"};
    size_t counts[IR_VERDICTS];
    const char *separator = ": ";
    count_verdicts(result, counts);
    (void)fprintf(stream,
                  "\nInstructions per call, median of %" PRId64
                  " heap layout%s, callgrind of valgrind %s; head against %s.\n",
                  result->settings.layouts, result->settings.layouts == 1 ? "" : "s",
                  result->fingerprint.valgrind, other[result->mode]);
    if (!result->is_proven) {
        (void)fprintf(stream, "The run could not prove itself: %s\n", result->unproven.text);
    }
    if (result->mode == GATE_BUDGET) {
        print_cure(stream, counts);
    }
    (void)fprintf(stream, "%s%s", ir_overall_name(result->overall),
                  result->overall == IR_FAILED && !result->complete ? " (incomplete)"
                  : result->is_adoption                             ? " (adoption)"
                                                                    : "");
    for (size_t v = 0; v < IR_VERDICTS; v++) {
        if (counts[v] > 0) {
            (void)fprintf(stream, "%s%zu %s", separator, counts[v],
                          ir_verdict_name((enum ir_verdict)v));
            separator = ", ";
        }
    }
    (void)fputc('\n', stream);
}

bool ir_table_print(FILE *stream, const struct gate_result *result, struct table_style style)
{
    struct table_column columns[COLUMNS_MAX];
    struct table table;
    table_init(&table, columns, choose_columns(&result->settings, columns));
    for (size_t i = 0; i < result->path_count; i++) {
        add_path(&table, &result->paths[i], &result->settings);
    }
    bool ok = table_print(&table, stream, style);
    table_release(&table);
    if (ok) {
        print_reasons(stream, result);
        print_verdict(stream, result);
    }
    return ok;
}
