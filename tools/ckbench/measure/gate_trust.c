// SPDX-License-Identifier: MIT
// Dumps that are whole and sums that agree can still tell less than what ran: a call may leave the
// loop early, set callgrind's counters back, or be counted together with a thread that works for
// itself. The loop's own cost is known to one instruction from the empty path, whoever is called.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "measure/gate_inside.h"

// What threads beside the calls may add by chance before the figure is theirs: 0.2 %, the least
// change that a gate warns of.
enum { CHANCE_PER_MILLE = 2 };

static bool is_loop(const struct gate_side *side, const struct profile *profile,
                    const struct profile_function *function)
{
    return strcmp(function->name, side->loop.name) == 0 &&
           strcmp(profile->objects[function->object].class_name, side->loop.object) == 0;
}

void gate_loop_learn(struct gate_side *side, const struct profile *profile, int64_t calls)
{
    for (size_t i = 0; i < profile->edge_count; i++) {
        const struct profile_edge *edge = &profile->edges[i];
        const struct profile_function *caller = &profile->functions[edge->caller];
        if (edge->calls == (uint64_t)calls && strlen(caller->name) < sizeof side->loop.name) {
            (void)snprintf(side->loop.name, sizeof side->loop.name, "%s", caller->name);
            (void)snprintf(side->loop.object, sizeof side->loop.object, "%s",
                           profile->objects[caller->object].class_name);
            return;
        }
    }
}

int64_t gate_loop_ir(const struct gate_side *side, const struct profile *profile)
{
    int64_t sum = 0;
    for (size_t i = 0; side->loop.name[0] != '\0' && i < profile->function_count; i++) {
        if (is_loop(side, profile, &profile->functions[i])) {
            sum += (int64_t)profile->functions[i].self_ir;
        }
    }
    return sum;
}

int64_t gate_beside_ir(const struct profile *profile)
{
    int64_t sum = 0;
    for (size_t i = 1; i < profile->thread_count; i++) {
        sum += (int64_t)profile->threads[i].total_ir;
    }
    return sum;
}

bool gate_loop_holds(const struct gate_side *side, const struct gate_window *window, int64_t calls,
                     struct fault *fault)
{
    int64_t wanted = side->loop.fixed + side->loop.per_call * calls;
    return side->loop.name[0] == '\0' || window->loop_ir == wanted ||
           fault_set(fault,
                     "the loop around %" PRId64 " calls cost %" PRId64 " instructions instead of "
                     "%" PRId64 ": a call left it early, or changed what callgrind counts",
                     calls, window->loop_ir, wanted);
}

void gate_trust_note(struct gate_trust *trust, const struct count_result *counted,
                     const struct gate_window *n1, const struct gate_window *n2)
{
    int64_t beside = n2->beside_ir;
    if (trust->count == 0) {
        *trust = (struct gate_trust){.first = counted,
                                     .beside = {beside, beside},
                                     .total_ir = n2->total_ir,
                                     .earlier_ir = n1->beside_ir};
    }
    if (trust->other == NULL && strcmp(counted->digest, trust->first->digest) != 0) {
        trust->other = counted;
    }
    trust->beside.low = beside < trust->beside.low ? beside : trust->beside.low;
    trust->beside.high = beside > trust->beside.high ? beside : trust->beside.high;
    trust->count++;
}

// With one layout only the two windows can be set against each other.
static struct gate_range chance_of(const struct gate_trust *trust)
{
    const struct count_result *first = trust->first;
    int64_t earlier = trust->earlier_ir / first->n1 * first->n2;
    int64_t later = trust->beside.low;
    if (trust->count > 1) {
        return trust->beside;
    }
    return (struct gate_range){earlier < later ? earlier : later,
                               earlier < later ? later : earlier};
}

bool gate_trust_holds(const struct gate_trust *trust, struct fault *fault)
{
    if (trust->other != NULL) {
        return fault_set(
            fault,
            "its digest is %s at layout %d and %s at layout %d: what it puts out hangs "
            "on addresses or on chance",
            trust->first->digest, trust->first->layout, trust->other->digest, trust->other->layout);
    }
    if (trust->count == 0) {
        return true;
    }
    struct gate_range chance = chance_of(trust);
    double calls = (double)trust->first->n2;
    return (chance.high - chance.low) * 1000 < trust->total_ir * CHANCE_PER_MILLE ||
           fault_set(fault,
                     "other threads ran beside the calls, %.1f to %.1f instructions per call: the "
                     "figure hangs on chance",
                     (double)chance.low / calls, (double)chance.high / calls);
}
