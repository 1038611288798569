// SPDX-License-Identifier: MIT
// Integers as they were told stand first; shares, rates, bands and the coarse bins are derived from
// them and never the only source.
#include "store/terrain_report.h"

#include <string.h>

#include "stats/terrain_cells.h"
#include "stats/terrain_figures.h"

static void put_count(struct json_out *out, const char *key, int64_t value)
{
    if (value >= 0) {
        json_put_i64(out, key, value);
    } else {
        json_put_null(out, key);
    }
}

static void put_integers(struct json_out *out, const char *key, const int64_t *items, size_t count)
{
    json_begin_array(out, key);
    for (size_t i = 0; i < count; i++) {
        json_put_i64(out, NULL, items[i]);
    }
    json_end_array(out);
}

static void put_head(struct json_out *out, const struct terrain_recording *r)
{
    json_put_text(out, "schema", TERRAIN_SCHEMA);
    json_put_text(out, "terrain", r->name);
    json_begin_array(out, "layers");
    for (size_t i = 0; i < r->layer_count; i++) {
        json_put_text(out, NULL, r->layers[i]);
    }
    json_end_array(out);
    json_put_text(out, "clock", r->clock);
    json_put_text(out, "regime", r->regime);
    json_put_bool(out, "is_stopped", r->is_stopped);
    json_put_text(out, "reason", r->reason);
    json_put_space(out, "\n");
    json_begin_array(out, "settings");
    for (size_t i = 0; i < r->setting_count; i++) {
        json_put_text(out, NULL, r->settings[i]);
    }
    json_end_array(out);
    json_put_space(out, "\n");
    json_begin_object(out, "calibration");
    json_put_i64(out, "granule_ns", r->granule_ns);
    json_put_i64(out, "clock_cost_ps", r->clock_cost_ps);
    json_put_i64(out, "floor_p50_ns", r->floor_p50_ns);
    json_put_i64(out, "floor_p99_ns", r->floor_p99_ns);
    json_end_object(out);
    json_begin_object(out, "warmup");
    json_put_i64(out, "calls", r->warmup.calls);
    json_put_i64(out, "dropped", r->warmup.dropped);
    json_put_i64(out, "unattributed", r->warmup.unattributed);
    put_integers(out, "n", r->warmup.n, r->layer_count);
    json_end_object(out);
}

static void put_rates(struct json_out *out, const char *key, int64_t calls, int64_t dropped,
                      int64_t late, int64_t ns)
{
    json_begin_object(out, key);
    json_put_fixed(out, "asked_per_s", terrain_rate_milli(calls + dropped, ns), 3);
    json_put_fixed(out, "achieved_per_s", terrain_rate_milli(calls, ns), 3);
    json_put_fixed(out, "dropped_per_s", terrain_rate_milli(dropped, ns), 3);
    json_put_fixed(out, "late_per_s", terrain_rate_milli(late, ns), 3);
    json_end_object(out);
}

static void put_totals(struct json_out *out, const struct terrain_recording *r)
{
    size_t busiest = terrain_busiest(r);
    int64_t ns =
        r->slice_count > 0 ? r->slices[r->slice_count - 1].end_ns - r->slices[0].start_ns : 0;
    json_put_space(out, "\n");
    json_begin_object(out, "totals");
    json_put_i64(out, "slices", r->end.slices);
    json_put_i64(out, "calls", r->end.calls);
    json_put_i64(out, "dropped", r->end.dropped);
    json_put_i64(out, "late", r->end.late);
    json_put_i64(out, "failed", r->end.failed);
    json_put_i64(out, "unattributed", r->end.unattributed);
    json_put_i64(out, "unserved", r->end.unserved);
    json_put_i64(out, "recorded_ns", ns);
    json_put_i64(out, "wall_ns", r->end.wall_ns);
    json_put_i64(out, "kit_ns", r->end.kit_ns);
    put_rates(out, "overall", r->end.calls, r->end.dropped, r->end.late, ns);
    if (busiest < r->slice_count) {
        const struct terrain_slice *s = &r->slices[busiest];
        json_put_i64(out, "busiest_slice", (int64_t)busiest);
        put_rates(out, "busiest", terrain_started(s), s->dropped, s->late, s->end_ns - s->start_ns);
    }
    json_end_object(out);
}

static void put_quantile(struct json_out *out, const char *key, const struct terrain_quantile *q)
{
    json_begin_object(out, key);
    put_count(out, "ns", q->ns);
    if (q->has_band) {
        put_count(out, "low_ns", q->low_ns);
        put_count(out, "high_ns", q->high_ns);
    }
    json_end_object(out);
}

struct bins {
    uint64_t counts[TERRAIN_BINS + 2];
};

static void add_to_bins(struct bins *bins, unsigned cell, uint64_t count)
{
    bins->counts[terrain_bin_of_cell(cell) + 1] += count;
}

