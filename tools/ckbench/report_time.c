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

static bool read_samples(const struct json_value *value, struct time_path *path, struct timed *run,
                         struct fault *fault)
{
    const struct json_value *list;
    if (!json_want(value, "samples_wall_ns", JSON_ARRAY, &list, fault)) {
        return false;
    }
    size_t count = json_count(list);
    double *per_call = malloc((count + 1) * sizeof *per_call);
    run->samples_ns = malloc((count + 1) * sizeof *run->samples_ns);
    if (per_call == NULL || run->samples_ns == NULL) {
        free(per_call);
        return json_fail(list, fault, "no memory");
    }
    bool ok = true;
    for (const struct json_value *v = json_first(list); ok && v != NULL; v = json_next(v)) {
        ok = json_as_i64(v, 0, JSON_SAFE_INTEGER, &run->samples_ns[run->sample_count], fault);
        per_call[run->sample_count] =
            ok ? (double)run->samples_ns[run->sample_count] / (double)path->calls : 0.0;
        run->sample_count++;
    }
    ok = ok && (count > 0 || json_fail(list, fault, "no samples"));
    if (ok) {
        path->medians_ns[path->run_count] = median_of(per_call, count);
    }
    free(per_call);
    return ok;
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

static bool read_path(const struct json_value *value, struct time_path *path, struct fault *fault)
{
    const struct json_value *runs;
    int64_t calls = 0;
    if (!json_is(value, JSON_OBJECT, fault) ||
        !json_want_text(value, "name", &json_rule_name, &path->name, fault) ||
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
    if (path->runs == NULL || path->medians_ns == NULL) {
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
        if (!read_path(v, &d->session.paths[d->session.path_count++], fault)) {
            return false;
        }
    }
    return true;
}

static bool read_settings(struct timed_document *d, struct fault *fault)
{
    int64_t samples = 0, warmup = 0;
    const struct json_value *against = json_find(d->body, "against");
    if (!json_want_i64(d->body, "clock_granule_ns", 1, JSON_SAFE_INTEGER, &d->session.granule_ns,
                       fault) ||
        !json_want_i64(d->body, "samples_per_run", 1, UINT32_MAX, &samples, fault) ||
        !json_want_i64(d->body, "warmup_calls_min", 0, JSON_SAFE_INTEGER, &warmup, fault)) {
        return false;
    }
    d->session.settings.samples = (unsigned)samples;
    d->session.settings.warmup = (uint64_t)warmup;
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
    return true;
}

static bool check(const struct timed_document *d, struct fault *fault)
{
    struct json_out again = JSON_OUT_INIT;
    time_put_body(&again, &d->telling);
    bool ok = document_follows(d->body, &again, fault);
    json_out_release(&again);
    return ok;
}

static bool read_whole(const char *file, struct timed_document *d, struct fault *fault)
{
    d->telling.session = &d->session;
    return document_read(file, TIME_SCHEMA, &d->doc, &d->body, &d->provenance, fault) &&
           read_settings(d, fault) && read_paths(d, fault) && read_host(d, fault) &&
           check(d, fault);
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
    bool ok = read_whole(o->files.items[0], d, &fault) &&
              (o->json ? document_print_again(stdout, d->body, d->provenance, &fault)
                       : time_print_table(&d->telling, &fault));
    time_session_release(&d->session);
    json_free(d->doc);
    free(d);
    return ok ? EXIT_GOOD : say_fault(EXIT_INCOMPLETE, &fault);
}
