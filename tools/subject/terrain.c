// SPDX-License-Identifier: MIT
// `terrain`: a cache under a load of the kit's making. Everything that can be refused is refused
// before the first answer; then warm-up, the recording, and what it comes to.
#include "terrain_parts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { STREAM_CALLERS = 16 };

static struct ckbench_run *ckbench_opening; // while open() runs
static char ckbench_refusal[CKBENCH_REASON_BYTES];
static struct ckbench_counts *ckbench_counting; // while counters() runs

const char *ckbench_terrain_option(const char *name)
{
    struct ckbench_wishes *wishes = ckbench_opening != NULL ? &ckbench_opening->wishes : NULL;
    size_t len = strlen(name);
    for (size_t i = 0; wishes != NULL && i < wishes->foreign_count; i++) {
        const char *word = wishes->foreign[i];
        if (strncmp(word, name, len) == 0 && word[len] == '=') {
            wishes->foreign_asked[i] = true;
            return word + len + 1;
        }
    }
    return NULL;
}

void ckbench_terrain_refuse(const char *reason)
{
    snprintf(ckbench_refusal, sizeof ckbench_refusal, "%s", reason);
}

void ckbench_terrain_count(const char *name, uint64_t count)
{
    struct ckbench_counts *counts = ckbench_counting;
    size_t len = strlen(name);
    if (counts == NULL || counts->n == CKBENCH_COUNTS_MAX || len == 0 ||
        len >= sizeof counts->items[0].name ||
        strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != len) {
        return;
    }
    memcpy(counts->items[counts->n].name, name, len + 1);
    counts->items[counts->n++].count = count;
}

static void ckbench_name_space(struct ckbench_run *run)
{
    const char *asked = run->wishes.name_space;
    unsigned long long fresh = 0;
    if (asked == NULL && run->clock.is_virtual) {
        asked = "virtual";
    }
    if (asked == NULL && getrandom(&fresh, sizeof fresh, 0) != (ssize_t)sizeof fresh) {
        fresh = (unsigned long long)ckbench_monotonic_ns() << 22 ^ (unsigned long long)getpid();
    }
    if (asked != NULL) {
        snprintf(run->name_space, sizeof run->name_space, "%s", asked);
    } else {
        snprintf(run->name_space, sizeof run->name_space, "%016llx", fresh);
    }
}

static void ckbench_set_up_run(struct ckbench_run *run)
{
    const struct ckbench_wishes *wishes = &run->wishes;
    run->clock.is_virtual = wishes->is_virtual != 0;
    run->clock.tick_ns = CKBENCH_NS_PER_S; // caches take 0 for no time
    run->is_closed = wishes->arrivals == CKBENCH_CLOSED;
    run->slice_ns = (int64_t)(wishes->slice * 1e9 + 0.5);
    ckbench_name_space(run);
    run->setup = (struct ckbench_terrain_setup){
        .size = sizeof run->setup,
        .tick_ns = run->clock.is_virtual ? &run->clock.tick_ns : NULL,
        .callers = (uint32_t)wishes->callers,
        .seed = wishes->seed,
        .keys = wishes->trace == NULL ? wishes->keys : 0,
        .l1_keys = wishes->l1_keys,
        .l1_bytes = wishes->l1_bytes,
        .ttl_ms = (int64_t)(wishes->ttl * 1000 + 0.5),
        .name_space = run->name_space,
    };
    run->layers = ckbench_terrain_layers(run->terrain);
    run->miss = -1;
    for (size_t i = 0; i < run->layers; i++) {
        run->miss = strcmp(run->terrain->layers[i], "miss") == 0 ? (int)i : run->miss;
    }
    for (uint32_t i = 0; i < run->setup.callers; i++) {
        run->callers[i].run = run;
        ckbench_random_start(&run->callers[i].random, wishes->seed, STREAM_CALLERS + i);
    }
}

static bool ckbench_make_run(struct ckbench_run *run, char *fault, size_t room)
{
    run->callers = calloc(run->wishes.callers, sizeof *run->callers);
    run->raw = calloc(CKBENCH_LAYERS_MAX + 1, sizeof *run->raw);
    (void)pthread_mutex_init(&run->lock, NULL);
    if (run->callers == NULL || run->raw == NULL) {
        snprintf(fault, room, "no memory for the books");
        return false;
    }
    for (size_t layer = 0; layer <= CKBENCH_LAYERS_MAX; layer++) {
        for (size_t time = 0; time < CKBENCH_TIMES; time++) {
            if (!ckbench_raw_open(&run->raw[layer][time])) {
                snprintf(fault, room, "no memory for the books");
                return false;
            }
        }
    }
    return ckbench_source_open(&run->source, &run->wishes, fault, room);
}

static void ckbench_free_slices(struct ckbench_slice **list)
{
    while (*list != NULL) {
        struct ckbench_slice *next = (*list)->next;
        free(*list);
        *list = next;
    }
}

static void ckbench_end_run(struct ckbench_run *run)
{
    for (size_t layer = 0; run->raw != NULL && layer <= CKBENCH_LAYERS_MAX; layer++) {
        for (size_t time = 0; time < CKBENCH_TIMES; time++) {
            ckbench_raw_free(&run->raw[layer][time]);
        }
    }
    ckbench_free_slices(&run->slices);
    ckbench_free_slices(&run->spare);
    ckbench_source_close(&run->source);
    free(run->raw);
    free(run->callers);
    free(run);
}

