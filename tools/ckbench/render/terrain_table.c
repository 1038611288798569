// SPDX-License-Identifier: MIT
// Service and response stand on one line each, so that neither is read without the other.
#include "render/terrain_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "stats/terrain_cells.h"

const char *terrain_ns_text(char out[TERRAIN_TEXT_ROOM], int64_t ns)
{
    static const struct {
        int64_t unit;
        const char *name;
    } units[] = {{1, "ns"}, {1000, "us"}, {1000000, "ms"}, {1000000000, "s"}};
    size_t at = 0;
    while (at < 3 && ns >= 1000 * units[at].unit) {
        at++;
    }
    int64_t centis = at > 0 ? ns / (units[at].unit / 100) : ns * 100;
    if (at == 0 || centis >= 10000) {
        (void)snprintf(out, TERRAIN_TEXT_ROOM, "%" PRId64 " %s", centis / 100, units[at].name);
    } else if (centis >= 1000) {
        (void)snprintf(out, TERRAIN_TEXT_ROOM, "%" PRId64 ".%" PRId64 " %s", centis / 100,
                       centis % 100 / 10, units[at].name);
    } else {
        (void)snprintf(out, TERRAIN_TEXT_ROOM, "%" PRId64 ".%02" PRId64 " %s", centis / 100,
                       centis % 100, units[at].name);
    }
    return out;
}

const char *terrain_quantile_text(char out[TERRAIN_TEXT_ROOM * 2], const struct terrain_quantile *q)
{
    char ns[TERRAIN_TEXT_ROOM], low[TERRAIN_TEXT_ROOM], high[TERRAIN_TEXT_ROOM];
    if (q->ns < 0) {
        (void)snprintf(out, (size_t)TERRAIN_TEXT_ROOM * 2, "-");
    } else if (!q->has_band) {
        (void)terrain_ns_text(out, q->ns);
    } else {
        (void)snprintf(out, (size_t)TERRAIN_TEXT_ROOM * 2, "%.20s (%.20s to %.20s)",
                       terrain_ns_text(ns, q->ns),
                       q->low_ns < 0 ? "?" : terrain_ns_text(low, q->low_ns),
                       q->high_ns < 0 ? "?" : terrain_ns_text(high, q->high_ns));
    }
    return out;
}

const char *terrain_ppm_text(char out[TERRAIN_TEXT_ROOM], int64_t ppm)
{
    (void)snprintf(out, TERRAIN_TEXT_ROOM, "%" PRId64 ".%" PRId64 " %%", ppm / 10000,
                   ppm % 10000 / 1000);
    return out;
}

static const char *setting(const struct terrain_recording *r, const char *name)
{
    size_t len = strlen(name);
    for (size_t i = 0; i < r->setting_count; i++) {
        if (strncmp(r->settings[i], name, len) == 0 && r->settings[i][len] == '=') {
            return r->settings[i] + len + 1;
        }
    }
    return "?";
}

static void print_load(const struct terrain_recording *r, FILE *stream)
{
    const char *arrivals = setting(r, "arrivals");
    if (strcmp(setting(r, "trace"), "none") != 0 && strcmp(setting(r, "trace"), "?") != 0) {
        (void)fprintf(stream, "load: trace %s (%s), ", setting(r, "trace"), setting(r, "format"));
    } else {
        (void)fprintf(stream, "load: zipf %s over %s keys, ", setting(r, "zipf"),
                      setting(r, "keys"));
    }
    if (strcmp(arrivals, "closed") == 0 || strcmp(arrivals, "trace") == 0) {
        (void)fprintf(stream, "%s arrivals, ", arrivals);
    } else {
        (void)fprintf(stream, "%s arrivals at %s/s, ", arrivals, setting(r, "rate"));
    }
    (void)fprintf(stream, "late: %s, callers %s, seed %s\n", setting(r, "late"),
                  setting(r, "callers"), setting(r, "seed"));
}

