// SPDX-License-Identifier: MIT
// The books of the recording, by slices of time. A caller files its samples a block at a time; a
// slice is sent once no caller is in it any more, and only one or two are open at once.
#include "terrain_parts.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SLICES_MAX = 100000 };

static const int64_t LATE_NS = 100000;

uint64_t ckbench_delay_ns(int schedstat)
{
    char text[96];
    ssize_t got = schedstat >= 0 ? pread(schedstat, text, sizeof text - 1, 0) : -1;
    if (got <= 0) {
        return 0;
    }
    text[got] = '\0';
    const char *blank = strchr(text, ' ');
    return blank != NULL ? strtoull(blank + 1, NULL, 10) : 0;
}

// The eighth number of the first line: what the host gave to others.
uint64_t ckbench_steal_ticks(void)
{
    char text[256];
    int fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0) {
        (void)close(fd);
    }
    if (got <= 0) {
        return 0;
    }
    text[got] = '\0';
    char *at = strchr(text, ' ');
    uint64_t value = 0;
    for (int i = 0; at != NULL && i < 8; i++) {
        value = strtoull(at, &at, 10);
    }
    return value;
}

static struct ckbench_slice *ckbench_slice_of(struct ckbench_run *run, uint64_t index)
{
    struct ckbench_slice **at = &run->slices;
    while (*at != NULL && (*at)->index < index) {
        at = &(*at)->next;
    }
    if (*at != NULL && (*at)->index == index) {
        return *at;
    }
    struct ckbench_slice *slice = run->spare;
    if (slice != NULL) {
        run->spare = slice->next;
        memset(slice, 0,
               offsetof(struct ckbench_slice, cells) + (run->layers + 1) * sizeof slice->cells[0]);
    } else {
        slice = calloc(1, sizeof *slice);
        if (slice == NULL) {
            abort();
        }
    }
    slice->index = index;
    slice->next = *at;
    *at = slice;
    return slice;
}

static uint64_t ckbench_slice_index(const struct ckbench_run *run, int64_t at_ns)
{
    uint64_t index = (uint64_t)(at_ns - run->origin_ns) / (uint64_t)run->slice_ns;
    return index < SLICES_MAX ? index : SLICES_MAX - 1;
}

// Whoever the terrain names must be one of its layers, and the loader must agree.
static size_t ckbench_sample_layer(const struct ckbench_run *run,
                                   const struct ckbench_sample *sample)
{
    bool is_known = sample->layer >= 0 && (size_t)sample->layer < run->layers;
    bool is_miss = run->miss >= 0 && sample->layer == run->miss;
    return is_known && is_miss == (sample->is_loaded != 0) ? (size_t)sample->layer : run->layers;
}

static inline void ckbench_file_time(struct ckbench_raw *raw, uint32_t *cells, uint64_t ns)
{
    cells[ckbench_cell(ns)]++;
    raw->sum += ns;
    raw->max = ns > raw->max ? ns : raw->max;
    if (ns < CKBENCH_SMALL) {
        raw->small[ns]++;
    } else {
        ckbench_raw_keep(raw, ns);
    }
}

// What only a schedule has: waits, and calls that nobody made.
static void ckbench_file_paced(struct ckbench_run *run, struct ckbench_slice *slice,
                               const struct ckbench_sample *sample, size_t layer)
{
    struct ckbench_raw *raw = run->raw[layer];
    uint32_t(*cells)[CKBENCH_CELLS] = slice->cells[layer];
    int64_t wait = sample->start_ns - sample->intended_ns;
    wait = wait > 0 ? wait : 0;
    slice->dropped += sample->dropped;
    slice->late += wait > (run->clock.is_virtual ? 0 : LATE_NS);
    if (run->is_recording) {
        ckbench_file_time(&raw[CKBENCH_WAIT], cells[CKBENCH_WAIT], (uint64_t)wait);
        ckbench_file_time(&raw[CKBENCH_RESPONSE], cells[CKBENCH_RESPONSE],
                          (uint64_t)(sample->end_ns - sample->start_ns + wait));
    }
}

static inline void ckbench_file_sample(struct ckbench_run *run, struct ckbench_slice *slice,
                                       const struct ckbench_sample *sample)
{
    size_t layer = ckbench_sample_layer(run, sample);
    slice->n[layer]++;
    slice->failed += sample->layer < 0;
    if (run->is_recording) {
        ckbench_file_time(&run->raw[layer][CKBENCH_SERVICE], slice->cells[layer][CKBENCH_SERVICE],
                          (uint64_t)(sample->end_ns - sample->start_ns));
    }
    if (!run->is_closed) {
        ckbench_file_paced(run, slice, sample, layer);
    }
}

static void ckbench_slice_total(struct ckbench_run *run, const struct ckbench_slice *slice)
{
    for (size_t layer = 0; layer <= run->layers; layer++) {
        run->n[layer] += slice->n[layer];
        for (size_t time = 0; slice->n[layer] > 0 && time < CKBENCH_TIMES; time++) {
            struct ckbench_raw *raw = &run->raw[layer][time];
            for (size_t cell = 0; cell < CKBENCH_CELLS; cell++) {
                raw->cells[cell] += slice->cells[layer][time][cell];
            }
        }
    }
    run->dropped += slice->dropped;
    run->late += slice->late;
    run->failed += slice->failed;
    run->kit_ns += slice->kit_ns;
}

