// SPDX-License-Identifier: MIT
// The measured loop. Between the two readings of the clock lie the call and, if it was asked for,
// the stall; everything else waits for the end of a block. Each caller has books of its own.
#include "terrain_parts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { POOL_SPREAD = 1 << 16 };

static _Thread_local struct ckbench_caller *ckbench_caller_here;
static struct ckbench_run *ckbench_run_here; // for threads that are no callers
static unsigned char ckbench_pool[CKBENCH_VALUE_MAX + POOL_SPREAD];

// Half of what a byte can say, so that compression finds something to do.
static void ckbench_fill_pool(uint64_t seed)
{
    struct ckbench_random random;
    ckbench_random_start(&random, seed, 0);
    for (size_t i = 0; i < sizeof ckbench_pool; i++) {
        ckbench_pool[i] = (unsigned char)("0123456789abcdef"[ckbench_random_next(&random) >> 60]);
    }
}

const void *ckbench_load(uint64_t key, size_t *bytes)
{
    struct ckbench_caller *caller = ckbench_caller_here;
    struct ckbench_run *run = ckbench_run_here;
    const unsigned char *value = ckbench_pool + (ckbench_mix(key) & (POOL_SPREAD - 1));
    if (caller == NULL) {
        (void)__atomic_fetch_add(&run->elsewhere, 1, __ATOMIC_RELAXED);
        ckbench_clock_pass(&run->clock, (int64_t)run->wishes.miss.scale_ns);
        *bytes = run->wishes.value_p50;
        return value;
    }
    int64_t start = ckbench_clock_now(&run->clock);
    ckbench_clock_pass(&run->clock, ckbench_law_draw(&run->wishes.miss, &caller->random));
    caller->loads++;
    caller->load_ns += (uint64_t)(ckbench_clock_now(&run->clock) - start);
    *bytes = caller->ask->value_bytes;
    return value;
}

int64_t ckbench_terrain_l2_ns(void *unused)
{
    struct ckbench_caller *caller = ckbench_caller_here;
    (void)unused;
    if (caller == NULL) {
        return 0;
    }
    struct ckbench_run *run = caller->run;
    int64_t ns = ckbench_law_draw(&run->wishes.l2, &caller->random);
    if (!run->clock.is_virtual) {
        return ns;
    }
    ckbench_clock_pass(&run->clock, ns);
    return 0;
}

// From every multiple of its period on, calls that start are held until the stall is over.
static void ckbench_hold(struct ckbench_run *run, int64_t start_ns)
{
    int64_t since = start_ns - run->origin_ns;
    int64_t into = since % run->wishes.stall_every_ns;
    if (since >= run->wishes.stall_every_ns && into < run->wishes.stall_ns) {
        ckbench_clock_pass(&run->clock, run->wishes.stall_ns - into);
    }
}

static inline enum ckbench_reason ckbench_take_turn(struct ckbench_run *run, int64_t now_ns,
                                                    struct ckbench_turn *turn)
{
    if (ckbench_is_stopped) {
        return CKBENCH_BY_SIGNAL;
    }
    if (run->setup.callers == 1) {
        return ckbench_source_next(&run->source, now_ns, turn);
    }
    (void)pthread_mutex_lock(&run->lock);
    enum ckbench_reason reason = ckbench_source_next(&run->source, now_ns, turn);
    (void)pthread_mutex_unlock(&run->lock);
    return reason;
}

static inline void ckbench_make_call(struct ckbench_run *run, struct ckbench_caller *caller,
                                     const struct ckbench_turn *turn)
{
    struct ckbench_sample *sample = &caller->samples[caller->count];
    uint64_t loads = caller->loads;
    caller->ask = &turn->ask;
    sample->start_ns = ckbench_clock_now(&run->clock);
    if (run->wishes.stall_ns > 0) {
        ckbench_hold(run, sample->start_ns);
    }
    sample->layer = run->terrain->call(run->state, &turn->ask);
    if (run->clock.is_virtual) {
        run->clock.tick_ns += (int64_t)run->wishes.call_ns;
    }
    sample->end_ns = ckbench_clock_now(&run->clock);
    sample->intended_ns = run->is_closed ? sample->start_ns : turn->intended_ns;
    sample->dropped = turn->dropped & INT32_MAX;
    sample->is_loaded = caller->loads != loads;
    caller->count++;
}

