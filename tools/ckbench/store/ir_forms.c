// SPDX-License-Identifier: MIT
// Sources of the two forms:
// github-action-benchmark, tools "customSmallerIsBetter": an array of objects with name, unit and
// value, optionally range and extra (README of
// github.com/benchmark-action/github-action-benchmark). Bencher Metric Format: benchmarks by name,
// each with measures by slug, each with value and optionally lower_value and upper_value
// (bencher.dev/docs/reference/bencher-metric-format).
#include "store/ir_forms.h"

#include <stdio.h>

#include "store/json_out.h"

struct metric {
    const char *slug, *unit;
    struct per_op figure;
    bool is_known;
};
enum { METRICS = 4 };

static void find_metrics(const struct gate_path *path, struct metric metrics[METRICS])
{
    const struct ir_figures *head = &path->judgement.head_figures;
    bool has_head = path->head.count > 0;
    metrics[0] = (struct metric){"instructions", "instructions/call", head->total, has_head};
    metrics[1] = (struct metric){"own-instructions", "instructions/call", head->own,
                                 has_head && head->own.num != OWN_UNKNOWN};
    metrics[2] = (struct metric){"allocations", "allocations/call", head->allocs, has_head};
    metrics[3] = (struct metric){"system-calls", "system calls/call", head->syscalls, has_head};
}

static void put_value(struct json_out *out, const char *key, struct per_op figure)
{
    int64_t whole = figure.num / figure.den, rest = figure.num % figure.den;
    json_put_fixed(out, key, whole * 1000 + rest * 1000 / figure.den, 3);
}

static void put_entry(struct json_out *out, const struct gate_path *path,
                      const struct metric *metric)
{
    char text[GATE_NAME + 32];
    json_put_space(out, "\n");
    json_begin_object(out, NULL);
    (void)snprintf(text, sizeof text, "%s: %s", path->name, metric->slug);
    json_put_text(out, "name", text);
    json_put_text(out, "unit", metric->unit);
    put_value(out, "value", metric->figure);
    (void)snprintf(text, sizeof text, "gate: %s", ir_verdict_name(path->judgement.verdict));
    json_put_text(out, "extra", text);
    json_end_object(out);
}

void ir_form_action_benchmark(struct json_out *out, const struct gate_merge *merge)
{
    json_begin_array(out, NULL);
    for (size_t i = 0; i < merge->path_count; i++) {
        struct metric metrics[METRICS];
        find_metrics(merge->paths[i], metrics);
        for (size_t m = 0; m < METRICS; m++) {
            if (metrics[m].is_known) {
                put_entry(out, merge->paths[i], &metrics[m]);
            }
        }
    }
    json_put_space(out, "\n");
    json_end_array(out);
    json_end_text(out);
}

// The range of the total over the layouts.
static void put_range(struct json_out *out, const struct ir_side *side)
{
    int64_t low = 0, high = 0;
    for (size_t i = 0; i < side->count; i++) {
        int64_t net = side->layouts[i].total_ir - side->layouts[i].empty_ir;
        low = i == 0 || net < low ? net : low;
        high = i == 0 || net > high ? net : high;
    }
    put_value(out, "lower_value", (struct per_op){low, side->layouts[0].ops});
    put_value(out, "upper_value", (struct per_op){high, side->layouts[0].ops});
}

void ir_form_bencher(struct json_out *out, const struct gate_merge *merge)
{
    json_begin_object(out, NULL);
    for (size_t i = 0; i < merge->path_count; i++) {
        struct metric metrics[METRICS];
        find_metrics(merge->paths[i], metrics);
        if (!metrics[0].is_known) {
            continue;
        }
        json_put_space(out, "\n");
        json_begin_object(out, merge->paths[i]->name);
        for (size_t m = 0; m < METRICS; m++) {
            if (!metrics[m].is_known) {
                continue;
            }
            json_begin_object(out, metrics[m].slug);
            put_value(out, "value", metrics[m].figure);
            if (m == 0) {
                put_range(out, &merge->paths[i]->head);
            }
            json_end_object(out);
        }
        json_end_object(out);
    }
    json_put_space(out, "\n");
    json_end_object(out);
    json_end_text(out);
}