// Pairs of bin and count; -1 and 112 are what lies below 100 ns and from 1 s on.
static void put_bins(struct json_out *out, const struct bins *bins)
{
    json_begin_array(out, "bins_16_per_decade");
    for (int i = 0; i < TERRAIN_BINS + 2; i++) {
        if (bins->counts[i] > 0) {
            json_put_i64(out, NULL, i - 1);
            json_put_i64(out, NULL, (int64_t)bins->counts[i]);
        }
    }
    json_end_array(out);
}

static void put_time(struct json_out *out, const struct terrain_recording *r, size_t row,
                     enum terrain_time time)
{
    uint64_t counts[TERRAIN_CELLS];
    const struct terrain_exact *exact = &r->exact[row][time];
    terrain_sum_cells(r, row, time, counts);
    struct terrain_quantile p50 = terrain_quantile_of(exact, 500, counts);
    struct terrain_quantile p99 = terrain_quantile_of(exact, 990, counts);
    json_put_space(out, "\n");
    json_begin_object(out, terrain_time_words[time]);
    json_put_i64(out, "n", exact->n);
    json_put_text(out, "from", exact->is_from_cells ? "cells" : "samples");
    put_quantile(out, "p50", &p50);
    put_quantile(out, "p99", &p99);
    // As told, for whoever checks the books; with few samples no quantile is to be read from them.
    put_integers(out, "raw_p50_p99_max_sum_ns",
                 (const int64_t[]){exact->p50_ns, exact->p99_ns, exact->max_ns, exact->sum_ns}, 4);
    struct bins bins = {{0}};
    for (unsigned cell = 0; cell < TERRAIN_CELLS; cell++) {
        add_to_bins(&bins, cell, counts[cell]);
    }
    put_bins(out, &bins);
    json_end_object(out);
}

static void put_rows(struct json_out *out, const struct terrain_recording *r)
{
    json_put_space(out, "\n");
    json_begin_array(out, "results");
    for (size_t row = 0; row <= r->layer_count; row++) {
        struct terrain_share share = terrain_share_of(r, row);
        json_put_space(out, "\n");
        json_begin_object(out, NULL);
        json_put_text(out, "layer", terrain_row_name(r, row));
        json_put_i64(out, "calls_ppm", share.calls_ppm);
        json_put_i64(out, "time_ppm", share.time_ppm);
        for (enum terrain_time time = TERRAIN_SERVICE; time < TERRAIN_TIMES; time++) {
            if (r->exact[row][time].n > 0) {
                put_time(out, r, row, time);
            }
        }
        json_end_object(out);
    }
    json_end_array(out);
}

// Cells of one layer and time of a slice.
static void put_piece(struct json_out *out, const struct terrain_recording *r,
                      const struct terrain_cell *cells, size_t count)
{
    struct bins bins = {{0}};
    json_begin_object(out, NULL);
    json_put_text(out, "layer", terrain_row_name(r, cells[0].row));
    json_put_text(out, "time", terrain_time_words[cells[0].time]);
    json_begin_array(out, "cell");
    for (size_t i = 0; i < count; i++) {
        json_put_i64(out, NULL, cells[i].cell);
    }
    json_end_array(out);
    json_begin_array(out, "count");
    for (size_t i = 0; i < count; i++) {
        json_put_i64(out, NULL, cells[i].count);
        add_to_bins(&bins, cells[i].cell, cells[i].count);
    }
    json_end_array(out);
    put_bins(out, &bins);
    json_end_object(out);
}

static void put_cells(struct json_out *out, const struct terrain_recording *r,
                      const struct terrain_slice *slice)
{
    const struct terrain_cell *cells = r->cells + slice->first_cell;
    json_begin_array(out, "cells");
    for (size_t at = 0, end; at < slice->cell_count; at = end) {
        end = at;
        while (end < slice->cell_count && cells[end].row == cells[at].row &&
               cells[end].time == cells[at].time) {
            end++;
        }
        put_piece(out, r, cells + at, end - at);
    }
    json_end_array(out);
}

static void put_slices(struct json_out *out, const struct terrain_recording *r)
{
    json_put_space(out, "\n");
    json_begin_array(out, "slices");
    for (size_t i = 0; i < r->slice_count; i++) {
        const struct terrain_slice *s = &r->slices[i];
        json_put_space(out, "\n");
        json_begin_object(out, NULL);
        json_put_i64(out, "start_ns", s->start_ns);
        json_put_i64(out, "end_ns", s->end_ns);
        json_put_i64(out, "asked", s->asked);
        json_put_i64(out, "dropped", s->dropped);
        json_put_i64(out, "late", s->late);
        json_put_i64(out, "failed", s->failed);
        json_put_i64(out, "unattributed", s->unattributed);
        put_integers(out, "n", s->n, r->layer_count);
        json_put_i64(out, "steal_ticks", s->steal_ticks);
        json_put_i64(out, "run_delay_ns", s->run_delay_ns);
        json_put_i64(out, "kit_ns", s->kit_ns);
        json_put_bool(out, "is_noisy", terrain_is_noisy(s));
        put_cells(out, r, s);
        json_end_object(out);
    }
    json_end_array(out);
}

