// SPDX-License-Identifier: MIT
// The run's proof of itself, on every side: planted costs are read back exactly, the control that
// must move moves, and a real path that is moved about in environment, executable path and heap
// costs its own code the same. A run that cannot show this has measured something else.
#include <stdlib.h>
#include <string.h>

#include "measure/gate_inside.h"

enum {
    CALLS = 1000,
    PAD_BYTES = 4000,
    PATH_PAD_BYTES = 150,
    HEAP_LAYOUT = 997, // no gate's own layout
};

static const char pinned[] = "ckbench_self_pinned";
static const char unpinned[] = "ckbench_self_unpinned";

// The planted costs: what the path must read above the empty one, per call.
static const struct plant {
    const char *path;
    int64_t ir; // 0: not looked at
    int64_t allocs, syscalls;
} plants[] = {
    {"ckbench_self_ir", 1, 0, 0},
    {"ckbench_self_alloc", 0, 1, 0},
    {"ckbench_self_syscall", 0, 0, 1},
};
enum { PLANTS = sizeof plants / sizeof plants[0] };

// The empty loop at three sizes: two give the line, the third must lie on it. The heap plays no
// part in it, so layouts may stand for sizes.
static const int64_t empty_calls[] = {CALLS, CALLS / 2, 4};
enum { EMPTIES = sizeof empty_calls / sizeof empty_calls[0] };

static bool add(struct count_unit *unit, const char *path, int layout, int64_t calls,
                struct fault *fault)
{
    int64_t n1 = gate_n1(calls);
    const struct count_request request = {path, layout, n1, n1, calls};
    return count_unit_add(unit, &request, fault);
}

static bool plan_plain(struct gate_run *run, struct gate_side *side, struct fault *fault)
{
    const struct count_settings settings = {.path_pad_bytes = 0};
    side->proof =
        count_plan_unit(run->plan, side->input->label, side->input->subject, &settings, fault);
    bool ok = side->proof != NULL;
    for (int i = 0; ok && i < EMPTIES; i++) {
        ok = add(side->proof, gate_empty_path, i, empty_calls[i], fault);
    }
    for (size_t i = 0; ok && i < PLANTS; i++) {
        ok = add(side->proof, plants[i].path, 0, CALLS, fault);
    }
    return ok && add(side->proof, pinned, 0, CALLS, fault) &&
           add(side->proof, unpinned, 0, CALLS, fault);
}

static bool plan_moved(struct gate_run *run, struct gate_side *side, int64_t probe_calls,
                       struct fault *fault)
{
    const struct count_settings settings = {.valgrind = {.pad_bytes = PAD_BYTES},
                                            .path_pad_bytes = PATH_PAD_BYTES};
    side->moved =
        count_plan_unit(run->plan, side->input->label, side->input->subject, &settings, fault);
    return side->moved != NULL && add(side->moved, pinned, 0, CALLS, fault) &&
           add(side->moved, unpinned, 0, CALLS, fault) &&
           (run->probe == NULL || add(side->moved, run->probe, HEAP_LAYOUT, probe_calls, fault));
}

// The path with the most calls is the cheapest one.
static size_t choose_probe(struct gate_run *run)
{
    size_t best = 0;
    run->probe = NULL;
    for (size_t i = 0; i < run->in->name_count; i++) {
        const char *name = run->in->names[i];
        bool shared =
            gate_has(&run->sides[GATE_HEAD], name) &&
            (run->in->base.subject == NULL || gate_has(&run->sides[GATE_BASE_SIDE], name));
        if (shared && (run->probe == NULL || run->ops[i] > run->ops[best])) {
            run->probe = name;
            best = i;
        }
    }
    return best;
}

bool gate_proof_plan(struct gate_run *run, struct fault *fault)
{
    size_t probe = choose_probe(run);
    for (size_t s = 0; s < GATE_SIDES; s++) {
        struct gate_side *side = &run->sides[s];
        const struct subject *subject = side->input->subject;
        if (subject != NULL && subject->self &&
            (!plan_plain(run, side, fault) || !plan_moved(run, side, run->ops[probe], fault))) {
            return false;
        }
    }
    return true;
}

struct proof_row {
    const struct count_unit *unit;
    const char *path;
    int layout;
};

static bool read_self(struct gate_side *side, struct proof_row row, struct gate_window *n1,
                      struct gate_window *n2, struct fault *why)
{
    const struct count_result *result = count_unit_find(row.unit, row.path, row.layout);
    struct fault detail;
    if (result->state != COUNT_COUNTED) {
        gate_blame(side, result, &detail);
        return fault_set(why, "%s: %s", row.path, detail.text);
    }
    return gate_windows(side, result, false, n1, n2, why);
}

// A loop function whose cost is no line is none: then nothing hangs on it.
static void learn_loop(struct loop_cost *loop, const struct gate_window n1[EMPTIES],
                       const struct gate_window n2[EMPTIES])
{
    loop->per_call = (n2[0].loop_ir - n2[1].loop_ir) / (empty_calls[0] - empty_calls[1]);
    loop->fixed = n2[0].loop_ir - loop->per_call * empty_calls[0];
    for (int i = 0; i < EMPTIES; i++) {
        if (loop->per_call <= 0 || n2[i].loop_ir != loop->fixed + loop->per_call * empty_calls[i] ||
            n1[i].loop_ir != loop->fixed + loop->per_call * gate_n1(empty_calls[i])) {
            *loop = (struct loop_cost){.per_call = 0};
        }
    }
}

