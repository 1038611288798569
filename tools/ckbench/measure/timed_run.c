// SPDX-License-Identifier: MIT
// The answers are checked against what was asked, so that a subject which measured something else
// is a fault and never a figure.
#include "measure/timed_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/tail.h"

enum { ARGUMENTS_MAX = 24, NUMBER_ROOM = 24, NUMBERS = 6, SUBJECT_USAGE = 2 };

struct hearing {
    const struct timed_request *request;
    struct timed *out;
    struct answer_stream stream;
    bool is_introduced, is_timed, is_broken;
    struct fault why;
    struct answer answer;
};

struct arguments {
    const char *items[ARGUMENTS_MAX];
    char numbers[NUMBERS][NUMBER_ROOM];
    size_t count, number_count;
};

static void add_text(struct arguments *a, const char *option, const char *text)
{
    if (text != NULL) {
        a->items[a->count++] = option;
        a->items[a->count++] = text;
    }
}

static void add_number(struct arguments *a, const char *option, int64_t number)
{
    char *text = a->numbers[a->number_count++];
    (void)snprintf(text, NUMBER_ROOM, "%" PRId64, number);
    add_text(a, option, text);
}

static void build_arguments(const struct timed_request *r, struct arguments *a)
{
    const char *verb = r->phased != NULL ? "phases" : "time";
    *a = (struct arguments){.items = {r->subject, verb, r->path}, .count = 3};
    add_text(a, "--shape", r->shape);
    add_text(a, "--op", r->operation);
    add_number(a, "--calls", r->calls);
    add_number(a, "--warmup", r->warmup);
    if (r->batches > 0) {
        add_number(a, "--batches", r->batches);
    }
    if (r->threads > 0) {
        add_number(a, "--threads", r->threads);
        add_number(a, "--rate", r->rate);
    }
    if (r->bytes >= 0) {
        add_number(a, "--bytes", r->bytes);
    }
    if (r->is_settling) {
        a->items[a->count++] = "--settle";
    }
    if (r->is_counting) {
        a->items[a->count++] = "--allocations";
    }
    a->items[a->count] = NULL;
}

