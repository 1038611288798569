// SPDX-License-Identifier: MIT
// Bands and quantiles are worked out again from the samples; the document must say the same.
#include "report_time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exit.h"
#include "cli/say.h"
#include "stats/bands.h"
#include "store/document.h"
#include "store/json.h"
#include "time_telling.h"

#define TIME_SCHEMA "ckbench/time/1"

struct timed_document {
    struct json_doc *doc;
    const struct json_value *body, *provenance;
    struct time_session session;
    struct time_telling telling;
};

// As many as `*count` says, unless that is 0; `*median` is of a call. The list is the run's to
// release.
static bool read_list(const struct json_value *list, uint64_t calls, int64_t **out, size_t *count,
                      double *median, struct fault *fault)
{
    size_t there = json_count(list), at = 0;
    double *per_call = malloc((there + 1) * sizeof *per_call);
    *out = malloc((there + 1) * sizeof **out);
    if (per_call == NULL || *out == NULL) {
        free(per_call);
        return json_fail(list, fault, "no memory");
    }
    bool ok = (there > 0 && (*count == 0 || *count == there)) ||
              json_fail(list, fault, "%zu samples", there);
    for (const struct json_value *v = json_first(list); ok && v != NULL; v = json_next(v), at++) {
        ok = json_as_i64(v, 0, JSON_SAFE_INTEGER, &(*out)[at], fault);
        per_call[at] = ok ? (double)(*out)[at] / (double)calls : 0.0;
    }
    if (ok) {
        *count = there;
        *median = median_of(per_call, there);
    }
    free(per_call);
    return ok;
}

static bool read_samples(const struct json_value *value, struct time_path *path, struct timed *run,
                         struct fault *fault)
{
    const struct json_value *list;
    size_t at = path->run_count;
    if (!json_want(value, "samples_wall_ns", JSON_ARRAY, &list, fault) ||
        !read_list(list, path->calls, &run->samples_ns, &run->sample_count, &path->medians_ns[at],
                   fault)) {
        return false;
    }
    return path->latency_medians_ns == NULL ||
           (json_want(value, "latencies_ns", JSON_ARRAY, &list, fault) &&
            read_list(list, path->calls, &run->latencies_ns, &run->sample_count,
                      &path->latency_medians_ns[at], fault));
}

// null where it was not to be had.
static bool read_peak_and_digest(const struct json_value *value, struct timed *run,
                                 struct fault *fault)
{
    static const struct json_text_rule rule = {.min = 16, .max = 16};
    const struct json_value *peak = json_find(value, "peak_rss_kib");
    const struct json_value *digest = json_find(value, "digest");
    const char *text = "";
    if ((peak == NULL || json_kind(peak) != JSON_NULL) &&
        !json_want_i64(value, "peak_rss_kib", 1, JSON_SAFE_INTEGER, &run->peak_rss_kib, fault)) {
        return false;
    }
    if ((digest == NULL || json_kind(digest) != JSON_NULL) &&
        !json_want_text(value, "digest", &rule, &text, fault)) {
        return false;
    }
    (void)snprintf(run->digest, sizeof run->digest, "%s", text);
    return true;
}

static bool read_run(const struct json_value *value, struct time_path *path, struct fault *fault)
{
    struct timed *run = &path->runs[path->run_count];
    const struct {
        const char *key;
        int64_t *to;
    } rows[] = {{"warmup_calls", &run->warmup},
                {"cpu_ns", &run->cpu_ns},
                {"wall_ns", &run->wall_ns},
                {"minor_faults", &run->minor_faults},
                {"major_faults", &run->major_faults},
                {"voluntary_switches", &run->voluntary_switches},
                {"involuntary_switches", &run->involuntary_switches}};
    if (!json_is(value, JSON_OBJECT, fault)) {
        return false;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!json_want_i64(value, rows[i].key, 0, JSON_SAFE_INTEGER, rows[i].to, fault)) {
            return false;
        }
    }
    bool ok = read_peak_and_digest(value, run, fault) && read_samples(value, path, run, fault);
    path->run_count++; // released either way
    return ok;
}

// NULL for null.
static bool read_name(const struct json_value *value, const char *key, const char **out,
                      struct fault *fault)
{
    static const struct json_text_rule rule = {.min = 1, .max = 64, .extra = "-"};
    const struct json_value *name = json_find(value, key);
    *out = NULL;
    return (name != NULL && json_kind(name) == JSON_NULL) ||
           json_want_text(value, key, &rule, out, fault);
}

static bool read_path(const struct json_value *value, bool has_threads, struct time_path *path,
                      struct fault *fault)
{
    const struct json_value *runs;
    int64_t calls = 0;
    if (!json_is(value, JSON_OBJECT, fault) ||
        !json_want_text(value, "name", &json_rule_name, &path->name, fault) ||
        !read_name(value, "shape", &path->shape, fault) ||
        !read_name(value, "operation", &path->operation, fault) ||
        !json_want_i64(value, "calls_per_sample", 1, JSON_SAFE_INTEGER, &calls, fault) ||
        !json_want(value, "runs", JSON_ARRAY, &runs, fault)) {
        return false;
    }
    path->calls = (uint64_t)calls;
    if (json_count(runs) < 2 || json_count(runs) > TIME_RUNS_MAX) {
        return json_fail(runs, fault, "%zu runs, wanted are 2 to %d", json_count(runs),
                         TIME_RUNS_MAX);
    }
    path->runs = calloc(json_count(runs), sizeof *path->runs);
    path->medians_ns = calloc(json_count(runs), sizeof *path->medians_ns);
    path->latency_medians_ns =
        has_threads ? calloc(json_count(runs), sizeof *path->latency_medians_ns) : NULL;
    if (path->runs == NULL || path->medians_ns == NULL ||
        (has_threads && path->latency_medians_ns == NULL)) {
        return json_fail(runs, fault, "no memory");
    }
    for (const struct json_value *v = json_first(runs); v != NULL; v = json_next(v)) {
        if (!read_run(v, path, fault)) {
            return false;
        }
    }
    return true;
}

