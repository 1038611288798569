// SPDX-License-Identifier: MIT
// How many calls to count: enough to be exact, few enough to be quick. A pilot of a few calls at
// layout 0 gives the cost, the base's where it has the path; both sides then make as many calls.
#include "measure/gate_inside.h"

enum {
    PILOT_CALLS = 4,
    INSTRUCTIONS = 10000000, // aim per measurement
    CALLS_MIN = 4,
    CALLS_MAX = 1000,
};

static int64_t size_for(int64_t cost)
{
    int64_t calls = cost > 0 ? INSTRUCTIONS / cost : CALLS_MAX;
    return calls < CALLS_MIN ? CALLS_MIN : calls > CALLS_MAX ? CALLS_MAX : calls;
}

// Both sides are piloted: their files are remembered before the long counts begin.
static bool is_piloted(const struct gate_run *run, size_t side, size_t name)
{
    return gate_has(&run->sides[GATE_HEAD], run->in->names[name]) &&
           gate_has(&run->sides[side], run->in->names[name]);
}

static struct count_unit *pilot_unit(struct gate_run *run, size_t side, struct fault *fault)
{
    const struct gate_side_input *input = run->sides[side].input;
    const struct count_settings settings = {.path_pad_bytes = 0};
    struct count_unit *unit =
        count_plan_unit(run->plan, input->label, input->subject, &settings, fault);
    for (size_t i = 0; unit != NULL && i < run->in->name_count; i++) {
        const struct count_request request = {run->in->names[i], 0, 2, gate_n1(PILOT_CALLS),
                                              PILOT_CALLS};
        if (is_piloted(run, side, i) && !count_unit_add(unit, &request, fault)) {
            return NULL;
        }
    }
    return unit;
}

// A pilot that failed sizes nothing: the measurement itself will say what is wrong.
static void take(struct gate_run *run, size_t side, const struct count_unit *unit)
{
    for (size_t i = 0; i < run->in->name_count; i++) {
        const struct count_result *pilot =
            is_piloted(run, side, i) ? count_unit_find(unit, run->in->names[i], 0) : NULL;
        struct gate_window n1, n2;
        if (pilot != NULL && pilot->state == COUNT_COUNTED &&
            gate_windows(&run->sides[side], pilot, true, &n1, &n2, NULL)) {
            run->ops[i] = size_for(n2.total_ir / PILOT_CALLS);
        }
    }
}

// What a budget was counted with wins; then the base's size, then the head's.
static void settle(struct gate_run *run)
{
    for (size_t i = 0; i < run->in->name_count; i++) {
        int64_t wanted = run->in->ops != NULL ? run->in->ops[i] : 0;
        run->ops[i] = wanted != 0 ? wanted : run->ops[i] != 0 ? run->ops[i] : CALLS_MIN;
    }
}

bool gate_sizes(struct gate_run *run, struct fault *fault)
{
    struct count_unit *units[GATE_SIDES] = {NULL, NULL};
    for (size_t s = 0; s < GATE_SIDES; s++) {
        if (run->sides[s].input->subject != NULL &&
            (units[s] = pilot_unit(run, s, fault)) == NULL) {
            return false;
        }
    }
    if (!count_run(run->plan, (size_t)run->in->settings.jobs, run->in->settings.child_timeout_ms,
                   NULL, NULL, fault)) {
        return false;
    }
    for (size_t s = 0; s < GATE_SIDES; s++) {
        if (units[s] != NULL) {
            take(run, s, units[s]);
        }
    }
    settle(run);
    return true;
}