static void print_head(const struct terrain_recording *r, FILE *stream)
{
    (void)fprintf(stream, "terrain %s, %s, %s time%s\n", r->name, r->regime, r->clock,
                  r->is_stopped ? "; STOPPED before its end, the recording is partial" : "");
    print_load(r, stream);
    (void)fprintf(stream, "layers: l1 of %s keys, ttl %s s; miss %s, simulated l2 %s\n",
                  setting(r, "l1_keys"), setting(r, "ttl"), setting(r, "miss_law"),
                  setting(r, "l2_law"));
    if (strcmp(r->clock, "real") == 0) {
        char p50[TERRAIN_TEXT_ROOM], p99[TERRAIN_TEXT_ROOM];
        (void)fprintf(stream,
                      "clock: steps of %" PRId64 " ns, %" PRId64 ".%" PRId64
                      " ns a read; a call that does nothing: p50 %s, p99 %s\n",
                      r->granule_ns, r->clock_cost_ps / 1000, r->clock_cost_ps % 1000 / 100,
                      terrain_ns_text(p50, r->floor_p50_ns), terrain_ns_text(p99, r->floor_p99_ns));
    }
    (void)fputc('\n', stream);
}

static void add_row(struct table *table, const struct terrain_recording *r, size_t row,
                    enum terrain_time time, uint64_t *counts)
{
    char text[TERRAIN_TEXT_ROOM * 2];
    const struct terrain_exact *exact = &r->exact[row][time];
    terrain_sum_cells(r, row, time, counts);
    struct terrain_quantile p50 = terrain_quantile_of(exact, 500, counts);
    struct terrain_quantile p99 = terrain_quantile_of(exact, 990, counts);
    struct terrain_share share = terrain_share_of(r, row);
    bool is_first = time == TERRAIN_SERVICE;
    table_add(table, "%s", is_first ? terrain_row_name(r, row) : "");
    if (is_first) {
        table_add(table, "%s", terrain_ppm_text(text, share.calls_ppm));
        table_add(table, "%s", terrain_ppm_text(text, share.time_ppm));
    } else {
        table_add(table, " ");
        table_add(table, " ");
    }
    table_add(table, "%s", terrain_time_words[time]);
    table_add(table, "%" PRId64, exact->n);
    table_add(table, "%s%s", terrain_quantile_text(text, &p50), exact->is_from_cells ? " <=" : "");
    table_add(table, "%s%s", terrain_quantile_text(text, &p99), exact->is_from_cells ? " <=" : "");
    table_add(table, "%s", terrain_ns_text(text, exact->max_ns));
}

static bool print_rows(const struct terrain_recording *r, FILE *stream, struct table_style style)
{
    static const struct table_column columns[] = {
        {"layer", TABLE_LEFT, false}, {"calls", TABLE_RIGHT, false}, {"time", TABLE_RIGHT, false},
        {"", TABLE_LEFT, false},      {"n", TABLE_RIGHT, false},     {"p50", TABLE_RIGHT, false},
        {"p99", TABLE_RIGHT, false},  {"max", TABLE_RIGHT, false}};
    struct table table;
    uint64_t *counts = malloc(TERRAIN_CELLS * sizeof *counts);
    table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (size_t row = 0; counts != NULL && row <= r->layer_count; row++) {
        for (enum terrain_time time = TERRAIN_SERVICE; time < TERRAIN_TIMES; time++) {
            if (time != TERRAIN_WAIT && r->exact[row][time].n > 0) {
                add_row(&table, r, row, time, counts);
            }
        }
    }
    bool is_good = counts != NULL && table_print(&table, stream, style);
    table_release(&table);
    free(counts);
    return is_good;
}

const char terrain_blind_remark[] = "late: drop samples service at the instants asked for; it does "
                                    "not see how long a backlog waits";

bool terrain_is_blind(const struct terrain_recording *r)
{
    return strcmp(setting(r, "late"), "drop") == 0 && terrain_has_time(r, TERRAIN_RESPONSE);
}

static void print_rate(FILE *stream, const char *title, int64_t calls, int64_t dropped,
                       int64_t late, int64_t ns)
{
    int64_t asked = terrain_rate_milli(calls + dropped, ns), done = terrain_rate_milli(calls, ns);
    (void)fprintf(stream,
                  "%s: asked %" PRId64 ".%" PRId64 "/s, achieved %" PRId64 ".%" PRId64
                  "/s, dropped %" PRId64 ", late %" PRId64 "\n",
                  title, asked / 1000, asked % 1000 / 100, done / 1000, done % 1000 / 100, dropped,
                  late);
}

