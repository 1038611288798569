// SPDX-License-Identifier: MIT
// `ckbench time`: run-level wall clock of paths. Many processes, each warmed up and sampled;
// whether a claim of speed holds is for `ckbench ab` to say.
#include "verb.h"

#include <stdlib.h>
#include <string.h>

#include "cli/exit.h"
#include "cli/opt.h"
#include "cli/progress.h"
#include "cli/say.h"
#include "cli/term.h"
#include "cli/tool.h"
#include "measure/interrupt.h"
#include "measure/scratch.h"
#include "measure/subject_list.h"
#include "measure/time_session.h"
#include "store/checkout.h"
#include "store/document.h"
#include "store/json_out.h"
#include "store/provenance.h"
#include "time_telling.h"

enum { MINUTE_MS = 60000 };

struct time_options {
    struct opt_texts paths;
    const char *against;
    const char *shape;
    const char *operation;
    unsigned runs;
    unsigned samples;
    uint64_t warmup;
    uint64_t calls;
    unsigned threads;
    uint64_t rate;
    int64_t child_timeout_ms;
    const char *subject;
    const char *report;
    bool json;
    bool markdown;
};

static const struct time_options time_defaults = {
    .runs = 5, .samples = 200, .warmup = 5000, .child_timeout_ms = 5 * MINUTE_MS};

static const struct opt time_rows[] = {
    OPT_TEXTS(struct time_options, paths, "path", 'p', TIME_PATHS_MAX, "NAME", "time this path"),
    OPT_TEXT(struct time_options, against, "against", 0, "NAME",
             "a path to compare the others with, in turns with them"),
    OPT_TEXT(struct time_options, shape, "shape", 0, "NAME", "the paths' input"),
    OPT_TEXT(struct time_options, operation, "op", 0, "NAME", "what the paths do"),
    OPT_COUNT(struct time_options, runs, "runs", 0, 2, TIME_RUNS_MAX, "K",
              "independent processes per path"),
    OPT_COUNT(struct time_options, samples, "samples", 0, 5, 1000000, "N", "samples per run"),
    OPT_U64(struct time_options, warmup, "warmup", 0, 1000, 1000000000, "N",
            "calls before the first sample: N at least, 2 N at most, until they are steady"),
    OPT_U64(struct time_options, calls, "calls", 0, 1, 1000000000, "N",
            "calls per sample; default: as many as 100 steps of the clock take"),
    OPT_COUNT(struct time_options, threads, "threads", 0, 1, 64, "T",
              "samples are single calls, made by so many threads; with --rate"),
    OPT_U64(struct time_options, rate, "rate", 0, 1, 10000000, "R",
            "so many calls a second are meant to start, at random instants; what a call takes once "
            "its thread runs, and its latency from that instant, are both told"),
    OPT_MINUTES(struct time_options, child_timeout_ms, "child-timeout", 0, 1, 24 * 60 * MINUTE_MS,
                "give up on a run after so long"),
    OPT_PATH(struct time_options, subject, "subject", 0, "FILE",
             "the program to measure; default: the one that ckbench.json names"),
    OPT_PATH(struct time_options, report, "report", 0, "FILE", "write the whole result as JSON"),
    OPT_FLAG(struct time_options, json, "json", 0, "print the result as one JSON document"),
    OPT_FLAG(struct time_options, markdown, "markdown", 0, "print the table as Markdown"),
};

static const struct opt_table time_table = {
    .verb = "time",
    .about = "time calls of paths, run by run",
    .rows = time_rows,
    .row_count = OPT_ROWS(time_rows),
    .defaults = &time_defaults,
    .size = sizeof time_defaults,
    .exits = "0 measured; 2 usage; 3 could not measure; 130, 143 interrupted",
    .example = "ckbench time --path l1_hit --path decode_users",
};

struct timing {
    const struct time_options *options;
    int argc;
    char **argv;
    struct time_session session;
    struct time_telling telling;
    struct progress progress;
};

static void draw(void *context, size_t done, size_t all)
{
    (void)all;
    progress_step(context, done, "runs");
}