static void ckbench_phase(struct ckbench_run *run, bool is_recording)
{
    run->is_recording = is_recording;
    run->first_open = 0;
    ckbench_free_slices(&run->slices);
    memset(run->n, 0, sizeof run->n);
    run->dropped = run->late = run->failed = run->kit_ns = 0;
    run->steal = run->clock.is_virtual ? 0 : ckbench_steal_ticks();
    ckbench_loop_run(run);
    ckbench_slices_end(run);
}

static void ckbench_count_layers(struct ckbench_run *run, uint64_t *calls)
{
    memset(calls, 0, CKBENCH_LAYERS_MAX * sizeof *calls);
    run->counts.n = 0;
    ckbench_counting = &run->counts;
    if (run->has_counters && run->terrain->counters(run->state, calls) != 0) {
        run->has_counters = false;
    }
    ckbench_counting = NULL;
}

static void ckbench_total_loads(struct ckbench_run *run)
{
    run->loads = run->load_ns = 0;
    for (uint32_t i = 0; i < run->setup.callers; i++) {
        run->loads += run->callers[i].loads;
        run->load_ns += run->callers[i].load_ns;
    }
}

static void ckbench_record(struct ckbench_run *run)
{
    run->has_counters = run->terrain->counters != NULL;
    ckbench_send_terrain_start(run);
    if (run->wishes.warmup > 0) {
        ckbench_phase(run, false);
        ckbench_send_warmup(run);
    }
    ckbench_count_layers(run, run->before);
    for (uint32_t i = 0; i < run->setup.callers; i++) {
        run->callers[i].loads = run->callers[i].load_ns = 0;
    }
    run->elsewhere = 0;
    ckbench_phase(run, true);
    ckbench_count_layers(run, run->after);
    ckbench_total_loads(run);
    ckbench_send_terrain_results(run);
}

static void ckbench_send_unopened(struct ckbench_run *run)
{
    struct ckbench_line line;
    ckbench_line_begin(&line, "failed");
    ckbench_line_text(&line, "path", run->terrain->name);
    ckbench_line_number(&line, "layout", 0);
    ckbench_line_number(&line, "pid", (uint64_t)getpid());
    ckbench_line_text(&line, "step", "setup");
    ckbench_line_text(&line, "reason",
                      ckbench_refusal[0] != '\0' ? ckbench_refusal : "open returned NULL");
    (void)ckbench_line_send(&line);
    run->lines++;
}

// The terrain opens before anything is said, because it alone knows the options that are its own.
static bool ckbench_open_terrain(struct ckbench_run *run)
{
    ckbench_opening = run;
    run->state = run->terrain->open(&run->setup);
    ckbench_opening = NULL;
    for (size_t i = 0; i < run->wishes.foreign_count; i++) {
        if (!run->wishes.foreign_asked[i] && (run->state != NULL || ckbench_refusal[0] == '\0')) {
            fprintf(stderr, "subject: terrain %s knows no option '%.*s'\n", run->terrain->name,
                    (int)strcspn(run->wishes.foreign[i], "="), run->wishes.foreign[i]);
            return false;
        }
    }
    return true;
}

static int ckbench_answer_terrain(struct ckbench_run *run, const char *compiler)
{
    ckbench_stop_on_signals();
    ckbench_clock_calibrate(&run->clock);
    ckbench_loop_share(run);
    int status = CKBENCH_EXIT_USAGE;
    if (ckbench_open_terrain(run)) {
        status = CKBENCH_EXIT_OK;
        ckbench_send_subject(compiler);
        run->lines++;
        if (run->state != NULL) {
            ckbench_record(run);
        } else {
            ckbench_send_unopened(run);
        }
        ckbench_send_end(run->lines);
    }
    if (!ckbench_source_is_dumped(&run->source)) {
        fprintf(stderr, "subject: dump '%.80s' could not be written\n", run->wishes.dump);
        status = CKBENCH_EXIT_UNANSWERED;
    }
    if (run->state != NULL && run->terrain->close != NULL) {
        run->terrain->close(run->state);
    }
    return status;
}

int ckbench_terrain_request(int argc, char **argv, const char *compiler)
{
    char fault[256];
    const struct ckbench_terrain *terrain = argc > 0 ? ckbench_terrain_find(argv[0]) : NULL;
    if (terrain == NULL) {
        fprintf(stderr, "subject: terrain needs the name of a terrain: '%.100s'\n",
                argc > 0 ? argv[0] : "");
        return CKBENCH_EXIT_USAGE;
    }
    struct ckbench_run *run = calloc(1, sizeof *run);
    if (run == NULL) {
        fprintf(stderr, "subject: no memory\n");
        return CKBENCH_EXIT_USAGE;
    }
    run->terrain = terrain;
    int status = CKBENCH_EXIT_USAGE;
    if (!ckbench_wishes_read(argc - 1, argv + 1, &run->wishes, fault, sizeof fault) ||
        !ckbench_make_run(run, fault, sizeof fault)) {
        fprintf(stderr, "subject: %s\n", fault);
    } else {
        ckbench_set_up_run(run);
        status = ckbench_answer_terrain(run, compiler);
    }
    ckbench_end_run(run);
    return status;
}
