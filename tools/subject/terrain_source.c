// SPDX-License-Identifier: MIT
// The schedule that all callers share: the next intended instant, the key that is asked for then,
// and what became of those that nobody was free for. Keys are drawn in blocks, between calls.
#include "terrain_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES_BITS = 12, SIZES = 1 << SIZES_BITS };
enum { STREAM_KEYS = 1, STREAM_ARRIVALS };

// The normal quantile of 95 %.
static const double P95 = 1.6448536269514722;
// The round of sizes starts at the median, which the most popular rank then has: with its weight
// the quantiles over calls come out as asked (exponent 0.99, 10,000 keys: 900 and 4,444 bytes).
static const uint64_t SIZES_SHIFT = UINT64_C(1) << 63;

const char *const ckbench_reason_names[] = {
    [CKBENCH_RUNNING] = "running", [CKBENCH_BY_TIME] = "time",     [CKBENCH_BY_CALLS] = "calls",
    [CKBENCH_BY_TRACE] = "trace",  [CKBENCH_BY_SIGNAL] = "signal", [CKBENCH_UNHEARD] = "unheard",
};

static bool ckbench_make_sizes(struct ckbench_source *source)
{
    double median = (double)source->wishes->value_p50;
    double sigma = log((double)source->wishes->value_p95 / median) / P95;
    source->value_sizes = malloc(SIZES * sizeof *source->value_sizes);
    for (size_t i = 0; source->value_sizes != NULL && i < SIZES; i++) {
        double z = sigma > 0 ? ckbench_normal_quantile(((double)i + 0.5) / SIZES) : 0;
        double bytes = floor(median * exp(sigma * z) + 0.5);
        bytes = bytes < 1 ? 1 : bytes > CKBENCH_VALUE_MAX ? CKBENCH_VALUE_MAX : bytes;
        source->value_sizes[i] = (uint32_t)bytes;
    }
    return source->value_sizes != NULL;
}

// Steps of the golden ratio visit all sizes evenly, whatever ranks come first.
static uint32_t ckbench_rank_size(const struct ckbench_source *source, uint64_t rank)
{
    return source->value_sizes[(rank * 0x9e3779b97f4a7c15 + SIZES_SHIFT) >> (64 - SIZES_BITS)];
}

static bool ckbench_make_zipf(struct ckbench_source *source)
{
    const struct ckbench_wishes *wishes = source->wishes;
    source->zipf_books = calloc(1, sizeof *source->zipf_books);
    if (source->zipf_books == NULL ||
        !ckbench_zipf_start(&source->zipf, wishes->keys, wishes->zipf)) {
        return false;
    }
    ckbench_scatter_start(&source->scatter, wishes->keys, wishes->seed);
    if (wishes->keys > CKBENCH_ALIAS_MAX) {
        return true;
    }
    source->ranked = malloc(wishes->keys * sizeof *source->ranked);
    for (uint64_t rank = 0; source->ranked != NULL && rank < wishes->keys; rank++) {
        source->ranked[rank] = (struct ckbench_ranked){
            (uint32_t)ckbench_scatter(&source->scatter, rank), ckbench_rank_size(source, rank), 0};
    }
    return source->ranked != NULL;
}

