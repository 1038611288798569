// SPDX-License-Identifier: MIT
#include "measure/time_session.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measure/valgrind.h"
#include "stats/bands.h"

enum { GRANULE_READS = 20000, PILOT_CALLS = 200, PILOT_BATCHES = 5, LEAST_SAMPLE_NS = 10000 };

static int64_t now_ns(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t time_granule_ns(void)
{
    int64_t least = INT64_MAX, before = now_ns();
    for (int i = 0; i < GRANULE_READS; i++) {
        int64_t now = now_ns();
        if (now > before && now - before < least) {
            least = now - before;
        }
        before = now;
    }
    return least;
}

static struct timed_request request_of(const struct time_session *s, const struct time_path *path)
{
    return (struct timed_request){
        .subject = s->settings.subject,
        .env = valgrind_native_env(),
        .path = path->name,
        .shape = path->shape,
        .operation = path->operation,
        .bytes = -1,
        .calls = (int64_t)path->calls,
        .warmup = (int64_t)s->settings.warmup,
        .batches = s->settings.samples,
        .is_settling = true,
        .threads = s->settings.threads,
        .rate = (int64_t)s->settings.rate,
        .timeout_ms = s->settings.timeout_ms,
    };
}

// How many calls make a sample that the clock can tell.
static bool choose_calls(const struct time_session *s, struct time_path *path,
                         const struct scratch *scratch, bool *is_interrupted, struct fault *why)
{
    struct timed pilot;
    double samples[PILOT_BATCHES];
    if (s->settings.calls > 0 || s->settings.threads > 0) {
        path->calls = s->settings.threads > 0 ? 1 : s->settings.calls;
        return true;
    }
    path->calls = PILOT_CALLS;
    struct timed_request request = request_of(s, path);
    request.batches = PILOT_BATCHES;
    if (!timed_run(&request, scratch, &pilot, is_interrupted, why)) {
        return false;
    }
    for (size_t i = 0; i < PILOT_BATCHES; i++) {
        samples[i] = (double)pilot.samples_ns[i];
    }
    timed_release(&pilot);
    double call_ns = median_of(samples, PILOT_BATCHES) / PILOT_CALLS;
    int64_t wanted = s->granule_ns * TIME_GRANULES;
    wanted = wanted > LEAST_SAMPLE_NS ? wanted : LEAST_SAMPLE_NS;
    path->calls = call_ns > 0.0 ? (uint64_t)((double)wanted / call_ns) + 1 : PILOT_CALLS;
    return true;
}

static double median_per_call(const int64_t *samples_ns, size_t count, uint64_t calls, double *work)
{
    for (size_t i = 0; i < count; i++) {
        work[i] = (double)samples_ns[i] / (double)calls;
    }
    return median_of(work, count);
}

static bool take_run(struct time_path *path, const struct timed *run, unsigned samples,
                     struct fault *why)
{
    size_t at = path->run_count;
    double *work = malloc(samples * sizeof *work);
    if (work == NULL) {
        return fault_set(why, "out of memory");
    }
    path->medians_ns[at] = median_per_call(run->samples_ns, samples, path->calls, work);
    if (run->latencies_ns != NULL) {
        path->latency_medians_ns[at] =
            median_per_call(run->latencies_ns, samples, path->calls, work);
    }
    path->runs[path->run_count++] = *run;
    free(work);
    return true;
}

static bool prepare(struct time_session *s, const struct scratch *scratch, bool *is_interrupted,
                    struct fault *why)
{
    for (size_t i = 0; i < s->path_count; i++) {
        struct time_path *path = &s->paths[i];
        path->runs = calloc(s->settings.runs, sizeof *path->runs);
        path->medians_ns = calloc(s->settings.runs, sizeof *path->medians_ns);
        path->latency_medians_ns = calloc(s->settings.runs, sizeof *path->latency_medians_ns);
        if (path->runs == NULL || path->medians_ns == NULL || path->latency_medians_ns == NULL) {
            return fault_set(why, "out of memory");
        }
        if (!choose_calls(s, path, scratch, is_interrupted, why)) {
            return false;
        }
    }
    return true;
}

bool time_session_run(struct time_session *s, const struct scratch *scratch,
                      void (*progress)(void *context, size_t done, size_t all), void *context,
                      bool *is_interrupted, struct fault *why)
{
    size_t done = 0, all = s->path_count * s->settings.runs;
    if (!prepare(s, scratch, is_interrupted, why)) {
        return false;
    }
    for (unsigned run = 0; run < s->settings.runs; run++) {
        for (size_t i = 0; i < s->path_count; i++) {
            struct timed timed;
            const struct timed_request request = request_of(s, &s->paths[i]);
            if (!timed_run(&request, scratch, &timed, is_interrupted, why)) {
                return false;
            }
            if (!take_run(&s->paths[i], &timed, s->settings.samples, why)) {
                timed_release(&timed);
                return false;
            }
            if (progress != NULL) {
                progress(context, ++done, all);
            }
        }
    }
    return true;
}

void time_session_release(struct time_session *s)
{
    for (size_t i = 0; i < s->path_count; i++) {
        struct time_path *path = &s->paths[i];
        for (size_t run = 0; path->runs != NULL && run < path->run_count; run++) {
            timed_release(&path->runs[run]);
        }
        free(path->runs);
        free(path->medians_ns);
        free(path->latency_medians_ns);
        path->runs = NULL;
        path->medians_ns = NULL;
        path->latency_medians_ns = NULL;
    }
}