// Sends what lies before slice `end`, empty ones too. Under the lock.
static void ckbench_send_slices(struct ckbench_run *run, uint64_t end, int64_t cut_ns)
{
    while (run->first_open < end) {
        struct ckbench_slice *slice = ckbench_slice_of(run, run->first_open);
        run->slices = slice->next;
        ckbench_slice_total(run, slice);
        if (run->is_recording) {
            uint64_t steal = run->clock.is_virtual ? 0 : ckbench_steal_ticks();
            int64_t end_ns = slice->index < SLICES_MAX - 1
                                 ? (int64_t)(slice->index + 1) * run->slice_ns
                                 : INT64_MAX;
            ckbench_send_slice(run, slice, steal - run->steal, end_ns < cut_ns ? end_ns : cut_ns);
            run->steal = steal;
            run->slices_sent++;
        }
        slice->next = run->spare;
        run->spare = slice;
        run->first_open++;
    }
}

// Under the lock.
static void ckbench_note_delay(struct ckbench_caller *caller)
{
    uint64_t delay = ckbench_delay_ns(caller->schedstat);
    ckbench_slice_of(caller->run, caller->slice)->run_delay_ns += delay - caller->delay_ns;
    caller->delay_ns = delay;
}

// Under the lock.
static void ckbench_caller_moves(struct ckbench_caller *caller, uint64_t slice)
{
    struct ckbench_run *run = caller->run;
    ckbench_note_delay(caller);
    caller->slice = slice;
    uint64_t least = slice;
    for (uint32_t i = 0; i < run->setup.callers; i++) {
        least = run->callers[i].slice < least ? run->callers[i].slice : least;
    }
    ckbench_send_slices(run, least, INT64_MAX);
}

void ckbench_slices_fold(struct ckbench_caller *caller, int64_t now_ns)
{
    struct ckbench_run *run = caller->run;
    int64_t begun = run->clock.is_virtual ? 0 : ckbench_monotonic_ns();
    (void)pthread_mutex_lock(&run->lock);
    uint64_t index = caller->slice;
    struct ckbench_slice *slice = ckbench_slice_of(run, index);
    int64_t end_ns = run->origin_ns + (int64_t)(index + 1) * run->slice_ns;
    for (size_t i = 0; i < caller->count; i++) {
        const struct ckbench_sample *sample = &caller->samples[i];
        if (sample->start_ns >= end_ns) {
            index = ckbench_slice_index(run, sample->start_ns);
            slice = ckbench_slice_of(run, index);
            end_ns = index < SLICES_MAX - 1 ? run->origin_ns + (int64_t)(index + 1) * run->slice_ns
                                            : INT64_MAX;
        }
        ckbench_file_sample(run, slice, sample);
    }
    if (caller->count > 0 && caller->samples[caller->count - 1].end_ns > run->last_ns) {
        run->last_ns = caller->samples[caller->count - 1].end_ns;
    }
    caller->count = 0;
    index = ckbench_slice_index(run, now_ns);
    if (index > caller->slice) {
        ckbench_caller_moves(caller, index);
    }
    if (!run->clock.is_virtual) {
        ckbench_slice_of(run, caller->slice)->kit_ns += (uint64_t)(ckbench_monotonic_ns() - begun);
    }
    (void)pthread_mutex_unlock(&run->lock);
}

void ckbench_caller_leaves(struct ckbench_caller *caller, enum ckbench_reason reason)
{
    struct ckbench_run *run = caller->run;
    (void)pthread_mutex_lock(&run->lock);
    ckbench_note_delay(caller);
    run->reason = run->reason == CKBENCH_RUNNING ? reason : run->reason;
    (void)pthread_mutex_unlock(&run->lock);
}

uint64_t ckbench_slice_started(const struct ckbench_run *run, const struct ckbench_slice *slice)
{
    uint64_t sum = 0;
    for (size_t layer = 0; layer <= run->layers; layer++) {
        sum += slice->n[layer];
    }
    return sum;
}

void ckbench_slices_end(struct ckbench_run *run)
{
    int64_t cut_ns = run->last_ns - run->origin_ns;
    int64_t planned_ns = run->source.end_ns - run->origin_ns;
    if (run->reason == CKBENCH_BY_TIME && planned_ns > cut_ns) {
        cut_ns = planned_ns;
    }
    if (run->reason >= CKBENCH_BY_SIGNAL && (int64_t)run->wall_ns > cut_ns) {
        cut_ns = (int64_t)run->wall_ns;
    }
    // A call that started in the last slice may end in the next, which then has none of its own.
    uint64_t last = cut_ns > 0 ? ckbench_slice_index(run, run->origin_ns + cut_ns - 1) : 0;
    if (run->reason == CKBENCH_BY_TIME && !run->wishes.is_queueing) {
        last = ckbench_slice_index(run, run->source.end_ns - 1);
        cut_ns = planned_ns;
    }
    for (const struct ckbench_slice *at = run->slices; at != NULL; at = at->next) {
        last = at->index > last && ckbench_slice_started(run, at) > 0 ? at->index : last;
    }
    ckbench_send_slices(run, last + 1, cut_ns);
    // What the sending of the last ones took belongs to no slice.
    for (const struct ckbench_slice *at = run->slices; at != NULL; at = at->next) {
        run->kit_ns += at->kit_ns;
    }
}
