// SPDX-License-Identifier: MIT
#include "measure/phased.h"

#include <stdio.h>
#include <string.h>

static bool take_series(const struct answer_integers *series, size_t rounds, int64_t *out)
{
    if (series->count != rounds) {
        return false;
    }
    memcpy(out, series->items, rounds * sizeof *out);
    return true;
}

static bool take_places(const struct answer_integers *series, size_t rounds, int64_t *out)
{
    for (size_t i = 0; i < series->count; i++) {
        if (series->items[i] >= PHASED_PAGE) {
            return false;
        }
    }
    return take_series(series, rounds, out);
}

static bool take_whole(struct phased *p, const struct answer *a, struct fault *why)
{
    if (p->rounds > 0 || a->calls < 1 || a->samples_ns.count < 1 ||
        a->samples_ns.count > PHASED_ROUNDS_MAX) {
        return fault_set(why, "its `phases` line does not fit what was asked for");
    }
    p->calls = a->calls;
    p->clock_ps = a->clock_ps;
    p->rounds = a->samples_ns.count;
    return take_series(&a->samples_ns, p->rounds, p->whole_ns);
}

bool phased_take(struct phased *p, const struct answer *a, struct fault *why)
{
    if (a->kind == ANSWER_PHASES) {
        return take_whole(p, a, why);
    }
    if (p->rounds == 0 || p->step_count == PHASED_STEPS_MAX) {
        return fault_set(why, "its `phase` lines do not follow a `phases` line");
    }
    struct phased_step *step = &p->steps[p->step_count++];
    (void)snprintf(step->name, sizeof step->name, "%s", a->name);
    step->has_places = a->from.count > 0 && a->to.count > 0;
    return (take_series(&a->samples_ns, p->rounds, step->ns) &&
            (!step->has_places || (take_places(&a->from, p->rounds, step->from) &&
                                   take_places(&a->to, p->rounds, step->to)))) ||
           fault_set(why, "its phase %s has not one figure for each round, or no offset in a page",
                     step->name);
}

static double per_call(const struct phased *p, int64_t ns)
{
    return (double)ns / (double)p->calls;
}

double phased_whole_ns(const struct phased *p, size_t round)
{
    return per_call(p, p->whole_ns[round]);
}

double phased_step_ns(const struct phased *p, size_t step, size_t round)
{
    double ns = per_call(p, p->steps[step].ns[round]) - (double)p->clock_ps / 1000.0;
    return ns > 0.0 ? ns : 0.0;
}