bool gate_proof_empty(struct gate_side *side, struct fault *why)
{
    if (side->proof == NULL) {
        return fault_set(why,
                         "%s: %s has no self-test paths (kit %s): rebuild it with a kit that has "
                         "ckbench_self_* paths",
                         side->input->label, side->input->subject->file, side->input->subject->kit);
    }
    struct gate_window n1[EMPTIES], n2[EMPTIES];
    for (int i = 0; i < EMPTIES; i++) {
        if (!read_self(side, (struct proof_row){side->proof, gate_empty_path, i}, &n1[i], &n2[i],
                       why)) {
            return false;
        }
    }
    struct empty_cost cost;
    cost.per_call = (n2[0].total_ir - n2[1].total_ir) / (empty_calls[0] - empty_calls[1]);
    cost.fixed_n2 = n2[0].total_ir - cost.per_call * empty_calls[0];
    cost.fixed_n1 = n1[0].total_ir - cost.per_call * gate_n1(empty_calls[0]);
    for (int i = 0; i < EMPTIES; i++) {
        if (n2[i].total_ir != cost.fixed_n2 + cost.per_call * empty_calls[i] ||
            n1[i].total_ir != cost.fixed_n1 + cost.per_call * gate_n1(empty_calls[i])) {
            return fault_set(why, "%s: the empty loop does not cost the same every call",
                             side->input->label);
        }
    }
    side->empty = cost;
    learn_loop(&side->loop, n1, n2);
    return true;
}

static bool check_plant(struct gate_side *side, const struct plant *plant, struct fault *why)
{
    struct gate_window n1, n2;
    if (!read_self(side, (struct proof_row){side->proof, plant->path, 0}, &n1, &n2, why)) {
        return false;
    }
    int64_t ir = n2.total_ir - side->empty.fixed_n2 - side->empty.per_call * CALLS;
    if ((plant->ir != 0 && ir != plant->ir * CALLS) || n2.allocs != plant->allocs * CALLS ||
        n2.syscalls != plant->syscalls * CALLS) {
        return fault_set(why,
                         "%s: %s reads %lld instructions, %lld allocations and %lld system calls "
                         "in %d calls, not what was planted",
                         side->input->label, plant->path, (long long)ir, (long long)n2.allocs,
                         (long long)n2.syscalls, CALLS);
    }
    return true;
}

// Does the total of a control move with the child's environment and path?
static bool check_control(struct gate_side *side, const char *path, bool must_move,
                          struct fault *why)
{
    struct gate_window n1, plain, moved;
    if (!read_self(side, (struct proof_row){side->proof, path, 0}, &n1, &plain, why) ||
        !read_self(side, (struct proof_row){side->moved, path, 0}, &n1, &moved, why)) {
        return false;
    }
    if ((plain.total_ir != moved.total_ir) != must_move) {
        return fault_set(
            why, "%s: %s reads %lld instructions, and %lld in another environment: %s",
            side->input->label, path, (long long)plain.total_ir, (long long)moved.total_ir,
            must_move ? "the control that must move did not" : "the stack is not pinned");
    }
    return true;
}

static bool check_probe(struct gate_run *run, size_t s, struct fault *why)
{
    struct gate_side *side = &run->sides[s];
    struct gate_window n1, moved;
    size_t index = 0;
    while (run->in->names[index] != run->probe) {
        index++;
    }
    const struct gate_path *path = &run->result->paths[index];
    const struct ir_side *rows = s == GATE_HEAD ? &path->head : &path->base;
    if (path->is_error) {
        return fault_set(why, "%s: %s", path->name, path->error.text);
    }
    if (!read_self(side, (struct proof_row){side->moved, run->probe, HEAP_LAYOUT}, &n1, &moved,
                   why)) {
        return false;
    }
    if (rows->layouts[0].own_ir != moved.own_ir) {
        return fault_set(why,
                         "%s: own code of %s cost %lld, and %lld in another environment, path and "
                         "heap: it depends on addresses or on chance",
                         side->input->label, run->probe, (long long)rows->layouts[0].own_ir,
                         (long long)moved.own_ir);
    }
    return true;
}

static bool check_side(struct gate_run *run, size_t s, struct fault *why)
{
    struct gate_side *side = &run->sides[s];
    for (size_t i = 0; i < PLANTS; i++) {
        if (!check_plant(side, &plants[i], why)) {
            return false;
        }
    }
    return check_control(side, pinned, false, why) && check_control(side, unpinned, true, why) &&
           (run->probe == NULL || check_probe(run, s, why));
}

bool gate_proof_check(struct gate_run *run, struct fault *why)
{
    for (size_t s = 0; s < GATE_SIDES; s++) {
        if (run->sides[s].input->subject != NULL && !check_side(run, s, why)) {
            return false;
        }
    }
    return true;
}
