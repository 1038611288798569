// SPDX-License-Identifier: MIT
// What a terrain run answers, see README.md. Whole numbers only: who reads them adds them up.
#include "terrain_parts.h"

#include <math.h>
#include <unistd.h>

enum { CELLS_PER_LINE = 128 };

static void ckbench_terrain_line(struct ckbench_run *run, struct ckbench_line *line)
{
    (void)ckbench_line_send(line);
    run->lines++;
}

static const char *ckbench_layer_name(const struct ckbench_run *run, size_t layer)
{
    return layer < run->layers ? run->terrain->layers[layer] : "unattributed";
}

static size_t ckbench_times_of(const struct ckbench_run *run)
{
    return run->is_closed ? CKBENCH_WAIT : CKBENCH_TIMES;
}

static void ckbench_line_counts(struct ckbench_line *line, const uint64_t *n, size_t count)
{
    ckbench_line_list_begin(line, "n");
    for (size_t i = 0; i < count; i++) {
        ckbench_line_list_number(line, n[i]);
    }
    ckbench_line_list_end(line);
}

void ckbench_send_terrain_start(struct ckbench_run *run)
{
    const struct ckbench_wishes *wishes = &run->wishes;
    struct ckbench_line line;
    ckbench_line_begin(&line, "terrain_start");
    ckbench_line_text(&line, "terrain", run->terrain->name);
    ckbench_line_list_begin(&line, "layers");
    for (size_t i = 0; i < run->layers; i++) {
        (void)ckbench_line_list_item(&line, run->terrain->layers[i]);
    }
    ckbench_line_list_end(&line);
    ckbench_line_number(&line, "pid", run->clock.is_virtual ? 0 : (uint64_t)getpid());
    ckbench_line_text(&line, "clock", run->clock.is_virtual ? "virtual" : "real");
    ckbench_line_text(&line, "regime", run->is_closed ? "saturated" : "paced");
    ckbench_line_number(&line, "granule_ns", run->clock.granule_ns);
    ckbench_line_number(&line, "clock_cost_ps", run->clock.cost_ps);
    ckbench_line_number(&line, "seed", wishes->seed);
    ckbench_line_text(&line, "namespace", run->setup.name_space);
    ckbench_line_number(&line, "keys", run->setup.keys);
    ckbench_line_text(&line, "sampler",
                      run->source.trace.count > 0      ? "trace"
                      : run->source.zipf.alias != NULL ? "alias"
                                                       : "rejection-inversion");
    ckbench_line_bool(&line, "has_counters", run->has_counters);
    ckbench_line_number(&line, "floor_p50_ns", run->clock.floor_p50_ns);
    ckbench_line_number(&line, "floor_p99_ns", run->clock.floor_p99_ns);
    ckbench_line_wishes(&line, wishes);
    ckbench_terrain_line(run, &line);
}

static uint64_t ckbench_started(const struct ckbench_run *run)
{
    uint64_t sum = 0;
    for (size_t i = 0; i <= run->layers; i++) {
        sum += run->n[i];
    }
    return sum;
}

void ckbench_send_warmup(struct ckbench_run *run)
{
    struct ckbench_line line;
    ckbench_line_begin(&line, "warmup");
    ckbench_line_number(&line, "calls", ckbench_started(run));
    ckbench_line_number(&line, "dropped", run->dropped);
    ckbench_line_number(&line, "unattributed", run->n[run->layers]);
    ckbench_line_counts(&line, run->n, run->layers);
    ckbench_terrain_line(run, &line);
}

// Cells that hold something, from `*cell` on: as many as fit.
static void ckbench_send_cells(struct ckbench_run *run, const struct ckbench_slice *slice,
                               size_t layer, size_t time, size_t *cell)
{
    const uint32_t *cells = slice->rows[layer].cells[time];
    size_t picked[CELLS_PER_LINE], count = 0;
    for (; *cell < CKBENCH_CELLS && count < CELLS_PER_LINE; ++*cell) {
        if (cells[*cell] > 0) {
            picked[count++] = *cell;
        }
    }
    if (count == 0) {
        return;
    }
    struct ckbench_line line;
    ckbench_line_begin(&line, "cells");
    ckbench_line_number(&line, "slice", slice->index);
    ckbench_line_text(&line, "layer", ckbench_layer_name(run, layer));
    ckbench_line_text(&line, "time", ckbench_time_names[time]);
    ckbench_line_list_begin(&line, "cell");
    for (size_t i = 0; i < count; i++) {
        ckbench_line_list_number(&line, picked[i]);
    }
    ckbench_line_list_end(&line);
    ckbench_line_list_begin(&line, "count");
    for (size_t i = 0; i < count; i++) {
        ckbench_line_list_number(&line, cells[picked[i]]);
    }
    ckbench_line_list_end(&line);
    ckbench_terrain_line(run, &line);
}

