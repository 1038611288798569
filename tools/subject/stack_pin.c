// SPDX-License-Identifier: MIT
// Lays the stack to a boundary. Where it starts hangs on the length of the environment and of the
// program's path, and string functions take other branches on a buffer at another offset: one and
// the same binary moved by 1.46 % that way. A frame address is a multiple of 16, so what alloca
// adds for rounding is the same for every offset, and the called frame always lands on the same
// one below a boundary.
#include "kit.h"

#include <alloca.h>

enum { BOUNDARY = 65536 };

CKBENCH_KEPT void ckbench_stack_pin(void (*run)(void *context), void *context)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    void *gap = alloca(here % BOUNDARY + 16);
    // Keeps the gap, and keeps the call below from becoming a jump that gives it back first.
    __asm__ volatile("" : : "r"(gap) : "memory");
    run(context);
    __asm__ volatile("" : : "r"(gap) : "memory");
}