static bool is_same(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

// A figure that may be 0, and may be missing.
static int64_t figure_or_none(const struct answer *a, const char *member, int64_t figure)
{
    const struct flat_member *found = flat_find(&a->object, member);
    return found != NULL && found->kind == FLAT_INT ? figure : -1;
}

static bool take_timed(struct hearing *h)
{
    const struct timed_request *r = h->request;
    const struct answer *a = &h->answer;
    int64_t calls = r->calls * (r->batches > 0 ? r->batches : 1);
    if (h->is_timed || !is_same(a->path, r->path) || !is_same(a->shape, r->shape) ||
        !is_same(a->operation, r->operation) || a->calls != calls ||
        (!r->is_settling && a->warmup != r->warmup)) {
        return fault_set(&h->why, "it timed something else than what it was asked for");
    }
    h->is_timed = true;
    h->out->warmup = a->warmup;
    h->out->calls = a->calls;
    h->out->cpu_ns = a->cpu_ns;
    h->out->wall_ns = a->wall_ns;
    h->out->minor_faults = a->minor_faults;
    h->out->major_faults = a->major_faults;
    h->out->voluntary_switches = a->voluntary_switches;
    h->out->involuntary_switches = a->involuntary_switches;
    h->out->peak_rss_kib = a->peak_rss_kib;
    h->out->allocations = figure_or_none(a, "allocations", a->allocations);
    (void)snprintf(h->out->digest, sizeof h->out->digest, "%s", a->digest != NULL ? a->digest : "");
    return true;
}

static bool keep_samples(const struct hearing *h, const struct answer_integers *series,
                         int64_t **out)
{
    if (*out == NULL) {
        *out = calloc((size_t)h->request->batches, sizeof **out);
    }
    if (*out != NULL) {
        memcpy(*out + h->out->sample_count, series->items, series->count * sizeof **out);
    }
    return *out != NULL;
}

static bool take_samples(struct hearing *h)
{
    const struct answer *a = &h->answer;
    struct timed *out = h->out;
    bool has_threads = h->request->threads > 0;
    if (!h->is_timed || a->first != (int64_t)out->sample_count ||
        a->samples_ns.count > (size_t)h->request->batches - out->sample_count ||
        (has_threads && a->latency_ns.count != a->samples_ns.count)) {
        return fault_set(&h->why, "its `samples` lines do not follow one another");
    }
    if (!keep_samples(h, &a->samples_ns, &out->samples_ns) ||
        (has_threads && !keep_samples(h, &a->latency_ns, &out->latencies_ns))) {
        return fault_set(&h->why, "no memory for its samples");
    }
    out->sample_count += a->samples_ns.count;
    return true;
}

static bool take_phases(struct hearing *h)
{
    const struct timed_request *r = h->request;
    const struct answer *a = &h->answer;
    bool is_asked = r->phased != NULL;
    if (is_asked && a->kind == ANSWER_PHASES) {
        is_asked = is_same(a->path, r->path) && is_same(a->shape, r->shape) &&
                   is_same(a->operation, r->operation) && a->calls == r->calls;
    }
    return is_asked ? phased_take(r->phased, a, &h->why)
                    : fault_set(&h->why, "it told phases of what it was not asked for");
}

// Whether everything that was asked for was said.
static bool is_whole(const struct hearing *h)
{
    const struct timed_request *r = h->request;
    bool is_told = r->phased != NULL
                       ? r->phased->rounds == (size_t)r->batches && r->phased->step_count > 0
                       : h->is_timed && h->out->sample_count == (size_t)r->batches;
    return is_told && h->stream.ended;
}

static bool take(struct hearing *h)
{
    if (!h->is_introduced && h->answer.kind != ANSWER_SUBJECT) {
        return fault_set(&h->why, "its first answer is no `subject` line");
    }
    switch (h->answer.kind) {
    case ANSWER_SUBJECT:
        h->is_introduced = true;
        return true;
    case ANSWER_FAILED:
        return fault_set(&h->why, "%s: %s", h->answer.step, h->answer.reason);
    case ANSWER_TIMED:
        return take_timed(h);
    case ANSWER_SAMPLES:
        return take_samples(h);
    case ANSWER_PHASES:
    case ANSWER_PHASE:
        return take_phases(h);
    default:
        return true;
    }
}

static enum proc_word hear_line(void *context, const char *line, size_t length)
{
    struct hearing *h = context;
    if (answer_next(&h->stream, line, length, &h->answer, &h->why) && take(h)) {
        return PROC_GO_ON;
    }
    h->is_broken = true;
    return PROC_STOP;
}

static bool judge(struct hearing *h, const struct proc_result *result, const char *err_path,
                  struct fault *why)
{
    const char *path = h->request->path;
    if (h->is_broken) {
        return fault_set(why, "%s: %s", path, h->why.text);
    }
    if (result->end != PROC_EXITED || result->status != 0) {
        char how[128];
        char *last = tail_read(err_path, 0, 1);
        h->out->is_refused =
            result->end == PROC_EXITED && result->status == SUBJECT_USAGE && !h->is_introduced;
        (void)fault_set(why, "%s: its process %s%s%.200s", path,
                        proc_end_text(result, how, sizeof how), last != NULL ? ": " : "",
                        last != NULL ? last : "");
        free(last);
        return false;
    }
    if (!is_whole(h)) {
        return fault_set(why, "%s: its answer to `%s` is cut", path,
                         h->request->phased != NULL ? "phases" : "time");
    }
    return result->survivors == 0 ||
           fault_set(why, "%s: a process that it started was still alive", path);
}

static bool run_in(struct hearing *h, const char *dir, bool *is_interrupted, struct fault *why)
{
    struct arguments arguments;
    char *out_path = NULL, *err_path = NULL;
    struct proc_result result = {0};
    bool is_good = false;
    build_arguments(h->request, &arguments);
    if (asprintf(&out_path, "%s/stdout", dir) > 0 && asprintf(&err_path, "%s/stderr", dir) > 0) {
        const struct proc_task task = {.spec = {.argv = arguments.items,
                                                .env = h->request->env,
                                                .dir = dir,
                                                .out_path = out_path,
                                                .err_path = err_path,
                                                .timeout_ms = h->request->timeout_ms},
                                       .on_line = hear_line,
                                       .context = h};
        is_good = proc_run(&task, &result, why);
        *is_interrupted = !is_good;
        is_good = is_good && judge(h, &result, err_path, why);
        h->out->whole = result.whole;
    } else {
        (void)fault_set(why, "out of memory");
    }
    free(out_path);
    free(err_path);
    return is_good;
}

bool timed_run(const struct timed_request *request, const struct scratch *scratch,
               struct timed *out, bool *is_interrupted, struct fault *why)
{
    *out = (struct timed){0};
    *is_interrupted = false;
    struct hearing *h = calloc(1, sizeof *h);
    char *dir = h != NULL ? scratch_dir(scratch, "time", why) : NULL;
    bool is_good = false;
    if (h == NULL) {
        (void)fault_set(why, "out of memory");
    } else if (dir != NULL) {
        h->request = request;
        h->out = out;
        is_good = run_in(h, dir, is_interrupted, why);
        scratch_remove(dir);
    }
    free(dir);
    free(h);
    if (!is_good) {
        timed_release(out);
    }
    return is_good;
}

void timed_release(struct timed *timed)
{
    free(timed->samples_ns);
    free(timed->latencies_ns);
    timed->samples_ns = NULL;
    timed->latencies_ns = NULL;
    timed->sample_count = 0;
}
