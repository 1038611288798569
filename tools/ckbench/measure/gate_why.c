// SPDX-License-Identifier: MIT
// What the judge wants to know beyond the integers, and the reasons for people: which function
// moved, by how many calls or by what cost per call, from where.
#include <stdlib.h>
#include <string.h>

#include "measure/attribution.h"
#include "measure/gate_inside.h"
#include "stats/median.h"

enum { READERS = 8, REASONS_PER_PATH = 6, LEAST_CENTI = 1 };

// Both sides' dumps of one path at one layout, and their difference.
struct pair {
    struct callgrind_dump dumps[GATE_SIDES];
    struct attribution attribution;
};

static void pair_release(struct pair *pair)
{
    attribution_release(&pair->attribution);
    callgrind_release(&pair->dumps[GATE_HEAD]);
    callgrind_release(&pair->dumps[GATE_BASE_SIDE]);
}

static bool pair_open(const struct gate_run *run, const struct count_result *const counted[2],
                      struct pair *pair, struct fault *fault)
{
    *pair = (struct pair){.attribution = {.count = 0}};
    struct attribution_side sides[GATE_SIDES];
    for (size_t s = 0; s < GATE_SIDES; s++) {
        if (!gate_dump_open(&run->sides[s], counted[s], &pair->dumps[s], fault)) {
            return false;
        }
        sides[s] = (struct attribution_side){&pair->dumps[s].windows[1], (uint64_t)counted[s]->n2};
    }
    return attribution_make(&sides[GATE_HEAD], &sides[GATE_BASE_SIDE], &pair->attribution, fault);
}

// The layout whose total is the head's median: there head's and base's dumps are compared.
static int median_layout(const struct ir_side *side)
{
    int64_t totals[LAYOUTS_MAX];
    for (size_t i = 0; i < side->count; i++) {
        totals[i] = side->layouts[i].total_ir;
    }
    return (int)median_index(totals, side->count);
}

static const char *input_words[] = {"the clock", "entropy", "a process id"};

static bool note_readers(const struct gate_side *side, const struct count_result *counted,
                         const struct profile *profile, struct gate_path *path)
{
    struct profile_reader readers[READERS];
    size_t count = profile_readers(profile, readers, READERS);
    for (size_t i = 0; i < count && i < READERS; i++) {
        gate_reason(path, "%s reads %s %.2f times per call (%s)", readers[i].caller,
                    input_words[readers[i].input], (double)readers[i].calls / (double)counted->n2,
                    readers[i].callee);
    }
    int64_t reads = counted->clock_reads + counted->entropy_reads + counted->pid_reads;
    if (count == 0 && reads > 0) {
        gate_reason(path, "%s reads the clock, entropy or a process id %.2f times per call",
                    side->input->label, (double)reads / (double)counted->n2);
    }
    return count > 0 || reads > 0;
}

static bool fill_from_pair(struct gate_run *run, size_t index,
                           const struct count_result *const counted[2], struct ir_case *c,
                           struct fault *fault)
{
    struct pair pair;
    bool ok = pair_open(run, counted, &pair, fault);
    if (ok) {
        const struct profile *head = &pair.dumps[GATE_HEAD].windows[1];
        const struct profile *base = &pair.dumps[GATE_BASE_SIDE].windows[1];
        c->same_edges = profile_same_edges(head, (uint64_t)counted[GATE_HEAD]->n2, base,
                                           (uint64_t)counted[GATE_BASE_SIDE]->n2);
        c->only_libc_moved = attribution_only_libc_heap_or_string(&pair.attribution);
        c->reads_input = note_readers(&run->sides[GATE_HEAD], counted[GATE_HEAD], head,
                                      &run->result->paths[index]);
    }
    pair_release(&pair);
    return ok;
}

static bool fill_from_head(struct gate_run *run, size_t index, const struct count_result *counted,
                           struct ir_case *c, struct fault *fault)
{
    struct callgrind_dump dump;
    bool ok = gate_dump_open(&run->sides[GATE_HEAD], counted, &dump, fault);
    if (ok) {
        c->reads_input = note_readers(&run->sides[GATE_HEAD], counted, &dump.windows[1],
                                      &run->result->paths[index]);
    }
    callgrind_release(&dump);
    return ok;
}

bool gate_run_case(struct gate_run *run, size_t index, struct ir_case *c, struct fault *fault)
{
    struct gate_path *path = &run->result->paths[index];
    c->head = &path->head;
    c->base = &path->base;
    c->is_error = path->is_error;
    c->is_gone = !gate_has(&run->sides[GATE_HEAD], path->name);
    if (path->is_error || c->is_gone) {
        return true;
    }
    int layout = median_layout(&path->head);
    const struct count_result *counted[GATE_SIDES] = {
        gate_result_of(run, GATE_HEAD, 0, index, layout), NULL};
    if (!gate_has(&run->sides[GATE_BASE_SIDE], path->name)) {
        return fill_from_head(run, index, counted[GATE_HEAD], c, fault);
    }
    counted[GATE_BASE_SIDE] = gate_result_of(run, GATE_BASE_SIDE, 0, index, layout);
    return fill_from_pair(run, index, counted, c, fault);
}

// Does anybody want to hear of this path, and can it be explained?
static bool is_explained(const struct gate_run *run, const bool *wanted, size_t index)
{
    const struct gate_path *path = &run->result->paths[index];
    return wanted[index] && path->head.count > 0 && path->base.count > 0 &&
           gate_has(&run->sides[GATE_BASE_SIDE], path->name);
}

static void give_reasons(struct gate_path *path, const struct attribution *attribution)
{
    size_t given = 0;
    for (size_t i = 0; i < attribution->count && given < REASONS_PER_PATH; i++) {
        struct attribution_delta delta = attribution_delta(attribution, i);
        if (llabs(delta.total_centi) < LEAST_CENTI) {
            continue;
        }
        char text[ATTRIBUTION_TEXT];
        attribution_reason(attribution, i, text, sizeof text);
        gate_reason(path, "%s", text);
        given++;
    }
}

static bool explain_path(struct gate_run *run, size_t index, struct fault *fault)
{
    struct gate_path *path = &run->result->paths[index];
    int layout = median_layout(&path->head);
    const struct count_result *counted[GATE_SIDES];
    for (size_t s = 0; s < GATE_SIDES; s++) {
        counted[s] = gate_result_of(run, s, 0, index, layout);
    }
    struct pair pair;
    bool ok = pair_open(run, counted, &pair, fault);
    if (ok) {
        give_reasons(path, &pair.attribution);
    }
    pair_release(&pair);
    return ok;
}

bool gate_run_explain(struct gate_run *run, const bool *wanted, struct fault *fault)
{
    for (size_t i = 0; i < run->in->name_count; i++) {
        if (is_explained(run, wanted, i) && !explain_path(run, i, fault)) {
            return false;
        }
    }
    return true;
}
