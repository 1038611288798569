// SPDX-License-Identifier: MIT
// The books of the recording, by slices of time. A caller files its samples a block at a time; a
// slice is sent once no caller is in it any more, and only one or two are open at once. To file a
// short time is to count it by its ns and no more: cell, sum and maximum follow from that when the
// slice is sent.
#include "terrain_parts.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
               offsetof(struct ckbench_slice, rows) + (run->layers + 1) * sizeof slice->rows[0]);
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
    return index < run->slice_last ? index : run->slice_last;
}

static int64_t ckbench_slice_end_ns(const struct ckbench_run *run, uint64_t index)
{
    return index < run->slice_last ? run->origin_ns + (int64_t)(index + 1) * run->slice_ns
                                   : INT64_MAX;
}

// Whoever the terrain names must be one of its layers, and the loader must agree.
static size_t ckbench_sample_layer(const struct ckbench_run *run,
                                   const struct ckbench_sample *sample)
{
    bool is_known = sample->layer >= 0 && (size_t)sample->layer < run->layers;
    bool is_miss = run->miss >= 0 && sample->layer == run->miss;
    return is_known && is_miss == (sample->is_loaded != 0) ? (size_t)sample->layer : run->layers;
}

// Where the times of one kind, of one layer and slice go that are too long to be counted by the ns.
struct ckbench_pen {
    struct ckbench_raw *raw;
    uint32_t *cells, *kept;
    uint64_t *small, sum, max;
    size_t keeps;
};

static inline struct ckbench_pen ckbench_pen_open(struct ckbench_run *run,
                                                  struct ckbench_slice *slice, size_t layer,
                                                  enum ckbench_time time, size_t count)
{
    struct ckbench_raw *raw = &run->raw[layer][time];
    return (struct ckbench_pen){.raw = raw,
                                .cells = slice->rows[layer].cells[time],
                                .kept = ckbench_raw_room(raw, count),
                                .small = raw->small,
                                .max = raw->max};
}

static inline void ckbench_pen_file(struct ckbench_pen *pen, uint64_t ns)
{
    pen->cells[ckbench_cell(ns)]++;
    pen->sum += ns;
    pen->max = ns > pen->max ? ns : pen->max;
    if (ns < CKBENCH_SMALL) {
        pen->small[ns]++;
    } else if (ns < UINT32_MAX) {
        pen->kept[pen->keeps++] = (uint32_t)ns;
    } else {
        ckbench_raw_large(pen->raw, ns);
    }
}

static inline void ckbench_pen_close(const struct ckbench_pen *pen)
{
    pen->raw->sum += pen->sum;
    pen->raw->max = pen->max;
    ckbench_raw_kept(pen->raw, pen->keeps);
}

static void ckbench_file_closed(struct ckbench_run *run, struct ckbench_slice *slice, size_t layer,
                                const struct ckbench_sample *samples, size_t count)
{
    struct ckbench_pen pen = ckbench_pen_open(run, slice, layer, CKBENCH_SERVICE, count);
    uint32_t *const fine = slice->rows[layer].fine[CKBENCH_SERVICE];
    for (size_t i = 0; i < count; i++) {
        uint64_t service = (uint64_t)(samples[i].end_ns - samples[i].start_ns);
        if (service < CKBENCH_FINE) {
            fine[service]++;
        } else {
            ckbench_pen_file(&pen, service);
        }
    }
    ckbench_pen_close(&pen);
}

static void ckbench_file_paced(struct ckbench_run *run, struct ckbench_slice *slice, size_t layer,
                               const struct ckbench_sample *samples, size_t count)
{
    struct ckbench_pen services = ckbench_pen_open(run, slice, layer, CKBENCH_SERVICE, count);
    struct ckbench_pen waits = ckbench_pen_open(run, slice, layer, CKBENCH_WAIT, count);
    struct ckbench_pen responses = ckbench_pen_open(run, slice, layer, CKBENCH_RESPONSE, count);
    struct ckbench_slice_row *const row = &slice->rows[layer];
    for (size_t i = 0; i < count; i++) {
        uint64_t service = (uint64_t)(samples[i].end_ns - samples[i].start_ns);
        int64_t late = samples[i].start_ns - samples[i].intended_ns;
        uint64_t wait = late > 0 ? (uint64_t)late : 0, response = service + wait;
        if (response < CKBENCH_FINE) {
            row->fine[CKBENCH_SERVICE][service]++;
            row->fine[CKBENCH_WAIT][wait]++;
            row->fine[CKBENCH_RESPONSE][response]++;
        } else {
            ckbench_pen_file(&services, service);
            ckbench_pen_file(&waits, wait);
            ckbench_pen_file(&responses, response);
        }
    }
    ckbench_pen_close(&services);
    ckbench_pen_close(&waits);
    ckbench_pen_close(&responses);
}

