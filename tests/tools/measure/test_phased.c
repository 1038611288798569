// SPDX-License-Identifier: MIT
// Lines about the steps of a call: those that fit together are taken, all others are faults.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/phased.h"

static struct phased phased;
static struct fault fault;

static bool say(const char *line)
{
    static struct answer_stream stream;
    static struct answer answer;
    memset(&stream, 0, sizeof stream);
    cr_assert(answer_next(&stream, line, strlen(line), &answer, &fault), "%s", fault.text);
    return phased_take(&phased, &answer, &fault);
}

static bool say_whole(void)
{
    memset(&phased, 0, sizeof phased);
    return say("{\"type\":\"phases\",\"path\":\"p\",\"calls\":10,\"clock_ps\":20000,"
               "\"wall_ns\":[1000,2000]}");
}

#define PHASE(rest) "{\"type\":\"phase\",\"name\":\"one\",\"wall_ns\":" rest "}"

Test(phased, a_step_is_a_call_s_share_without_the_clock)
{
    cr_assert(say_whole());
    cr_assert(say(PHASE("[700,100],\"from\":[0,4095],\"to\":[1,2]")));
    cr_assert(eq(sz, phased.rounds, 2));
    cr_assert(fabs(phased_whole_ns(&phased, 1) - 200.0) < 1e-9);
    cr_assert(fabs(phased_step_ns(&phased, 0, 0) - 50.0) < 1e-9);
    cr_assert(phased_step_ns(&phased, 0, 1) == 0.0, "never below nothing");
    cr_assert(phased.steps[0].has_places && phased.steps[0].from[1] == 4095);
}

Test(phased, lines_that_do_not_fit_are_refused)
{
    static const char *const wrong[] = {
        PHASE("[1]"), PHASE("[1,2,3]"),

        PHASE("[1,2],\"from\":[1],\"to\":[1,2]"), PHASE("[1,2],\"from\":[1,4096],\"to\":[1,2]"),
        PHASE("[1,2],\"from\":[1,2],\"to\":[1,9223372036854775807]")};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        cr_assert(say_whole());
        cr_expect(not(say(wrong[i])), "%s", wrong[i]);
    }
    memset(&phased, 0, sizeof phased);
    cr_expect(not(say(PHASE("[1,2]"))), "before its whole");
    cr_assert(say_whole());
    cr_expect(not(say("{\"type\":\"phases\",\"path\":\"p\",\"calls\":1,\"clock_ps\":0,"
                      "\"wall_ns\":[1,2]}")),
              "a second whole");
    memset(&phased, 0, sizeof phased);
    cr_expect(not(say("{\"type\":\"phases\",\"path\":\"p\",\"calls\":0,\"clock_ps\":0,"
                      "\"wall_ns\":[1]}")),
              "no calls");
}

Test(phased, there_are_sixteen_steps_at_most)
{
    cr_assert(say_whole());
    for (int i = 0; i < PHASED_STEPS_MAX; i++) {
        cr_assert(say(PHASE("[1,2]")));
    }
    cr_assert(not(say(PHASE("[1,2]"))));
}