void ckbench_send_slice(struct ckbench_run *run, const struct ckbench_slice *slice,
                        uint64_t steal_ticks, int64_t end_ns)
{
    struct ckbench_line line;
    ckbench_line_begin(&line, "slice");
    ckbench_line_number(&line, "index", slice->index);
    ckbench_line_number(&line, "start_ns", slice->index * (uint64_t)run->slice_ns);
    ckbench_line_number(&line, "end_ns", (uint64_t)end_ns);
    ckbench_line_number(&line, "asked", ckbench_slice_started(run, slice) + slice->dropped);
    ckbench_line_number(&line, "dropped", slice->dropped);
    ckbench_line_number(&line, "late", slice->late);
    ckbench_line_number(&line, "failed", slice->failed);
    ckbench_line_number(&line, "unattributed", slice->n[run->layers]);
    ckbench_line_number(&line, "steal_ticks", steal_ticks);
    ckbench_line_number(&line, "run_delay_ns", slice->run_delay_ns);
    ckbench_line_number(&line, "kit_ns", slice->kit_ns);
    ckbench_line_counts(&line, slice->n, run->layers);
    ckbench_terrain_line(run, &line);
    for (size_t layer = 0; layer <= run->layers; layer++) {
        for (size_t time = 0; slice->n[layer] > 0 && time < ckbench_times_of(run); time++) {
            for (size_t cell = 0; cell < CKBENCH_CELLS;) {
                ckbench_send_cells(run, slice, layer, time, &cell);
            }
        }
    }
}

static void ckbench_send_exact(struct ckbench_run *run, size_t layer, size_t time)
{
    struct ckbench_raw *raw = &run->raw[layer][time];
    struct ckbench_line line;
    raw->n = run->n[layer];
    ckbench_line_begin(&line, "exact");
    ckbench_line_text(&line, "layer", ckbench_layer_name(run, layer));
    ckbench_line_text(&line, "time", ckbench_time_names[time]);
    ckbench_line_text(&line, "from", ckbench_raw_is_whole(raw) ? "samples" : "cells");
    ckbench_line_number(&line, "n", raw->n);
    ckbench_line_number(&line, "p50_ns", ckbench_raw_quantile(raw, 0.5));
    ckbench_line_number(&line, "p99_ns", ckbench_raw_quantile(raw, 0.99));
    ckbench_line_number(&line, "max_ns", raw->max);
    ckbench_line_number(&line, "sum_ns", raw->sum);
    ckbench_terrain_line(run, &line);
}

static void ckbench_send_zipf(struct ckbench_run *run)
{
    const struct ckbench_zipf *zipf = &run->source.zipf;
    const struct ckbench_zipf_books *books = run->source.zipf_books;
    if (books == NULL || books->draws == 0) {
        return;
    }
    struct ckbench_certificate found = ckbench_zipf_judge(zipf, books);
    struct ckbench_line line;
    ckbench_line_begin(&line, "zipf");
    ckbench_line_number(&line, "draws", books->draws);
    ckbench_line_number(&line, "groups", found.groups);
    ckbench_line_number(&line, "freedom", found.groups > 0 ? found.groups - 1 : 0);
    ckbench_line_number(&line, "chi2_milli", (uint64_t)(found.chi2 * 1000 + 0.5));
    if (found.p >= 0) {
        ckbench_line_number(&line, "p_ppm", (uint64_t)(found.p * 1e6 + 0.5));
    }
    ckbench_line_list_begin(&line, "top");
    for (size_t i = 0; i < 4; i++) {
        ckbench_line_list_number(&line, ckbench_zipf_top[i]);
    }
    ckbench_line_list_end(&line);
    ckbench_line_list_begin(&line, "asked_ppm");
    for (size_t i = 0; i < 4; i++) {
        double share = ckbench_zipf_share_below(zipf, ckbench_zipf_top[i]);
        ckbench_line_list_number(&line, (uint64_t)(share * 1e6 + 0.5));
    }
    ckbench_line_list_end(&line);
    ckbench_line_list_begin(&line, "drawn_ppm");
    for (size_t i = 0; i < 4; i++) {
        double share = (double)books->top[i] / (double)books->draws;
        ckbench_line_list_number(&line, (uint64_t)(share * 1e6 + 0.5));
    }
    ckbench_line_list_end(&line);
    ckbench_terrain_line(run, &line);
}

