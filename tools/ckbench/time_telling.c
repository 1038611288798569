// SPDX-License-Identifier: MIT
// A quantile of calls is shown from so many samples and runs on that it says more than chance.
#include "time_telling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/term.h"
#include "render/table.h"
#include "stats/bands.h"
#include "store/time_report.h"

enum { QUANTILE_RUNS = 10 };

static const double LEVEL = 0.05, LOADED_MILLI = 500.0;

#define STARTED_WORDS  ", once its thread runs"
#define INTENDED_WORDS ", from its intended start"

static const struct quantile {
    const char *key, *title;
    double share;
    size_t samples; // of all runs, at least
} quantiles[] = {{"p95_ns", "p95 ns", 0.95, 400}, {"p99_ns", "p99 ns", 0.99, 2000}};
enum { QUANTILES = sizeof quantiles / sizeof quantiles[0] };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static size_t sample_count(const struct time_path *path)
{
    size_t count = 0;
    for (size_t run = 0; run < path->run_count; run++) {
        count += path->runs[run].sample_count;
    }
    return count;
}

// With threads there are two figures of each call: from when its thread ran, and from when it was
// meant to.
enum since { STARTED, INTENDED };

static const int64_t *samples_of(const struct timed *run, enum since since)
{
    return since == STARTED ? run->samples_ns : run->latencies_ns;
}

static const double *medians_of(const struct time_path *path, enum since since)
{
    return since == STARTED ? path->medians_ns : path->latency_medians_ns;
}

// All samples per call, sorted. NULL: no memory.
static double *sorted_samples(const struct time_path *path, enum since since)
{
    size_t at = 0;
    double *all = malloc((sample_count(path) + 1) * sizeof *all);
    for (size_t run = 0; all != NULL && run < path->run_count; run++) {
        for (size_t i = 0; i < path->runs[run].sample_count; i++) {
            all[at++] = (double)samples_of(&path->runs[run], since)[i] / (double)path->calls;
        }
    }
    if (all != NULL) {
        qsort(all, at, sizeof *all, compare);
    }
    return all;
}

// NAN: too few samples or runs to say.
static double quantile_of(const struct time_path *path, const double *sorted,
                          const struct quantile *quantile)
{
    size_t count = sample_count(path);
    return path->run_count >= QUANTILE_RUNS && count >= quantile->samples && sorted != NULL
               ? nearest_rank(sorted, count, quantile->share)
               : (double)NAN;
}

static const struct time_path *reference_of(const struct time_telling *t)
{
    for (size_t i = 0; t->against != NULL && i < t->session->path_count; i++) {
        if (strcmp(t->session->paths[i].name, t->against) == 0) {
            return &t->session->paths[i];
        }
    }
    return NULL;
}

static void put_or_null(struct json_out *out, const char *key, double ns)
{
    if (isnan(ns)) {
        json_put_null(out, key);
    } else {
        time_put_ns(out, key, ns);
    }
}

static void put_band(struct json_out *out, const char *key, const struct band *band)
{
    json_begin_object(out, key);
    time_put_ns(out, "mean_ns", band->middle);
    time_put_ns(out, "low_ns", band->low);
    time_put_ns(out, "high_ns", band->high);
    json_end_object(out);
}

static void put_runs(struct json_out *out, const struct time_path *path)
{
    json_begin_array(out, "runs");
    for (size_t i = 0; i < path->run_count; i++) {
        const struct timed *r = &path->runs[i];
        const struct time_row_run row = {r->warmup,
                                         r->cpu_ns,
                                         r->wall_ns,
                                         r->minor_faults,
                                         r->major_faults,
                                         r->voluntary_switches,
                                         r->involuntary_switches,
                                         r->peak_rss_kib,
                                         r->digest,
                                         r->samples_ns,
                                         r->latencies_ns,
                                         r->sample_count};
        time_put_run(out, &row);
    }
    json_end_array(out);
}

static struct band difference_of(const struct time_path *reference, const struct time_path *path,
                                 enum since since)
{
    return band_welch(medians_of(reference, since), reference->run_count, medians_of(path, since),
                      path->run_count, LEVEL);
}

static void put_figures(struct json_out *out, const struct time_telling *t,
                        const struct time_path *path, enum since since)
{
    const struct time_path *reference = reference_of(t);
    double *sorted = sorted_samples(path, since);
    struct band band = band_of(medians_of(path, since), path->run_count, LEVEL);
    put_band(out, "per_call", &band);
    for (size_t i = 0; i < QUANTILES; i++) {
        put_or_null(out, quantiles[i].key, quantile_of(path, sorted, &quantiles[i]));
    }
    if (reference != NULL && reference != path) {
        struct band apart = difference_of(reference, path, since);
        put_band(out, "difference", &apart);
    }
    free(sorted);
}

static void put_path(struct json_out *out, const struct time_telling *t,
                     const struct time_path *path)
{
    json_put_space(out, "\n");
    json_begin_object(out, NULL);
    json_put_text(out, "name", path->name);
    json_put_text(out, "shape", path->shape);
    json_put_text(out, "operation", path->operation);
    json_put_i64(out, "calls_per_sample", (int64_t)path->calls);
    put_figures(out, t, path, STARTED);
    if (t->session->settings.threads > 0) {
        json_begin_object(out, "from_intended_start");
        put_figures(out, t, path, INTENDED);
        json_end_object(out);
    }
    put_runs(out, path);
    json_end_object(out);
}