// The word that a path takes, NULL for one that takes none. False: it takes another.
static bool choose_word(const struct subject_names *names, const char *asked, const char *option,
                        const char *path, const char **out, struct fault *fault)
{
    *out = NULL;
    for (size_t i = 0; i < names->count; i++) {
        if (asked != NULL && strcmp(names->items[i], asked) == 0) {
            *out = asked;
        }
    }
    return names->count == 0 || *out != NULL ||
           fault_set(fault, "%s needs %s, one of those that ckbench list shows", path, option);
}

static bool add_path(struct timing *t, const struct subject *subject, const char *name,
                     struct fault *fault)
{
    struct time_session *s = &t->session;
    const struct subject_path *path = subject_find(subject, name);
    if (path == NULL) {
        return fault_set(fault, "%s has no path %s: ckbench list shows what it has", subject->file,
                         name);
    }
    if (t->options->threads > 1 && !path->threads) {
        return fault_set(fault, "%s is not for several threads at once: leave out --threads", name);
    }
    for (size_t i = 0; i < s->path_count; i++) {
        if (strcmp(s->paths[i].name, name) == 0) {
            return true;
        }
    }
    if (s->path_count == TIME_PATHS_MAX) {
        return fault_set(fault, "more than %d paths", TIME_PATHS_MAX);
    }
    struct time_path *added = &s->paths[s->path_count++];
    *added = (struct time_path){.name = name};
    return choose_word(&path->shapes, t->options->shape, "--shape", name, &added->shape, fault) &&
           choose_word(&path->operations, t->options->operation, "--op", name, &added->operation,
                       fault);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct time_path *)a)->name, ((const struct time_path *)b)->name);
}

// A shape or an operation that no path takes is a mistake.
static bool is_used(const struct timing *t, struct fault *fault)
{
    const struct time_session *s = &t->session;
    bool has_shape = t->options->shape == NULL, has_operation = t->options->operation == NULL;
    for (size_t i = 0; i < s->path_count; i++) {
        has_shape = has_shape || s->paths[i].shape != NULL;
        has_operation = has_operation || s->paths[i].operation != NULL;
    }
    return (has_shape && has_operation) ||
           fault_set(fault, "none of these paths has %s: leave out %s",
                     has_shape ? "operations" : "shapes", has_shape ? "--op" : "--shape");
}

static bool choose_paths(struct timing *t, const struct subject *subject, struct fault *fault)
{
    const struct opt_texts *paths = &t->options->paths;
    if (t->options->against != NULL && !add_path(t, subject, t->options->against, fault)) {
        return false;
    }
    for (size_t i = 0; i < paths->count; i++) {
        if (!add_path(t, subject, paths->items[i], fault)) {
            return false;
        }
    }
    qsort(t->session.paths, t->session.path_count, sizeof t->session.paths[0], by_name);
    return is_used(t, fault);
}

static void build_documents(const struct timing *t, struct json_out *body,
                            struct json_out *provenance)
{
    const struct provenance_tool tool = {
        .version = tool_version(), .commit = tool_commit(), .argc = t->argc, .argv = t->argv};
    const struct host *host = &t->telling.host;
    time_put_body(body, &t->telling);
    json_begin_object(provenance, NULL);
    provenance_put_tool(provenance, &tool);
    json_begin_object(provenance, "host");
    json_put_text(provenance, "cpu", host->cpu);
    json_put_i64(provenance, "cores", host->cores);
    json_put_text(provenance, "kernel", host->kernel);
    json_put_text(provenance, "libc", host->libc);
    json_put_text(provenance, "governor", host->governor);
    json_put_text(provenance, "virtualisation", host->virtualisation);
    json_put_i64(provenance, "load_milli", host->load_milli);
    json_put_i64(provenance, "steal_milli", t->telling.steal_milli);
    json_put_i64(provenance, "throttled_times", t->telling.throttled.times);
    json_put_i64(provenance, "throttled_us", t->telling.throttled.us);
    json_end_object(provenance);
    json_put_text(provenance, "subject", t->session.settings.subject);
    json_end_object(provenance);
}