// Back to back, one caller, and nothing to decide: the calls that are drawn already, until the
// block of samples is full, the slice or the run is over. Everything in it is paid for by each
// call.
static void ckbench_burst(struct ckbench_run *run, struct ckbench_caller *caller, int64_t limit_ns)
{
    struct ckbench_source *source = &run->source;
    int (*const call)(void *, const struct ckbench_ask *) = run->terrain->call;
    void *const state = run->state;
    const struct ckbench_ask *ask = &source->block[source->block_at];
    struct ckbench_sample *sample = &caller->samples[caller->count];
    size_t room = CKBENCH_BLOCK - caller->count, drawn = source->block_count - source->block_at;
    size_t most = room < drawn ? room : drawn;
    most = most < source->calls_left ? most : (size_t)source->calls_left;
    struct ckbench_sample *const end = sample + most, *const first = sample;
    for (int64_t now = INT64_MIN; sample < end && now < limit_ns && !ckbench_is_stopped;
         sample++, ask++) {
        uint64_t loads = caller->loads;
        caller->ask = ask;
        int64_t start = ckbench_monotonic_ns();
        sample->layer = call(state, ask);
        now = ckbench_monotonic_ns();
        sample->start_ns = start; // nobody intended one
        sample->end_ns = now;
        sample->dropped = 0;
        sample->is_loaded = caller->loads != loads;
    }
    size_t made = (size_t)(sample - first);
    caller->count += made;
    source->block_at += made;
    source->calls_left -= made;
}

static int64_t ckbench_slice_end(const struct ckbench_caller *caller)
{
    return caller->run->origin_ns + (int64_t)(caller->slice + 1) * caller->run->slice_ns;
}

static void *ckbench_caller_main(void *context)
{
    struct ckbench_caller *caller = context;
    struct ckbench_run *run = caller->run;
    struct ckbench_turn turn;
    enum ckbench_reason reason;
    ckbench_caller_here = caller;
    caller->schedstat =
        run->clock.is_virtual ? -1 : open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    caller->delay_ns = ckbench_delay_ns(caller->schedstat);
    bool is_plain = run->source.is_plain && run->setup.callers == 1 && !run->clock.is_virtual &&
                    run->wishes.stall_ns == 0;
    int64_t now = ckbench_clock_now(&run->clock), slice_end = ckbench_slice_end(caller);
    while ((reason = ckbench_take_turn(run, now, &turn)) == CKBENCH_RUNNING) {
        if (!run->is_closed && turn.intended_ns > now) {
            ckbench_clock_wait(&run->clock, turn.intended_ns);
            if (ckbench_is_stopped) {
                reason = CKBENCH_BY_SIGNAL;
                break;
            }
        }
        ckbench_make_call(run, caller, &turn);
        if (is_plain && caller->count < CKBENCH_BLOCK &&
            caller->samples[caller->count - 1].end_ns < slice_end) {
            ckbench_burst(run, caller,
                          slice_end < run->source.end_ns ? slice_end : run->source.end_ns);
        }
        now = caller->samples[caller->count - 1].end_ns;
        if (caller->count == CKBENCH_BLOCK || now >= slice_end) {
            ckbench_slices_fold(caller, now);
            slice_end = ckbench_slice_end(caller);
            now = ckbench_clock_now(&run->clock);
            if (!ckbench_is_heard()) {
                reason = CKBENCH_UNHEARD;
                break;
            }
        }
    }
    ckbench_slices_fold(caller, now);
    ckbench_caller_leaves(caller, reason);
    if (caller->schedstat >= 0) {
        (void)close(caller->schedstat);
    }
    return NULL;
}

void ckbench_loop_share(struct ckbench_run *run)
{
    ckbench_run_here = run;
    ckbench_fill_pool(run->wishes.seed);
}

void ckbench_loop_run(struct ckbench_run *run)
{
    uint32_t started = 1;
    run->reason = CKBENCH_RUNNING;
    run->origin_ns = ckbench_clock_now(&run->clock);
    run->last_ns = run->origin_ns;
    int64_t length = run->is_recording ? (int64_t)(run->wishes.seconds * 1e9 + 0.5) : 0;
    // Whoever woke up too late for the end of a run that does not queue was asked for before it.
    run->slice_last = length > 0 && run->wishes.is_queueing == 0
                          ? (uint64_t)((length - 1) / run->slice_ns)
                          : CKBENCH_SLICES_MAX - 1;
    ckbench_source_start(&run->source, run->origin_ns,
                         run->is_recording ? run->wishes.calls : run->wishes.warmup, length);
    for (uint32_t i = 0; i < run->setup.callers; i++) {
        run->callers[i].slice = 0;
        run->callers[i].count = 0;
    }
    while (started < run->setup.callers &&
           pthread_create(&run->callers[started].thread, NULL, ckbench_caller_main,
                          &run->callers[started]) == 0) {
        started++;
    }
    // Threads that are not to be had must not hold the slices open.
    for (uint32_t i = started; i < run->setup.callers; i++) {
        run->callers[i].slice = UINT64_MAX;
    }
    (void)ckbench_caller_main(&run->callers[0]);
    for (uint32_t i = 1; i < started; i++) {
        (void)pthread_join(run->callers[i].thread, NULL);
    }
    run->wall_ns = (uint64_t)(ckbench_clock_now(&run->clock) - run->origin_ns);
}
