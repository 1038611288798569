// SPDX-License-Identifier: MIT
// A stranger's subject, as the kit's header shows it.
#include <ckbench/subject.h>

static int counter;

static void *setup(void)
{
    return &counter;
}

static void op(void *state)
{
    ++*(int *)state;
}

static int verify(void *state)
{
    return *(int *)state > 0 ? 0 : 1;
}

static void teardown(void *state)
{
    (void)state;
}

CKBENCH_PATH(stranger_counts, "adds one", setup, op, verify, teardown)
CKBENCH_MAIN