static int tell(const struct timing *t)
{
    struct fault fault;
    struct json_out body = JSON_OUT_INIT, provenance = JSON_OUT_INIT;
    build_documents(t, &body, &provenance);
    const char *report = t->options->report;
    bool is_good = report == NULL || document_write(report, &body, &provenance, &fault);
    if (is_good) {
        is_good = t->options->json ? document_print(stdout, &body, &provenance, &fault)
                                   : time_print_table(&t->telling, &fault);
    }
    json_out_release(&body);
    json_out_release(&provenance);
    return is_good ? EXIT_GOOD : say_fault(EXIT_INCOMPLETE, &fault);
}

static void note_host(struct timing *t)
{
    host_read(&t->telling.host);
    throttle_read(&t->telling.throttle);
    t->session.granule_ns = time_granule_ns();
    if (!t->options->json) {
        time_print_host(&t->telling);
    }
}

static int measure(struct timing *t, const struct scratch *scratch, const struct subject *subject)
{
    struct fault fault;
    struct host_ticks before, after;
    bool is_interrupted = false;
    if (!choose_paths(t, subject, &fault)) {
        return say_fault(EXIT_USAGE, &fault);
    }
    note_host(t);
    host_ticks_read(&before);
    progress_open(&t->progress, t->session.path_count * t->session.settings.runs, false);
    bool is_good =
        time_session_run(&t->session, scratch, draw, &t->progress, &is_interrupted, &fault);
    progress_close(&t->progress);
    host_ticks_read(&after);
    struct throttle now;
    throttle_read(&now);
    t->telling.throttled = throttle_between(&t->telling.throttle, &now);
    t->telling.steal_milli = host_steal_milli(&before, &after);
    if (interrupt_seen() != 0) {
        return EXIT_INCOMPLETE;
    }
    interrupt_remove(); // a signal may end us while we wait for a reader
    return is_good ? tell(t) : say_fault(EXIT_INCOMPLETE, &fault);
}

static int time_in(struct timing *t, const struct checkout *checkout)
{
    struct fault fault;
    struct scratch scratch;
    struct subject subject = {0};
    if (!scratch_open(&scratch, &fault)) {
        return say_fault(EXIT_INCOMPLETE, &fault);
    }
    t->session.settings.subject = checkout->subject;
    int code = subject_open(checkout->subject, &scratch, &subject, &fault)
                   ? measure(t, &scratch, &subject)
                   : say_fault(EXIT_INCOMPLETE, &fault);
    subject_close(&subject);
    scratch_close(&scratch);
    return code;
}

static int time_paths(const struct time_options *options, int argc, char **argv)
{
    struct fault fault;
    struct checkout checkout;
    struct timing t = {.options = options, .argc = argc, .argv = argv};
    t.telling = (struct time_telling){
        .session = &t.session, .against = options->against, .is_markdown = options->markdown};
    t.session.settings = (struct time_settings){.runs = options->runs,
                                                .samples = options->samples,
                                                .warmup = options->warmup,
                                                .calls = options->calls,
                                                .threads = options->threads,
                                                .rate = options->rate,
                                                .timeout_ms = options->child_timeout_ms};
    if (options->paths.count == 0) {
        return say_fail(EXIT_USAGE, "time what? name a path: --path NAME");
    }
    if (options->json && options->markdown) {
        return say_fail(EXIT_USAGE, "--json and --markdown cannot both be printed");
    }
    if ((options->threads > 0) != (options->rate > 0)) {
        return say_fail(EXIT_USAGE, "--threads and --rate go together");
    }
    if (options->threads > 0 && options->calls > 0) {
        return say_fail(EXIT_USAGE, "with --threads a sample is one call: leave out --calls");
    }
    if (!checkout_open(".", options->subject, &checkout, &fault)) {
        return say_fault(EXIT_INCOMPLETE, &fault);
    }
    int code = time_in(&t, &checkout);
    time_session_release(&t.session);
    checkout_close(&checkout);
    return code;
}

static int time_run(int argc, char **argv)
{
    int code;
    struct fault fault;
    struct time_options options;
    if (!opt_read(&time_table, argc, argv, &options, &code)) {
        return code;
    }
    if (!interrupt_install(&fault)) {
        return say_fault(EXIT_INCOMPLETE, &fault);
    }
    code = time_paths(&options, argc, argv);
    int signal = interrupt_seen();
    interrupt_remove();
    return signal != 0 ? exit_by_signal(signal) : code;
}

const struct verb verb_time = {"time", "time calls of paths, run by run", time_run};