void time_put_body(struct json_out *out, const struct time_telling *t)
{
    const struct time_session *s = t->session;
    json_begin_object(out, NULL);
    json_put_text(out, "schema", "ckbench/time/1");
    json_put_i64(out, "clock_granule_ns", s->granule_ns);
    json_put_i64(out, "samples_per_run", s->settings.samples);
    json_put_i64(out, "warmup_calls_min", (int64_t)s->settings.warmup);
    if (s->settings.threads > 0) {
        json_put_i64(out, "threads", s->settings.threads);
        json_put_i64(out, "rate_per_s", (int64_t)s->settings.rate);
    }
    json_put_text(out, "against", t->against);
    json_begin_array(out, "paths");
    for (size_t i = 0; i < s->path_count; i++) {
        put_path(out, t, &s->paths[i]);
    }
    json_end_array(out);
    json_end_object(out);
}

static void add_quantile(struct table *table, double ns)
{
    if (isnan(ns)) {
        table_add(table, "-");
    } else {
        table_add(table, "%.1f", ns);
    }
}

static void add_name(struct table *table, const struct time_telling *t,
                     const struct time_path *path, enum since since)
{
    const char *const words[] = {STARTED_WORDS, INTENDED_WORDS};
    bool has_shape = path->shape != NULL, has_operation = path->operation != NULL;
    table_add(table, "%s%s%s%s%s%s", path->name, has_shape ? " " : "", has_shape ? path->shape : "",
              has_operation ? " " : "", has_operation ? path->operation : "",
              t->session->settings.threads > 0 ? words[since] : "");
}

static void add_path(struct table *table, const struct time_telling *t,
                     const struct time_path *path, enum since since)
{
    const struct time_path *reference = reference_of(t);
    double *sorted = sorted_samples(path, since);
    struct band band = band_of(medians_of(path, since), path->run_count, LEVEL);
    add_name(table, t, path, since);
    table_add(table, "%.1f", band.middle);
    table_add(table, "%.1f to %.1f", band.low, band.high);
    for (size_t i = 0; i < QUANTILES; i++) {
        add_quantile(table, quantile_of(path, sorted, &quantiles[i]));
    }
    if (reference == NULL || reference == path) {
        table_add(table, "-");
    } else {
        struct band apart = difference_of(reference, path, since);
        table_add(table, "%+.1f (%+.1f to %+.1f)", apart.middle, apart.low, apart.high);
    }
    table_add(table, "%zu x %zu x %llu", path->run_count,
              path->run_count > 0 ? path->runs[0].sample_count : 0,
              (unsigned long long)path->calls);
    free(sorted);
}

void time_print_host(const struct time_telling *t)
{
    char throttled[48] = "throttling unknown";
    bool is_loaded = (double)t->host.load_milli > LOADED_MILLI * (double)t->host.cores;
    if (t->throttle.times >= 0) {
        (void)snprintf(throttled, sizeof throttled, "throttled %lld times so far",
                       (long long)t->throttle.times);
    }
    (void)printf("host: %s, %ld cores, load %.2f%s, governor %s, clock steps of %lld ns, %s\n",
                 t->host.cpu, t->host.cores, (double)t->host.load_milli / 1000.0,
                 is_loaded ? " (LOADED: figures will be wide and too high)" : "",
                 t->host.governor[0] != '\0' ? t->host.governor : "unknown",
                 (long long)t->session->granule_ns, throttled);
    (void)fflush(stdout);
}

static void print_meanwhile(const struct time_telling *t)
{
    if (t->steal_milli >= 0) {
        (void)printf("Meanwhile %.1f %% of the time was stolen by the hypervisor.\n",
                     (double)t->steal_milli / 10.0);
    }
    if (t->throttled.times > 0) {
        (void)printf("THROTTLED: %lld times meanwhile, for %.1f ms in all.\n",
                     (long long)t->throttled.times, (double)t->throttled.us / 1000.0);
    }
}

bool time_print_table(const struct time_telling *t, struct fault *fault)
{
    static const struct table_column columns[] = {{"path", TABLE_LEFT, false},
                                                  {"ns per call", TABLE_RIGHT, false},
                                                  {"95 % band", TABLE_RIGHT, false},
                                                  {"p95 ns", TABLE_RIGHT, false},
                                                  {"p99 ns", TABLE_RIGHT, false},
                                                  {"against", TABLE_RIGHT, false},
                                                  {"runs x samples x calls", TABLE_RIGHT, false}};
    struct table table;
    (void)printf("\n");
    table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < t->session->path_count; i++) {
        add_path(&table, t, &t->session->paths[i], STARTED);
        if (t->session->settings.threads > 0) {
            add_path(&table, t, &t->session->paths[i], INTENDED);
        }
    }
    const struct table_style style = {.has_color = false, .columns = term_columns(stdout)};
    bool is_printed =
        t->is_markdown ? table_print_markdown(&table, stdout) : table_print(&table, stdout, style);
    bool is_good = is_printed || fault_set(fault, "no memory");
    table_release(&table);
    (void)printf(
        "\nMean of the medians of independent runs, wall clock, with Student's band; a run "
        "is the unit.\nQuantiles are of samples, means over their calls; shown from %d runs "
        "and %zu (p95) or %zu (p99) samples on.\n",
        QUANTILE_RUNS, quantiles[0].samples, quantiles[1].samples);
    if (t->session->settings.threads > 0) {
        (void)printf(
            "Single calls by %u threads, meant to start at instants of a Poisson process of "
            "%llu a second; each holds one reading\nof the clock.\n",
            t->session->settings.threads, (unsigned long long)t->session->settings.rate);
    }
    print_meanwhile(t);
    return is_good;
}
