// SPDX-License-Identifier: MIT
#ifndef CKBENCH_TERRAIN_PARTS_H
#define CKBENCH_TERRAIN_PARTS_H

// What the files of the terrain loop share; kit.h comes first.

#include <ckbench/terrain.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

#include "kit.h"

enum {
    CKBENCH_LAYERS_MAX = 8,
    CKBENCH_SLICES_MAX = 100000,
    CKBENCH_CALLERS_MAX = 64,
    CKBENCH_CELLS = 1280,
    CKBENCH_BLOCK = 512, /* samples between two looks at the books */
    CKBENCH_VALUE_MAX = 1 << 20,
    CKBENCH_ALIAS_MAX = 1 << 20,
};

#define CKBENCH_NS_PER_S 1000000000LL

// arrivals.c: random numbers, laws of time, instants of arrival.
struct ckbench_random {
    uint64_t s[4];
};
void ckbench_random_start(struct ckbench_random *random, uint64_t seed, uint64_t stream);
static inline uint64_t ckbench_random_next(struct ckbench_random *random)
{
    uint64_t *s = random->s;
    uint64_t sum = s[0] + s[3], shifted = s[1] << 17;
    uint64_t out = (sum << 23 | sum >> 41) + s[0];
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = s[3] << 45 | s[3] >> 19;
    return out;
}
/** Over 0, at most 1. */
double ckbench_random_unit(struct ckbench_random *random);
uint64_t ckbench_mix(uint64_t value);
/** The quantile of the normal distribution, 0 < p < 1. */
double ckbench_normal_quantile(double p);

enum ckbench_law_kind { CKBENCH_CONSTANT, CKBENCH_EXPONENTIAL, CKBENCH_LOGNORMAL };
struct ckbench_law {
    enum ckbench_law_kind kind;
    double scale_ns; /* the value, the mean, the median */
    double sigma;
};
bool ckbench_duration_read(const char *text, size_t len, double *ns);
bool ckbench_law_read(const char *text, struct ckbench_law *law);
int64_t ckbench_law_draw(const struct ckbench_law *law, struct ckbench_random *random);

enum ckbench_arrival { CKBENCH_POISSON, CKBENCH_EVEN, CKBENCH_CLOSED, CKBENCH_TRACED };
struct ckbench_arrivals {
    enum ckbench_arrival kind;
    double gap_ns;
    struct ckbench_random random;
    uint64_t count;
    long double at_ns;       /* since the start of the schedule */
    const int64_t *instants; /* of a trace, and how many there are */
    uint64_t instant_count;
    int64_t base_ns; /* the instant of the trace that is the start */
};
/** `done`: arrivals of a trace that are over. */
void ckbench_arrivals_restart(struct ckbench_arrivals *arrivals, uint64_t done);
/** The next instant, in ns since the start of the schedule; never before the one before. */
int64_t ckbench_arrivals_next(struct ckbench_arrivals *arrivals);

// zipf.c: ranks from 0 by Zipf's law, exactly, and where they lie among the keys.
struct ckbench_alias {
    uint32_t keep; /* share of the slot, in 2^-32, that is its own rank's; the rest is `other`'s */
    uint32_t other;
};
struct ckbench_zipf {
    uint64_t keys;
    double exponent;
    struct ckbench_alias *alias; /* NULL: rejection-inversion */
    double area_first, area_last, squeeze;
    double total; /* sum of all weights */
};
bool ckbench_zipf_start(struct ckbench_zipf *zipf, uint64_t keys, double exponent);
void ckbench_zipf_end(struct ckbench_zipf *zipf);
uint64_t ckbench_zipf_reject(const struct ckbench_zipf *zipf, struct ckbench_random *random);
static inline uint64_t ckbench_zipf_rank(const struct ckbench_zipf *zipf,
                                         struct ckbench_random *random)
{
    if (zipf->alias == NULL) {
        return ckbench_zipf_reject(zipf, random);
    }
    // One number: the high half of its product with `keys` is the slot, the low half the place.
    uint64_t number = ckbench_random_next(random), low = (number & UINT32_MAX) * zipf->keys;
    uint64_t slot = ((number >> 32) * zipf->keys + (low >> 32)) >> 32;
    const struct ckbench_alias *found = &zipf->alias[slot];
    // Without a branch, which would be guessed wrong every other time.
    uint64_t keeps = UINT64_C(0) - (number * zipf->keys >> 32 < found->keep);
    return (slot & keeps) | (found->other & ~keeps);
}
/** The share of the ranks below `rank`. */
double ckbench_zipf_share_below(const struct ckbench_zipf *zipf, uint64_t rank);