bool ckbench_source_open(struct ckbench_source *source, const struct ckbench_wishes *wishes,
                         char *fault, size_t room)
{
    source->wishes = wishes;
    if (wishes->trace != NULL &&
        !ckbench_trace_read(wishes->trace, (enum ckbench_trace_format)wishes->format,
                            &source->trace, fault, room)) {
        return false;
    }
    if (wishes->arrivals == CKBENCH_TRACED && source->trace.is_out_of_order) {
        snprintf(fault, room, "trace '%.80s' goes back in time, or over more than 10^9 seconds",
                 wishes->trace);
        return false;
    }
    if (!ckbench_make_sizes(source) || (wishes->trace == NULL && !ckbench_make_zipf(source))) {
        snprintf(fault, room, "no memory for %llu keys", (unsigned long long)wishes->keys);
        return false;
    }
    source->dump = wishes->dump != NULL ? fopen(wishes->dump, "we") : NULL;
    if (wishes->dump != NULL && source->dump == NULL) {
        snprintf(fault, room, "dump '%.80s' cannot be written: %s", wishes->dump, strerror(errno));
        return false;
    }
    source->is_plain = wishes->arrivals == CKBENCH_CLOSED && wishes->dump == NULL;
    ckbench_random_start(&source->random, wishes->seed, STREAM_KEYS);
    source->arrivals.kind = (enum ckbench_arrival)wishes->arrivals;
    source->arrivals.gap_ns = 1e9 / wishes->rate;
    ckbench_random_start(&source->arrivals.random, wishes->seed, STREAM_ARRIVALS);
    if (wishes->arrivals == CKBENCH_TRACED) {
        ckbench_trace_spread(&source->trace, &source->arrivals.random);
        source->arrivals.instants = source->trace.times_ns;
        source->arrivals.instant_count = source->trace.count;
    }
    return true;
}

bool ckbench_source_is_dumped(const struct ckbench_source *source)
{
    return source->dump == NULL || (fflush(source->dump) == 0 && ferror(source->dump) == 0);
}

void ckbench_source_close(struct ckbench_source *source)
{
    ckbench_zipf_end(&source->zipf);
    ckbench_trace_free(&source->trace);
    free(source->zipf_books);
    free(source->ranked);
    free(source->value_sizes);
    if (source->dump != NULL) {
        (void)fclose(source->dump);
    }
}

static void ckbench_note_size(struct ckbench_source *source, uint32_t bytes, uint64_t times)
{
    source->value_counts[ckbench_cell(bytes)] += times;
    source->value_max = bytes > source->value_max ? bytes : source->value_max;
}

static void ckbench_source_draw(struct ckbench_source *source, size_t want)
{
    // Copies in registers: the state would be stored and loaded again for every number.
    struct ckbench_random random = source->random;
    const struct ckbench_zipf zipf = source->zipf;
    // In two passes: the looks into the two tables then wait side by side, not one for another.
    uint32_t ranks[CKBENCH_BLOCK];
    for (size_t i = 0; source->ranked != NULL && i < want; i++) {
        ranks[i] = (uint32_t)ckbench_zipf_rank(&zipf, &random);
    }
    for (size_t i = 0; source->ranked != NULL && i < want; i++) {
        struct ckbench_ranked *ranked = &source->ranked[ranks[i]];
        source->block[i] = (struct ckbench_ask){ranked->key, ranked->value_bytes};
        ranked->draws++;
    }
    for (size_t i = 0; source->ranked == NULL && i < want; i++) {
        uint64_t rank = ckbench_zipf_rank(&zipf, &random);
        uint32_t bytes = ckbench_rank_size(source, rank);
        ckbench_zipf_note(source->zipf_books, rank, 1);
        ckbench_note_size(source, bytes, 1);
        source->block[i] = (struct ckbench_ask){ckbench_scatter(&source->scatter, rank), bytes};
    }
    source->random = random;
}

void ckbench_source_count(struct ckbench_source *source)
{
    for (uint64_t rank = 0; source->ranked != NULL && rank < source->zipf.keys; rank++) {
        struct ckbench_ranked *ranked = &source->ranked[rank];
        if (ranked->draws > 0) {
            ckbench_zipf_note(source->zipf_books, rank, ranked->draws);
            ckbench_note_size(source, ranked->value_bytes, ranked->draws);
            ranked->draws = 0;
        }
    }
}

static void ckbench_source_replay(struct ckbench_source *source, size_t want)
{
    for (size_t i = 0; i < want; i++) {
        size_t at = source->trace_at++;
        uint64_t key = source->trace.keys[at];
        uint32_t bytes = source->trace.bytes != NULL
                             ? source->trace.bytes[at]
                             : source->value_sizes[ckbench_mix(key) >> (64 - SIZES_BITS)];
        source->block[i] = (struct ckbench_ask){key, bytes};
        ckbench_note_size(source, bytes, 1);
    }
}