static void put_zipf(struct json_out *out, const struct terrain_zipf *z)
{
    json_put_space(out, "\n");
    json_begin_object(out, "zipf");
    json_put_i64(out, "draws", z->draws);
    json_put_i64(out, "groups", z->groups);
    json_put_i64(out, "freedom", z->freedom);
    json_put_i64(out, "chi2_milli", z->chi2_milli);
    put_count(out, "p_ppm", z->p_ppm);
    put_integers(out, "top", z->top, z->top_count);
    put_integers(out, "asked_ppm", z->asked_ppm, z->top_count);
    put_integers(out, "drawn_ppm", z->drawn_ppm, z->top_count);
    json_end_object(out);
}

static void put_info(struct json_out *out, const char *key, const struct terrain_server_info *info)
{
    if (!info->is_known) {
        json_put_null(out, key);
        return;
    }
    json_begin_object(out, key);
    json_put_text(out, "version", info->version);
    json_put_text(out, "run_id", info->run_id);
    json_put_text(out, "maxmemory_policy", info->policy);
    json_put_i64(out, "keyspace_hits", info->hits);
    json_put_i64(out, "keyspace_misses", info->misses);
    json_put_i64(out, "connected_clients", info->clients);
    json_put_i64(out, "keys", info->keys);
    put_count(out, "total_error_replies", info->errors);
    put_count(out, "get_commands", info->gets);
    put_count(out, "foreign_commands", info->strangers);
    json_end_object(out);
}

static void put_server(struct json_out *out, const struct terrain_recording *r)
{
    json_put_space(out, "\n");
    json_begin_object(out, "server");
    json_put_text(out, "doubt", terrain_server_doubt(r));
    put_info(out, "before", &r->before);
    put_info(out, "after", &r->after);
    json_end_object(out);
}

static void put_books(struct json_out *out, const struct terrain_recording *r,
                      const struct terrain_books *books)
{
    json_put_space(out, "\n");
    json_begin_object(out, "books");
    json_begin_array(out, "counted");
    for (size_t i = 0; i < r->layer_count; i++) {
        json_begin_object(out, NULL);
        json_put_text(out, "layer", r->layers[i]);
        put_count(out, "calls", r->books[i].calls);
        put_count(out, "counted", r->books[i].counted);
        json_end_object(out);
    }
    json_end_array(out);
    if (r->loader.layer[0] != '\0') {
        json_begin_object(out, "loader");
        json_put_text(out, "layer", r->loader.layer);
        json_put_i64(out, "calls", r->loader.calls);
        json_put_i64(out, "runs", r->loader.runs);
        json_put_i64(out, "elsewhere", r->loader.elsewhere);
        json_put_i64(out, "ns", r->loader.ns);
        json_end_object(out);
    }
    json_begin_array(out, "told");
    for (size_t i = 0; i < r->count_count; i++) {
        json_begin_object(out, NULL);
        json_put_text(out, "name", r->counts[i].name);
        json_put_i64(out, "count", r->counts[i].count);
        json_end_object(out);
    }
    json_end_array(out);
    json_begin_array(out, "equations");
    for (size_t i = 0; i < books->count; i++) {
        const struct terrain_equation *e = &books->equations[i];
        json_put_space(out, "\n");
        json_begin_object(out, NULL);
        json_put_text(out, "what", e->what);
        json_put_i64(out, "left", e->left);
        put_count(out, "right", e->right);
        json_put_text(out, "is", e->right < 0 ? "unverified" : e->is_balanced ? "equal" : "wrong");
        json_end_object(out);
    }
    json_end_array(out);
    json_end_object(out);
    json_put_text(out, "verdict", terrain_books_verdict(books));
}

void terrain_put_body(struct json_out *out, const struct terrain_recording *r,
                      const struct terrain_books *books)
{
    json_begin_object(out, NULL);
    put_head(out, r);
    put_totals(out, r);
    put_rows(out, r);
    if (r->has_zipf) {
        put_zipf(out, &r->zipf);
    }
    if (r->has_values) {
        json_begin_object(out, "values");
        json_put_i64(out, "p50_bytes", r->values.p50_bytes);
        json_put_i64(out, "p95_bytes", r->values.p95_bytes);
        json_put_i64(out, "max_bytes", r->values.max_bytes);
        json_end_object(out);
    }
    if (r->has_server) {
        put_server(out, r);
    }
    put_books(out, r, books);
    put_slices(out, r);
    json_end_object(out);
}
