// SPDX-License-Identifier: MIT
// Paths over the library with the known cost. The ops are the library's own functions, so nothing
// of this program is in between: plant_ir costs 10,000 instructions to the very last one.
#include <ckbench/subject.h>

#include "plant.h"

static char planted_state;

static void *planted_setup(void)
{
    plant_fill();
    return &planted_state;
}

static int planted_verify(void *state)
{
    return state == &planted_state ? 0 : 1;
}

CKBENCH_PATH(plant_ir, "10,000 instructions", planted_setup, plant_ir, planted_verify, NULL)
CKBENCH_PATH(plant_alloc, "allocations", planted_setup, plant_alloc, planted_verify, NULL)
CKBENCH_PATH(plant_syscall, "system calls", planted_setup, plant_syscall, planted_verify, NULL)
CKBENCH_PATH(plant_copy, "one memcpy", planted_setup, plant_copy, planted_verify, NULL)
CKBENCH_PATH(plant_lz4, "compress 4 KiB", planted_setup, plant_lz4, planted_verify, NULL)
CKBENCH_MAIN