// Calls that were late, and those that nobody made.
static void ckbench_file_lateness(const struct ckbench_run *run, struct ckbench_slice *slice,
                                  const struct ckbench_sample *samples, size_t count)
{
    const int64_t patience = run->clock.is_virtual ? 0 : LATE_NS;
    uint64_t dropped = 0, late = 0;
    for (size_t i = 0; i < count; i++) {
        dropped += samples[i].dropped;
        late += samples[i].start_ns - samples[i].intended_ns > patience;
    }
    slice->dropped += dropped;
    slice->late += late;
}

// Samples of one layer that lie in one slice.
static void ckbench_file_samples(struct ckbench_run *run, struct ckbench_slice *slice, size_t layer,
                                 const struct ckbench_sample *samples, size_t count)
{
    slice->n[layer] += count;
    for (size_t i = 0; layer == run->layers && i < count; i++) {
        slice->failed += samples[i].layer < 0;
    }
    if (run->is_recording) {
        (run->is_closed ? ckbench_file_closed : ckbench_file_paced)(run, slice, layer, samples,
                                                                    count);
    }
    if (!run->is_closed) {
        ckbench_file_lateness(run, slice, samples, count);
    }
}

// Files the short times of a slice for good.
static void ckbench_settle_time(struct ckbench_raw *raw, const uint32_t *fine, uint32_t *cells)
{
    for (uint64_t ns = 0; ns < CKBENCH_FINE; ns++) {
        if (fine[ns] > 0) {
            cells[ckbench_cell(ns)] += fine[ns];
            raw->small[ns] += fine[ns];
            raw->sum += ns * fine[ns];
            raw->max = ns > raw->max ? ns : raw->max;
        }
    }
}

static void ckbench_slice_total(struct ckbench_run *run, struct ckbench_slice *slice)
{
    for (size_t layer = 0; layer <= run->layers; layer++) {
        struct ckbench_slice_row *row = &slice->rows[layer];
        run->n[layer] += slice->n[layer];
        for (size_t time = 0; slice->n[layer] > 0 && time < CKBENCH_TIMES; time++) {
            struct ckbench_raw *raw = &run->raw[layer][time];
            ckbench_settle_time(raw, row->fine[time], row->cells[time]);
            for (size_t cell = 0; cell < CKBENCH_CELLS; cell++) {
                raw->cells[cell] += row->cells[time][cell];
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
            int64_t end_ns = slice->index < CKBENCH_SLICES_MAX - 1
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

// The caller's samples, as long as layer and slice stay the same at a time. Under the lock.
static void ckbench_file_block(struct ckbench_caller *caller)
{
    struct ckbench_run *run = caller->run;
    const struct ckbench_sample *samples = caller->samples;
    uint64_t index = caller->slice;
    for (size_t at = 0, end; at < caller->count; at = end) {
        if (samples[at].start_ns >= ckbench_slice_end_ns(run, index)) {
            index = ckbench_slice_index(run, samples[at].start_ns);
        }
        const int64_t end_ns = ckbench_slice_end_ns(run, index);
        const struct ckbench_sample first = samples[at];
        size_t layer = ckbench_sample_layer(run, &first);
        for (end = at + 1; end < caller->count && samples[end].start_ns < end_ns &&
                           samples[end].layer == first.layer &&
                           samples[end].is_loaded == first.is_loaded;) {
            end++;
        }
        ckbench_file_samples(run, ckbench_slice_of(run, index), layer, samples + at, end - at);
    }
}

void ckbench_slices_fold(struct ckbench_caller *caller, int64_t now_ns)
{
    struct ckbench_run *run = caller->run;
    int64_t begun = run->clock.is_virtual ? 0 : ckbench_monotonic_ns();
    (void)pthread_mutex_lock(&run->lock);
    ckbench_file_block(caller);
    if (caller->count > 0 && caller->samples[caller->count - 1].end_ns > run->last_ns) {
        run->last_ns = caller->samples[caller->count - 1].end_ns;
    }
    caller->count = 0;
    uint64_t index = ckbench_slice_index(run, now_ns);
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
