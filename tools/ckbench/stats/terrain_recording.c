// SPDX-License-Identifier: MIT
// The data of a recording and the few sums that several rooms need.
#include "stats/terrain_recording.h"

#include <stdlib.h>
#include <string.h>

#include "stats/terrain_cells.h"

enum { NOISE_SHARE = 100 };
__extension__ typedef __int128 wide;

const char *const terrain_time_words[TERRAIN_TIMES] = {"service", "wait", "response"};

void terrain_recording_init(struct terrain_recording *recording)
{
    memset(recording, 0, sizeof *recording);
    for (size_t i = 0; i < TERRAIN_LAYERS_MAX; i++) {
        recording->books[i].calls = -1;
        recording->books[i].counted = -1;
    }
}

void terrain_recording_release(struct terrain_recording *recording)
{
    for (size_t i = 0; i < recording->setting_count; i++) {
        free(recording->settings[i]);
    }
    free(recording->slices);
    free(recording->cells);
    terrain_recording_init(recording);
}

// Room for one more. NULL: no memory; the old block stands.
static void *grow(void *block, size_t count, size_t *room, size_t size)
{
    if (count < *room) {
        return block;
    }
    size_t wanted = *room > 0 ? 2 * *room : 256;
    void *grown = reallocarray(block, wanted, size);
    if (grown != NULL) {
        *room = wanted;
    }
    return grown;
}

struct terrain_slice *terrain_add_slice(struct terrain_recording *recording,
                                        const struct terrain_slice *slice)
{
    struct terrain_slice *grown = NULL;
    if (recording->slice_count < TERRAIN_SLICES_MAX) {
        grown = grow(recording->slices, recording->slice_count, &recording->slice_room,
                     sizeof *recording->slices);
    }
    if (grown == NULL) {
        return NULL;
    }
    recording->slices = grown;
    struct terrain_slice *added = &recording->slices[recording->slice_count++];
    *added = *slice;
    added->first_cell = recording->cell_count;
    added->cell_count = 0;
    return added;
}

bool terrain_add_cell(struct terrain_recording *recording, const struct terrain_cell *cell)
{
    struct terrain_cell *grown = grow(recording->cells, recording->cell_count,
                                      &recording->cell_room, sizeof *recording->cells);
    if (grown == NULL || recording->slice_count == 0) {
        return false;
    }
    recording->cells = grown;
    recording->cells[recording->cell_count++] = *cell;
    recording->slices[recording->slice_count - 1].cell_count++;
    return true;
}

bool terrain_add_setting(struct terrain_recording *recording, const char *setting)
{
    char *copy = recording->setting_count < TERRAIN_SETTINGS_MAX ? strdup(setting) : NULL;
    if (copy != NULL) {
        recording->settings[recording->setting_count++] = copy;
    }
    return copy != NULL;
}

bool terrain_add_count(struct terrain_recording *recording, const char *name, int64_t count)
{
    if (recording->count_count == TERRAIN_COUNTS_MAX || terrain_count_of(recording, name) >= 0 ||
        strlen(name) >= TERRAIN_NAME_ROOM) {
        return false;
    }
    struct terrain_count *added = &recording->counts[recording->count_count++];
    memcpy(added->name, name, strlen(name) + 1);
    added->count = count;
    return true;
}

int64_t terrain_count_of(const struct terrain_recording *recording, const char *name)
{
    for (size_t i = 0; i < recording->count_count; i++) {
        if (strcmp(recording->counts[i].name, name) == 0) {
            return recording->counts[i].count;
        }
    }
    return -1;
}

// GETs that the terrain knows an answer of, those of the scripts that release locks included.
static int64_t known_gets(const struct terrain_recording *recording)
{
    static const char *const names[] = {"l2_found", "l2_absent", "l2_released", "l2_unreleased"};
    int64_t sum = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        int64_t count = terrain_count_of(recording, names[i]);
        sum += count > 0 ? count : 0;
    }
    return sum;
}

static bool has_strangers(const struct terrain_recording *recording)
{
    const struct terrain_server_info *before = &recording->before, *after = &recording->after;
    int64_t unsure = terrain_count_of(recording, "l2_unsure");
    // The one who asks is a client too.
    return before->clients > 1 || after->clients > 1 || after->strangers > before->strangers ||
           after->gets - before->gets > known_gets(recording) + unsure;
}

const char *terrain_server_doubt(const struct terrain_recording *recording)
{
    const struct terrain_server_info *before = &recording->before, *after = &recording->after;
    if (!before->is_known) {
        return "the server did not answer before the run";
    }
    if (!after->is_known) {
        return "the server did not answer after the run";
    }
    if (strcmp(before->run_id, after->run_id) != 0) {
        return "the server was restarted during the run";
    }
    if (terrain_count_of(recording, "l2_unsure") < 0) {
        return "the terrain does not tell what became of its questions";
    }
    return has_strangers(recording) ? "the server has other clients" : NULL;
}

int terrain_row(const struct terrain_recording *recording, const char *layer)
{
    for (size_t i = 0; i < recording->layer_count; i++) {
        if (strcmp(recording->layers[i], layer) == 0) {
            return (int)i;
        }
    }
    return strcmp(layer, "unattributed") == 0 ? (int)recording->layer_count : -1;
}

const char *terrain_row_name(const struct terrain_recording *recording, size_t row)
{
    return row < recording->layer_count ? recording->layers[row] : "unattributed";
}

bool terrain_has_time(const struct terrain_recording *recording, enum terrain_time time)
{
    return time == TERRAIN_SERVICE || strcmp(recording->regime, "saturated") != 0;
}

void terrain_sum_cells(const struct terrain_recording *recording, size_t row,
                       enum terrain_time time, uint64_t *counts)
{
    memset(counts, 0, TERRAIN_CELLS * sizeof *counts);
    for (size_t i = 0; i < recording->cell_count; i++) {
        const struct terrain_cell *cell = &recording->cells[i];
        if (cell->row == row && cell->time == time) {
            counts[cell->cell] += cell->count;
        }
    }
}

bool terrain_is_noisy(const struct terrain_slice *slice)
{
    return slice->steal_ticks > 0 ||
           slice->run_delay_ns > (slice->end_ns - slice->start_ns) / NOISE_SHARE;
}

int64_t terrain_started(const struct terrain_slice *slice)
{
    return slice->asked - slice->dropped;
}

size_t terrain_busiest(const struct terrain_recording *recording)
{
    size_t busiest = recording->slice_count;
    for (size_t i = 0; i < recording->slice_count; i++) {
        if (busiest == recording->slice_count ||
            recording->slices[i].asked > recording->slices[busiest].asked) {
            busiest = i;
        }
    }
    return busiest;
}

int64_t terrain_rate_milli(int64_t calls, int64_t ns)
{
    return ns > 0 ? (int64_t)((wide)calls * 1000000000000 / ns) : 0;
}