static void print_rates(const struct terrain_recording *r, FILE *stream)
{
    size_t busiest = terrain_busiest(r), noisy = 0;
    if (r->slice_count == 0) {
        return;
    }
    const struct terrain_slice *b = &r->slices[busiest];
    print_rate(stream, "\noverall", r->end.calls, r->end.dropped, r->end.late,
               r->slices[r->slice_count - 1].end_ns - r->slices[0].start_ns);
    print_rate(stream, "busiest slice", terrain_started(b), b->dropped, b->late,
               b->end_ns - b->start_ns);
    for (size_t i = 0; i < r->slice_count; i++) {
        noisy += terrain_is_noisy(&r->slices[i]);
    }
    (void)fprintf(stream, "host noise: %zu of %zu slices marked, none left out\n", noisy,
                  r->slice_count);
    if (terrain_is_blind(r)) {
        (void)fprintf(stream, "%s\n", terrain_blind_remark);
    }
    if (r->end.unserved > 0) {
        (void)fprintf(stream,
                      "%" PRId64 " arrivals were not served: the load is more than the "
                      "terrain can bear\n",
                      r->end.unserved);
    }
}

static void print_books(const struct terrain_books *books, FILE *stream)
{
    (void)fprintf(stream, "books: %s, %zu equations, %zu wrong, %zu unverified\n",
                  terrain_books_verdict(books), books->count, books->wrong, books->unverified);
    for (size_t i = 0; i < books->count; i++) {
        const struct terrain_equation *e = &books->equations[i];
        if (e->right >= 0 && !e->is_balanced) {
            (void)fprintf(stream, "  wrong: %s: %" PRId64 ", %" PRId64 "\n", e->what, e->left,
                          e->right);
        } else if (e->right < 0) {
            (void)fprintf(stream, "  unverified: %s: %" PRId64 ", not told\n", e->what, e->left);
        }
    }
    if (books->unattributed > 0) {
        (void)fprintf(stream, "  %" PRId64 " calls that no layer can be said to have answered\n",
                      books->unattributed);
    }
}

static void print_server(const struct terrain_recording *r, FILE *stream)
{
    const char *doubt = terrain_server_doubt(r);
    if (doubt != NULL) {
        (void)fprintf(stream, "server: %s, so its counters prove nothing\n", doubt);
    }
    int64_t unsure = terrain_count_of(r, "l2_unsure") + terrain_count_of(r, "l2_unreleased");
    if (doubt == NULL && unsure > 0) {
        (void)fprintf(stream,
                      "server: what became of %" PRId64 " questions was not seen; it may or may "
                      "not have counted them\n",
                      unsure);
    }
    if (r->before.is_known && r->after.is_known) {
        (void)fprintf(stream,
                      "server: Redis %s, %" PRId64 " hits and %" PRId64
                      " misses during the run, %" PRId64 " keys before it\n",
                      r->after.version, r->after.hits - r->before.hits,
                      r->after.misses - r->before.misses, r->before.keys);
    }
}

static void print_zipf(const struct terrain_zipf *z, FILE *stream)
{
    char asked[TERRAIN_TEXT_ROOM], drawn[TERRAIN_TEXT_ROOM];
    (void)fprintf(stream, "zipf: %" PRId64 " draws", z->draws);
    if (z->p_ppm >= 0) {
        (void)fprintf(stream, ", chi-square p = 0.%06" PRId64,
                      z->p_ppm < 1000000 ? z->p_ppm : 999999);
    }
    for (size_t i = 0; i < z->top_count; i++) {
        (void)fprintf(stream, "%s top %" PRId64 " asked %s, drawn %s", i > 0 ? "," : ";", z->top[i],
                      terrain_ppm_text(asked, z->asked_ppm[i]),
                      terrain_ppm_text(drawn, z->drawn_ppm[i]));
    }
    (void)fputc('\n', stream);
}

bool terrain_print(const struct terrain_recording *r, const struct terrain_books *books,
                   FILE *stream, struct table_style style)
{
    print_head(r, stream);
    bool is_good = print_rows(r, stream, style);
    print_rates(r, stream);
    if (r->has_zipf) {
        print_zipf(&r->zipf, stream);
    }
    if (r->has_server) {
        print_server(r, stream);
    }
    print_books(books, stream);
    (void)fprintf(stream,
                  "p50 and p99 by nearest rank; with a band (95 %%) below %d samples, none "
                  "below %d\n",
                  TERRAIN_MANY, TERRAIN_FEW);
    return is_good;
}