struct ckbench_scatter {
    uint64_t keys;
    unsigned half_bits;
    uint64_t seed;
};
void ckbench_scatter_start(struct ckbench_scatter *scatter, uint64_t keys, uint64_t seed);
/** A bijection on 0 .. keys - 1. */
uint64_t ckbench_scatter(const struct ckbench_scatter *scatter, uint64_t rank);

// zipf_check.c: what was drawn against what was asked for.
struct ckbench_zipf_books {
    uint64_t draws;
    uint64_t cells[CKBENCH_CELLS];
    uint64_t top[4];
};
struct ckbench_certificate {
    uint64_t groups;
    double chi2, p; /* p < 0: too few groups to say */
};
extern const uint64_t ckbench_zipf_top[4];
void ckbench_zipf_note(struct ckbench_zipf_books *books, uint64_t rank, uint64_t times);
struct ckbench_certificate ckbench_zipf_judge(const struct ckbench_zipf *zipf,
                                              const struct ckbench_zipf_books *books);
/** The chance of a chi-square of at least `chi2` with `freedom` degrees of freedom. */
double ckbench_chi2_p(double chi2, double freedom);

// histogram.c
enum ckbench_time { CKBENCH_SERVICE, CKBENCH_WAIT, CKBENCH_RESPONSE, CKBENCH_TIMES };
extern const char *const ckbench_time_names[CKBENCH_TIMES];
static inline unsigned ckbench_cell(uint64_t ns)
{
    if (ns < 64) {
        return (unsigned)ns;
    }
    ns = ns < (UINT64_C(1) << 44) ? ns : (UINT64_C(1) << 44) - 1;
    unsigned exponent = 63 - (unsigned)__builtin_clzll(ns);
    return 32 * (exponent - 4) + (unsigned)(ns >> (exponent - 5)) - 32;
}
uint64_t ckbench_cell_last(unsigned cell);
enum { CKBENCH_FINE = 1 << 10, CKBENCH_SMALL = 1 << 16 };
/** All times of one kind: small ones are counted ns by ns, the others are kept one by one. */
struct ckbench_raw {
    uint64_t *small; /* by ns */
    uint32_t *values;
    uint64_t *large; /* from UINT32_MAX on */
    size_t count, room, large_count, large_room;
    bool is_full; /* no more are kept */
    uint64_t cells[CKBENCH_CELLS];
    uint64_t n, sum, max;
};
bool ckbench_raw_open(struct ckbench_raw *raw);
/** Where up to CKBENCH_BLOCK times from CKBENCH_SMALL to UINT32_MAX - 1 may be put. */
uint32_t *ckbench_raw_room(struct ckbench_raw *raw, size_t count);
/** So many were put there. */
void ckbench_raw_kept(struct ckbench_raw *raw, size_t count);
/** Keeps a time of at least UINT32_MAX. */
void ckbench_raw_large(struct ckbench_raw *raw, uint64_t ns);
void ckbench_raw_free(struct ckbench_raw *raw);
/** Nearest rank; from the samples where all are there, else the last value of the cell. */
uint64_t ckbench_raw_quantile(const struct ckbench_raw *raw, double quantile);
bool ckbench_raw_is_whole(const struct ckbench_raw *raw);

// terrain_options.c
enum ckbench_trace_format {
    CKBENCH_TRACE_KEYS,
    CKBENCH_TRACE_ORACLE,
    CKBENCH_TRACE_TWITTER,
    CKBENCH_TRACE_CACHE2K
};
enum { CKBENCH_OPTIONS = 26, CKBENCH_FOREIGN_MAX = 16 };
struct ckbench_wishes {
    uint64_t is_virtual, seed, keys, arrivals, is_queueing, callers, calls, warmup, call_ns;
    uint64_t value_p50, value_p95, l1_keys, l1_bytes, format;
    double zipf, rate, seconds, slice, ttl;
    struct ckbench_law miss, l2;
    int64_t stall_ns, stall_every_ns;
    const char *trace, *dump, *name_space;
    const char *texts[CKBENCH_OPTIONS];
    const char *foreign[CKBENCH_FOREIGN_MAX];
    bool foreign_asked[CKBENCH_FOREIGN_MAX];
    size_t foreign_count;
};
/** False: `fault` says what is wrong. */
bool ckbench_wishes_read(int argc, char **argv, struct ckbench_wishes *wishes, char *fault,
                         size_t room);
