// SPDX-License-Identifier: MIT
// The same in C++11: the macros are positional for its sake.
#include <ckbench/subject.h>

static int counter;

static void *setup(void)
{
    return &counter;
}

static void op(void *state)
{
    ++*static_cast<int *>(state);
}

static int verify(void *state)
{
    return *static_cast<int *>(state) > 0 ? 0 : 1;
}

static void teardown(void *state)
{
    (void)state;
}

CKBENCH_PATH(stranger_counts_cxx, "adds one", setup, op, verify, teardown)
CKBENCH_MAIN
