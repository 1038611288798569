// SPDX-License-Identifier: MIT
// Counts op_htab() the way the subject kit does: 10 calls to warm up, 10 in n1, 20 in n2.
#include <unistd.h>

#include <valgrind/callgrind.h>
#include <valgrind/valgrind.h>

#include "fixture_table.h"

__attribute__((noinline)) static void ckbench_loop(int count)
{
    for (int i = 0; i < count; i++) {
        op_htab(i);
    }
}

int main(void)
{
    ckbench_loop(10);
    CALLGRIND_START_INSTRUMENTATION;
    (void)VALGRIND_MONITOR_COMMAND("zero");
    ckbench_loop(10);
    (void)VALGRIND_MONITOR_COMMAND("dump n1");
    ckbench_loop(20);
    (void)VALGRIND_MONITOR_COMMAND("dump n2");
    CALLGRIND_STOP_INSTRUMENTATION;
    _exit(0);
}