void ckbench_line_wishes(struct ckbench_line *line, const struct ckbench_wishes *wishes);

// terrain_trace.c
struct ckbench_trace {
    uint64_t *keys;
    uint32_t *bytes;      /* NULL: the format has none */
    int64_t *times_ns;    /* since the first request, likewise; whole seconds */
    bool is_out_of_order; /* its times go back, or over more than 10^9 seconds */
    size_t count;
};
bool ckbench_trace_read(const char *path, enum ckbench_trace_format format,
                        struct ckbench_trace *trace, char *fault, size_t room);
/** Requests of the same second come at random instants in it, in their order. */
void ckbench_trace_spread(struct ckbench_trace *trace, struct ckbench_random *random);
void ckbench_trace_free(struct ckbench_trace *trace);

// terrain_clock.c
struct ckbench_clock {
    bool is_virtual;
    int64_t tick_ns; /* virtual */
    uint64_t granule_ns, cost_ps, floor_p50_ns, floor_p99_ns;
};
int64_t ckbench_monotonic_ns(void);
static inline int64_t ckbench_clock_now(struct ckbench_clock *clock)
{
    return clock->is_virtual ? clock->tick_ns : ckbench_monotonic_ns();
}
void ckbench_clock_calibrate(struct ckbench_clock *clock);
/** Until `until_ns`, or until somebody asks to stop. */
void ckbench_clock_wait(struct ckbench_clock *clock, int64_t until_ns);
/** Lets `ns` pass, whoever asks to stop. */
void ckbench_clock_pass(struct ckbench_clock *clock, int64_t ns);
extern volatile sig_atomic_t ckbench_is_stopped;
void ckbench_stop_on_signals(void);

// terrain_source.c: whose turn it is, and for which key.
enum ckbench_reason {
    CKBENCH_RUNNING,
    CKBENCH_BY_TIME,
    CKBENCH_BY_CALLS,
    CKBENCH_BY_TRACE,
    CKBENCH_BY_SIGNAL,
    CKBENCH_UNHEARD
};
extern const char *const ckbench_reason_names[];
/** What is known of a rank, side by side, so that a draw touches one line of memory. */
struct ckbench_ranked {
    uint32_t key, value_bytes;
    uint64_t draws;
};
struct ckbench_source {
    const struct ckbench_wishes *wishes;
    struct ckbench_zipf zipf;
    struct ckbench_scatter scatter;
    struct ckbench_random random;
    struct ckbench_zipf_books *zipf_books;
    struct ckbench_trace trace;
    size_t trace_at;
    struct ckbench_arrivals arrivals;
    struct ckbench_ranked *ranked; /* of small key ranges */
    uint32_t *value_sizes;         /* by place in a round of ranks or keys */
    uint64_t value_counts[CKBENCH_CELLS];
    uint64_t value_max;
    FILE *dump;
    struct ckbench_ask block[CKBENCH_BLOCK];
    size_t block_at, block_count;
    bool is_plain; /* back to back, without a dump */
    int64_t origin_ns, end_ns, drained_ns;
    int64_t next_ns;
    uint64_t calls_left;
    uint64_t unserved;
};
struct ckbench_turn {
    struct ckbench_ask ask;
    int64_t intended_ns;
    uint32_t dropped;
};
bool ckbench_source_open(struct ckbench_source *source, const struct ckbench_wishes *wishes,
                         char *fault, size_t room);
/** False when keys could not be written to the dump. */
bool ckbench_source_is_dumped(const struct ckbench_source *source);
void ckbench_source_close(struct ckbench_source *source);
/** Brings the books of ranks and sizes up to date. */
void ckbench_source_count(struct ckbench_source *source);
void ckbench_source_start(struct ckbench_source *source, int64_t now_ns, uint64_t calls,
                          int64_t length_ns);
/** RUNNING and the next turn, or why there is none. One caller at a time. */
enum ckbench_reason ckbench_source_next(struct ckbench_source *source, int64_t now_ns,
                                        struct ckbench_turn *turn);