// Sizes are counted in the cells of times: to 1/32 of an octave, the last size of the cell.
static uint64_t ckbench_value_quantile(const struct ckbench_source *source, uint64_t all, double q)
{
    uint64_t below = 0;
    for (unsigned cell = 0; cell < CKBENCH_CELLS; cell++) {
        below += source->value_counts[cell];
        if ((double)below >= q * (double)all) {
            uint64_t last = ckbench_cell_last(cell);
            return last < source->value_max ? last : source->value_max;
        }
    }
    return source->value_max;
}

static void ckbench_send_values(struct ckbench_run *run)
{
    uint64_t all = 0;
    for (size_t cell = 0; cell < CKBENCH_CELLS; cell++) {
        all += run->source.value_counts[cell];
    }
    struct ckbench_line line;
    ckbench_line_begin(&line, "values");
    ckbench_line_number(&line, "p50_bytes", ckbench_value_quantile(&run->source, all, 0.5));
    ckbench_line_number(&line, "p95_bytes", ckbench_value_quantile(&run->source, all, 0.95));
    ckbench_line_number(&line, "max_bytes", run->source.value_max);
    ckbench_terrain_line(run, &line);
}

static void ckbench_send_books(struct ckbench_run *run)
{
    struct ckbench_line line;
    for (size_t layer = 0; layer < run->layers; layer++) {
        ckbench_line_begin(&line, "books");
        ckbench_line_text(&line, "layer", ckbench_layer_name(run, layer));
        ckbench_line_number(&line, "calls", run->n[layer]);
        if (run->has_counters) {
            ckbench_line_number(&line, "counted", run->after[layer] - run->before[layer]);
        } else {
            ckbench_line_text(&line, "counted", NULL);
        }
        ckbench_terrain_line(run, &line);
    }
    if (run->miss >= 0) {
        ckbench_line_begin(&line, "loader");
        ckbench_line_text(&line, "layer", ckbench_layer_name(run, (size_t)run->miss));
        ckbench_line_number(&line, "calls", run->n[run->miss]);
        ckbench_line_number(&line, "runs", run->loads);
        ckbench_line_number(&line, "elsewhere", run->elsewhere);
        ckbench_line_number(&line, "ns", run->load_ns);
        ckbench_terrain_line(run, &line);
    }
}

static void ckbench_send_counts(struct ckbench_run *run)
{
    const struct ckbench_counts *counts = &run->counts;
    struct ckbench_line line;
    if (counts->n == 0) {
        return;
    }
    ckbench_line_begin(&line, "counts");
    ckbench_line_list_begin(&line, "name");
    for (size_t i = 0; i < counts->n; i++) {
        (void)ckbench_line_list_item(&line, counts->items[i].name);
    }
    ckbench_line_list_end(&line);
    ckbench_line_list_begin(&line, "count");
    for (size_t i = 0; i < counts->n; i++) {
        ckbench_line_list_number(&line, counts->items[i].count);
    }
    ckbench_line_list_end(&line);
    ckbench_terrain_line(run, &line);
}

static void ckbench_send_terrain_end(struct ckbench_run *run)
{
    struct ckbench_line line;
    ckbench_line_begin(&line, "terrain_end");
    ckbench_line_bool(&line, "stopped", run->reason >= CKBENCH_BY_SIGNAL);
    ckbench_line_text(&line, "reason", ckbench_reason_names[run->reason]);
    ckbench_line_number(&line, "slices", run->slices_sent);
    ckbench_line_number(&line, "calls", ckbench_started(run));
    ckbench_line_number(&line, "dropped", run->dropped);
    ckbench_line_number(&line, "late", run->late);
    ckbench_line_number(&line, "failed", run->failed);
    ckbench_line_number(&line, "unattributed", run->n[run->layers]);
    ckbench_line_number(&line, "unserved", run->source.unserved);
    ckbench_line_number(&line, "wall_ns", run->clock.is_virtual ? 0 : run->wall_ns);
    ckbench_line_number(&line, "kit_ns", run->kit_ns);
    ckbench_terrain_line(run, &line);
}

void ckbench_send_terrain_results(struct ckbench_run *run)
{
    for (size_t layer = 0; layer <= run->layers; layer++) {
        for (size_t time = 0; run->n[layer] > 0 && time < ckbench_times_of(run); time++) {
            ckbench_send_exact(run, layer, time);
        }
    }
    ckbench_source_count(&run->source);
    ckbench_send_zipf(run);
    ckbench_send_values(run);
    ckbench_send_books(run);
    ckbench_send_counts(run);
    ckbench_send_terrain_end(run);
}