// False at the end of a trace.
static bool ckbench_source_fill(struct ckbench_source *source)
{
    bool is_trace = source->trace.count > 0;
    size_t left = source->trace.count - source->trace_at;
    size_t want = is_trace && left < CKBENCH_BLOCK ? left : CKBENCH_BLOCK;
    if (is_trace) {
        ckbench_source_replay(source, want);
    } else {
        ckbench_source_draw(source, want);
    }
    source->block_at = 0;
    source->block_count = want;
    return want > 0;
}

void ckbench_source_start(struct ckbench_source *source, int64_t now_ns, uint64_t calls,
                          int64_t length_ns)
{
    source->origin_ns = now_ns;
    source->end_ns = length_ns > 0 ? now_ns + length_ns : INT64_MAX;
    source->drained_ns = length_ns > 0 ? source->end_ns + length_ns : INT64_MAX;
    source->calls_left = calls > 0 ? calls : UINT64_MAX;
    source->unserved = 0;
    ckbench_arrivals_restart(&source->arrivals,
                             source->trace_at - (source->block_count - source->block_at));
    source->next_ns = now_ns + ckbench_arrivals_next(&source->arrivals);
}

// The arrival at hand is nobody's any more. A recorded request goes with it.
static void ckbench_source_skip(struct ckbench_source *source)
{
    source->next_ns = source->origin_ns + ckbench_arrivals_next(&source->arrivals);
    if (source->trace.count > 0 &&
        (source->block_at < source->block_count || ckbench_source_fill(source))) {
        source->block_at++;
    }
}

// Nobody will be free for these: the end has passed.
static enum ckbench_reason ckbench_source_leave(struct ckbench_source *source)
{
    while (source->next_ns < source->end_ns && source->unserved < UINT32_MAX) {
        source->unserved++;
        source->next_ns = source->origin_ns + ckbench_arrivals_next(&source->arrivals);
    }
    return CKBENCH_BY_TIME;
}

static enum ckbench_reason ckbench_source_arrive(struct ckbench_source *source, int64_t now_ns,
                                                 struct ckbench_turn *turn)
{
    bool is_queueing = source->wishes->is_queueing != 0;
    if (now_ns >= (is_queueing ? source->drained_ns : source->end_ns)) {
        return ckbench_source_leave(source);
    }
    if (source->next_ns >= source->end_ns) {
        return CKBENCH_BY_TIME;
    }
    turn->intended_ns = source->next_ns;
    source->next_ns = source->origin_ns + ckbench_arrivals_next(&source->arrivals);
    return CKBENCH_RUNNING;
}

// Who is late starts at once, and whoever else came meanwhile is dropped.
static void ckbench_source_drop(struct ckbench_source *source, int64_t now_ns,
                                struct ckbench_turn *turn)
{
    while (source->next_ns <= now_ns && turn->dropped < INT32_MAX) {
        ckbench_source_skip(source);
        turn->dropped++;
    }
}

enum ckbench_reason ckbench_source_next(struct ckbench_source *source, int64_t now_ns,
                                        struct ckbench_turn *turn)
{
    bool is_closed = source->arrivals.kind == CKBENCH_CLOSED;
    turn->dropped = 0;
    if (source->calls_left == 0) {
        return CKBENCH_BY_CALLS;
    }
    if (is_closed && now_ns >= source->end_ns) {
        return CKBENCH_BY_TIME;
    }
    if (source->block_at == source->block_count && !ckbench_source_fill(source)) {
        return CKBENCH_BY_TRACE;
    }
    if (!is_closed) {
        enum ckbench_reason reason = ckbench_source_arrive(source, now_ns, turn);
        if (reason != CKBENCH_RUNNING) {
            return reason;
        }
    }
    turn->ask = source->block[source->block_at++];
    source->calls_left--;
    if (!is_closed && source->wishes->is_queueing == 0) {
        ckbench_source_drop(source, now_ns, turn);
    }
    if (source->dump != NULL) {
        fprintf(source->dump, "%llu\n", (unsigned long long)turn->ask.key);
    }
    return CKBENCH_RUNNING;
}