static bool read_paths(struct timed_document *d, struct fault *fault)
{
    const struct json_value *paths;
    if (!json_want(d->body, "paths", JSON_ARRAY, &paths, fault)) {
        return false;
    }
    if (json_count(paths) < 1 || json_count(paths) > TIME_PATHS_MAX) {
        return json_fail(paths, fault, "%zu paths, wanted are 1 to %d", json_count(paths),
                         TIME_PATHS_MAX);
    }
    for (const struct json_value *v = json_first(paths); v != NULL; v = json_next(v)) {
        if (!read_path(v, d->session.settings.threads > 0,
                       &d->session.paths[d->session.path_count++], fault)) {
            return false;
        }
    }
    return true;
}

static bool read_settings(struct timed_document *d, struct fault *fault)
{
    int64_t samples = 0, warmup = 0, threads = 0, rate = 0;
    const struct json_value *against = json_find(d->body, "against");
    if (!json_want_i64(d->body, "clock_granule_ns", 1, JSON_SAFE_INTEGER, &d->session.granule_ns,
                       fault) ||
        !json_want_i64(d->body, "samples_per_run", 1, UINT32_MAX, &samples, fault) ||
        !json_want_i64(d->body, "warmup_calls_min", 0, JSON_SAFE_INTEGER, &warmup, fault) ||
        !json_may_i64(d->body, "threads", 1, UINT32_MAX, &threads, fault) ||
        !json_may_i64(d->body, "rate_per_s", 1, JSON_SAFE_INTEGER, &rate, fault)) {
        return false;
    }
    d->session.settings.samples = (unsigned)samples;
    d->session.settings.warmup = (uint64_t)warmup;
    d->session.settings.threads = (unsigned)threads;
    d->session.settings.rate = (uint64_t)rate;
    return (against != NULL && json_kind(against) == JSON_NULL) ||
           json_want_text(d->body, "against", &json_rule_name, &d->telling.against, fault);
}

static void keep_printable(char *out, size_t size, const char *text)
{
    (void)snprintf(out, size, "%s", text);
    for (; *out != '\0'; out++) {
        *out = *out < 0x20 || *out > 0x7e ? '?' : *out;
    }
}

static bool read_host(struct timed_document *d, struct fault *fault)
{
    struct host *host = &d->telling.host;
    const struct json_value *value;
    const char *cpu, *governor;
    int64_t cores = 0;
    static const struct json_text_rule rule = {.max = 4096, .is_free = true};
    if (!json_want(d->provenance, "host", JSON_OBJECT, &value, fault) ||
        !json_want_text(value, "cpu", &rule, &cpu, fault) ||
        !json_want_text(value, "governor", &rule, &governor, fault) ||
        !json_want_i64(value, "cores", 0, 1000000, &cores, fault) ||
        !json_want_i64(value, "load_milli", -1, JSON_SAFE_INTEGER, &host->load_milli, fault) ||
        !json_want_i64(value, "steal_milli", -1, 1000, &d->telling.steal_milli, fault)) {
        return false;
    }
    keep_printable(host->cpu, sizeof host->cpu, cpu);
    keep_printable(host->governor, sizeof host->governor, governor);
    host->cores = cores;
    struct throttle *throttled = &d->telling.throttled;
    return json_may_i64(value, "throttled_times", -1, JSON_SAFE_INTEGER, &throttled->times,
                        fault) &&
           json_may_i64(value, "throttled_us", -1, JSON_SAFE_INTEGER, &throttled->us, fault);
}

static bool check(const struct timed_document *d, struct fault *fault)
{
    struct json_out again = JSON_OUT_INIT;
    time_put_body(&again, &d->telling);
    bool ok = document_follows(d->body, &again, fault);
    json_out_release(&again);
    return ok;
}

static bool read_whole(const char *file, bool is_markdown, struct timed_document *d,
                       struct fault *fault)
{
    d->telling.session = &d->session;
    d->telling.is_markdown = is_markdown;
    d->telling.throttle.times = -1; // not said
    return document_read(file, TIME_SCHEMA, &d->doc, &d->body, &d->provenance, fault) &&
           read_settings(d, fault) && read_paths(d, fault) && read_host(d, fault) &&
           check(d, fault);
}

static bool show(const struct timed_document *d, struct fault *fault)
{
    time_print_host(&d->telling);
    return time_print_table(&d->telling, fault);
}

int report_time(const struct report_options *o, int argc, char **argv)
{
    (void)argc;
    (void)argv;
    struct fault fault;
    struct timed_document *d = calloc(1, sizeof *d);
    if (d == NULL) {
        return say_fail(EXIT_INCOMPLETE, "out of memory");
    }
    bool ok =
        read_whole(o->files.items[0], o->markdown, d, &fault) &&
        (o->json ? document_print_again(stdout, d->body, d->provenance, &fault) : show(d, &fault));
    time_session_release(&d->session);
    json_free(d->doc);
    free(d);
    return ok ? EXIT_GOOD : say_fault(EXIT_INCOMPLETE, &fault);
}