// terrain_loop.c
struct ckbench_sample {
    int64_t intended_ns, start_ns, end_ns;
    int32_t layer;
    uint32_t dropped : 31;
    uint32_t is_loaded : 1;
};
struct ckbench_run;
struct ckbench_caller {
    struct ckbench_run *run;
    struct ckbench_random random;
    struct ckbench_sample samples[CKBENCH_BLOCK];
    size_t count;
    uint64_t slice; /* the caller is in it, or further */
    uint64_t loads;
    uint64_t load_ns;
    uint64_t delay_ns; /* run delay at the last look */
    int schedstat;
    const struct ckbench_ask *ask; /* of the call under way */
    pthread_t thread;
};
enum { CKBENCH_COUNTS_MAX = 16 };
struct ckbench_counts {
    size_t n;
    struct {
        char name[33];
        uint64_t count;
    } items[CKBENCH_COUNTS_MAX];
};
/** Times of a layer: short ones by ns until the slice is sent, the others by cell at once. */
struct ckbench_slice_row {
    uint32_t fine[CKBENCH_TIMES][CKBENCH_FINE];
    uint32_t cells[CKBENCH_TIMES][CKBENCH_CELLS];
};
struct ckbench_slice {
    uint64_t index;
    uint64_t dropped, late, failed, run_delay_ns, kit_ns;
    struct ckbench_slice *next;
    uint64_t n[CKBENCH_LAYERS_MAX + 1];
    struct ckbench_slice_row rows[CKBENCH_LAYERS_MAX + 1];
};
struct ckbench_run {
    const struct ckbench_terrain *terrain;
    struct ckbench_wishes wishes;
    struct ckbench_clock clock;
    struct ckbench_source source;
    struct ckbench_terrain_setup setup;
    void *state;
    size_t layers;
    int miss; /* the layer of that name, -1: there is none */
    char name_space[65];
    bool is_closed, is_recording;
    pthread_mutex_t lock;
    int64_t origin_ns, slice_ns, last_ns;
    uint64_t slice_last; /* what starts later belongs to it all the same */
    enum ckbench_reason reason;
    struct ckbench_caller *callers;
    struct ckbench_slice *slices, *spare; /* open ones by index */
    uint64_t first_open;
    uint64_t steal;
    struct ckbench_raw (*raw)[CKBENCH_TIMES];
    uint64_t n[CKBENCH_LAYERS_MAX + 1];
    uint64_t dropped, late, failed, kit_ns, slices_sent, wall_ns;
    uint64_t before[CKBENCH_LAYERS_MAX], after[CKBENCH_LAYERS_MAX];
    struct ckbench_counts counts; /* what the terrain told beside that, last */
    uint64_t loads, load_ns;
    uint64_t elsewhere; /* runs of the loader that no caller made */
    uint64_t lines;
    bool has_counters;
};
/** One phase: warm-up, or the recording. */
void ckbench_loop_run(struct ckbench_run *run);
void ckbench_loop_share(struct ckbench_run *run);

// terrain_slices.c
/** Files the caller's samples. The caller is then in the slice of `now_ns`, or later. */
void ckbench_slices_fold(struct ckbench_caller *caller, int64_t now_ns);
/** Its last samples are filed. The first caller's reason stands. */
void ckbench_caller_leaves(struct ckbench_caller *caller, enum ckbench_reason reason);
uint64_t ckbench_slice_started(const struct ckbench_run *run, const struct ckbench_slice *slice);
/** Everybody is done: sends what is open. */
void ckbench_slices_end(struct ckbench_run *run);
uint64_t ckbench_steal_ticks(void);
uint64_t ckbench_delay_ns(int schedstat);

// terrain_answer.c
void ckbench_send_terrain_start(struct ckbench_run *run);
void ckbench_send_warmup(struct ckbench_run *run);
void ckbench_send_slice(struct ckbench_run *run, const struct ckbench_slice *slice,
                        uint64_t steal_ticks, int64_t end_ns);
void ckbench_send_terrain_results(struct ckbench_run *run);

// terrain_registry.c
const struct ckbench_terrain *ckbench_terrain_first(void);
const struct ckbench_terrain *ckbench_terrain_find(const char *name);
size_t ckbench_terrain_layers(const struct ckbench_terrain *terrain);

#endif
