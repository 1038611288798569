// SPDX-License-Identifier: MIT
// The rows of every path: one per side and layout, from the first whole measurement; equal
// measurements repeated give the spread.
#include <string.h>

#include "measure/gate_inside.h"

static void widen(struct gate_range *range, int64_t value)
{
    range->low = value < range->low ? value : range->low;
    range->high = value > range->high ? value : range->high;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool fail_path(struct gate_path *path, const struct fault *why)
{
    path->is_error = true;
    path->error = *why;
    return false;
}

static bool fail_side(struct gate_path *path, const struct gate_side *side, const struct fault *why)
{
    path->is_error = true;
    return fault_set(&path->error, "%s: %s", side->input->label, why->text);
}

// Steady paths cost the same in both windows; others say so.
static void check_steady(struct gate_path *path, const struct gate_side *side, int64_t ops,
                         const struct gate_window *n1, const struct gate_window *n2)
{
    int64_t first_ops = gate_n1(ops);
    int64_t first = n1->total_ir - side->empty.fixed_n1 - side->empty.per_call * first_ops;
    int64_t second = n2->total_ir - side->empty.fixed_n2 - side->empty.per_call * ops;
    if (first * ops != second * first_ops) {
        gate_reason(path,
                    "not steady on %s: %.2f instructions per call in the first %lld calls, "
                    "%.2f in the next %lld",
                    side->input->label, (double)first / (double)first_ops, (long long)first_ops,
                    (double)second / (double)ops, (long long)ops);
    }
}

// Both windows of a count that can be believed.
static bool read_windows(struct gate_side *side, const struct count_result *counted, bool note,
                         struct gate_window *n1, struct gate_window *n2, struct fault *why)
{
    struct fault detail;
    if (!gate_windows(side, counted, note, n1, n2, why)) {
        return false;
    }
    return (gate_loop_holds(side, n1, counted->n1, &detail) &&
            gate_loop_holds(side, n2, counted->n2, &detail)) ||
           fault_set(why, "%s: layout %d: %s", side->input->label, counted->layout, detail.text);
}

static bool read_row(struct gate_run *run, size_t s, size_t repeat, size_t index, int layout,
                     struct ir_layout *row)
{
    struct gate_side *side = &run->sides[s];
    struct gate_path *path = &run->result->paths[index];
    const struct count_result *counted = gate_result_of(run, s, repeat, index, layout);
    struct gate_window n1, n2;
    struct fault why;
    if (counted == NULL) {
        fault_set(&why, "%s: layout %d: not counted", side->input->label, layout);
        return fail_path(path, &why);
    }
    if (counted->state != COUNT_COUNTED) {
        gate_blame(side, counted, &why);
        return fail_path(path, &why);
    }
    if (!read_windows(side, counted, repeat == 0, &n1, &n2, &why)) {
        return fail_path(path, &why);
    }
    int64_t ops = counted->n2;
    *row = (struct ir_layout){
        .layout = counted->layout,
        .ops = ops,
        .total_ir = n2.total_ir,
        .own_ir = n2.own_ir,
        .allocs = n2.allocs,
        .syscalls = n2.syscalls,
        .empty_ir = side->empty.fixed_n2 + side->empty.per_call * ops,
    };
    if (repeat == 0) {
        gate_trust_note(&side->trust, counted, &n1, &n2);
    }
    if (repeat == 0 && layout == 0) {
        check_steady(path, side, ops, &n1, &n2);
        path->cycles[s] = (struct per_op){n2.cycles, ops};
    }
    return true;
}

// All repeats of one layout; the first is the row, the others only widen the spread.
static bool read_layout(struct gate_run *run, size_t s, size_t index, int layout,
                        struct ir_layout *row)
{
    struct gate_path *path = &run->result->paths[index];
    if (!read_row(run, s, 0, index, layout, row)) {
        return false;
    }
    struct gate_range total = {row->total_ir, row->total_ir}, own = {row->own_ir, row->own_ir};
    for (size_t r = 1; r < (size_t)run->in->settings.repeat; r++) {
        struct ir_layout again;
        if (!read_row(run, s, r, index, layout, &again)) {
            return false;
        }
        widen(&total, again.total_ir);
        widen(&own, again.own_ir);
    }
    path->has_spread = run->in->settings.repeat > 1;
    path->spread_ir = larger(path->spread_ir, total.high - total.low);
    path->spread_own_ir = larger(path->spread_own_ir, own.high - own.low);
    return true;
}

static void read_side(struct gate_run *run, size_t s, size_t index, struct ir_side *out)
{
    struct gate_side *side = &run->sides[s];
    struct fault why;
    side->trust = (struct gate_trust){.count = 0};
    for (int layout = 0; layout < run->in->settings.layouts; layout++) {
        if (!read_layout(run, s, index, layout, &out->layouts[layout])) {
            out->count = 0; // nothing of a path that failed is shown
            return;
        }
        out->count++;
    }
    if (!gate_trust_holds(&side->trust, &why)) {
        out->count = 0;
        (void)fail_side(&run->result->paths[index], side, &why);
    }
}

// A base that runs the head's library by way of a run path or a link compares it with itself.
static bool check_apart(const struct gate_run *run, struct fault *fault)
{
    const struct gate_side *head = &run->sides[GATE_HEAD], *base = &run->sides[GATE_BASE_SIDE];
    bool is_one_program = head->input->subject == base->input->subject;
    for (size_t i = 0; !is_one_program && i < base->snapshot.count; i++) {
        const char *path = base->snapshot.files[i].path;
        if (snapshot_find(&head->snapshot, path) != NULL &&
            (profile_is_under(path, head->own.root) || profile_is_under(path, base->own.root))) {
            return fault_set(fault,
                             "both sides run %s, so it is not compared: each side needs its own, "
                             "look at links and at the run path of its program",
                             path);
        }
    }
    return true;
}

bool gate_rows(struct gate_run *run, struct fault *fault)
{
    for (size_t i = 0; i < run->in->name_count; i++) {
        struct gate_path *path = &run->result->paths[i];
        bool on_head = gate_has(&run->sides[GATE_HEAD], path->name);
        bool on_base = gate_has(&run->sides[GATE_BASE_SIDE], path->name);
        if (on_head) {
            read_side(run, GATE_HEAD, i, &path->head);
        }
        if (on_base && on_head && !path->is_error) {
            read_side(run, GATE_BASE_SIDE, i, &path->base);
        }
        if (path->is_error) {
            path->head.count = path->base.count = 0;
        } else if (on_base && !on_head) {
            path->base.count = 0;
        }
    }
    for (size_t s = 0; s < GATE_SIDES; s++) {
        if (!snapshot_holds(&run->sides[s].snapshot, fault)) {
            return false;
        }
    }
    return check_apart(run, fault);
}
