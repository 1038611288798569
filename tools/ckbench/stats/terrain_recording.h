// SPDX-License-Identifier: MIT
// What a run of a terrain said, as data: measure fills it, store writes and reads it, render draws
// it. Layer: stats. Integers as they came; figures of -1 were not given.
#ifndef CKBENCH_TERRAIN_RECORDING_H
#define CKBENCH_TERRAIN_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TERRAIN_LAYERS_MAX = 8,
    TERRAIN_ROWS_MAX = TERRAIN_LAYERS_MAX + 1, // the last row in use is `unattributed`
    TERRAIN_NAME_ROOM = 65,
    TERRAIN_SETTINGS_MAX = 64,
    TERRAIN_SLICES_MAX = 100000,
    TERRAIN_TOPS_MAX = 8,
    TERRAIN_COUNTS_MAX = 16,
};

enum terrain_time { TERRAIN_SERVICE, TERRAIN_WAIT, TERRAIN_RESPONSE, TERRAIN_TIMES };
extern const char *const terrain_time_words[TERRAIN_TIMES];

struct terrain_slice {
    int64_t start_ns, end_ns;
    int64_t asked, dropped, late, failed, unattributed;
    int64_t steal_ticks, run_delay_ns, kit_ns;
    int64_t n[TERRAIN_LAYERS_MAX];
    size_t first_cell, cell_count; // in `cells`
};

struct terrain_cell {
    uint16_t cell;
    uint8_t row; // of the layers; `layer_count`: unattributed
    uint8_t time;
    uint32_t count;
};

struct terrain_exact {
    int64_t n; // 0: no calls
    int64_t p50_ns, p99_ns, max_ns, sum_ns;
    bool is_from_cells;
};

struct terrain_zipf {
    int64_t draws, groups, freedom, chi2_milli, p_ppm; // p -1: too few groups
    size_t top_count;
    int64_t top[TERRAIN_TOPS_MAX], asked_ppm[TERRAIN_TOPS_MAX], drawn_ppm[TERRAIN_TOPS_MAX];
};

// What a server says of itself at one moment.
struct terrain_server_info {
    bool is_known;
    char version[32], run_id[64], policy[32];
    int64_t hits, misses, clients, keys;
    int64_t errors; // -1: it does not count them
    int64_t gets,
        strangers; // GETs, scripts' too; commands that no cache of ours gives. -1: not told
};

// What a terrain tells of itself by name, since it was opened.
struct terrain_count {
    char name[TERRAIN_NAME_ROOM];
    int64_t count;
};

struct terrain_recording {
    char name[TERRAIN_NAME_ROOM];
    size_t layer_count;
    char layers[TERRAIN_LAYERS_MAX][TERRAIN_NAME_ROOM];
    char clock[8], regime[16], sampler[16], name_space[TERRAIN_NAME_ROOM];
    int64_t granule_ns, clock_cost_ps, floor_p50_ns, floor_p99_ns, seed, keys, pid;
    size_t setting_count;
    char *settings[TERRAIN_SETTINGS_MAX]; // "option=value"
    struct {
        int64_t calls, dropped, unattributed;
        int64_t n[TERRAIN_LAYERS_MAX];
    } warmup;
    size_t slice_count, slice_room;
    struct terrain_slice *slices;
    size_t cell_count, cell_room;
    struct terrain_cell *cells;
    struct terrain_exact exact[TERRAIN_ROWS_MAX][TERRAIN_TIMES];
    struct {
        int64_t calls, counted; // -1: no books; -1: no counters
    } books[TERRAIN_LAYERS_MAX];
    struct {
        char layer[TERRAIN_NAME_ROOM]; // "": has no loader
        int64_t calls, runs, elsewhere, ns;
    } loader;
    size_t count_count;
    struct terrain_count counts[TERRAIN_COUNTS_MAX];
    bool has_zipf, has_values;
    struct terrain_zipf zipf;
    struct {
        int64_t p50_bytes, p95_bytes, max_bytes;
    } values;
    bool has_server; // asked before and after
    struct terrain_server_info before, after;
    bool is_stopped;
    char reason[16];
    struct {
        int64_t slices, calls, dropped, late, failed, unattributed, unserved, wall_ns, kit_ns;
    } end;
};

void terrain_recording_init(struct terrain_recording *recording);
void terrain_recording_release(struct terrain_recording *recording);

// The slice or cell is copied behind the others. NULL, false: out of memory or too many.
struct terrain_slice *terrain_add_slice(struct terrain_recording *recording,
                                        const struct terrain_slice *slice);
bool terrain_add_cell(struct terrain_recording *recording, const struct terrain_cell *cell);
bool terrain_add_setting(struct terrain_recording *recording, const char *setting);

bool terrain_add_count(struct terrain_recording *recording, const char *name, int64_t count);
// -1: not told.
int64_t terrain_count_of(const struct terrain_recording *recording, const char *name);

// NULL: the server's counters are of this run alone and can be held against the terrain's. Else
// one line why not.
const char *terrain_server_doubt(const struct terrain_recording *recording);

// The row of a layer's name, `layer_count` for "unattributed"; -1: there is none.
int terrain_row(const struct terrain_recording *recording, const char *layer);
const char *terrain_row_name(const struct terrain_recording *recording, size_t row);

// "saturated": no instants were intended, so only the service time exists.
bool terrain_has_time(const struct terrain_recording *recording, enum terrain_time time);

// Sums the cells of a row and time over all slices; `counts` holds TERRAIN_CELLS.
void terrain_sum_cells(const struct terrain_recording *recording, size_t row,
                       enum terrain_time time, uint64_t *counts);

// A slice on which the host worked for others: callers waited for a CPU for over a hundredth of it,
// or the hypervisor took a tick.
bool terrain_is_noisy(const struct terrain_slice *slice);

int64_t terrain_started(const struct terrain_slice *slice);

// The slice with the most calls asked; `slice_count`: there is none.
size_t terrain_busiest(const struct terrain_recording *recording);

// Thousandths of calls a second.
int64_t terrain_rate_milli(int64_t calls, int64_t ns);
#endif
