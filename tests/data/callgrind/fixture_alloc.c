// SPDX-License-Identifier: MIT
// Every way into the C library's allocator, once per turn: 9 allocations, among them a sibling call
// (jmp), a call through a pointer, and realloc(NULL), which calls malloc itself.
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#include <valgrind/callgrind.h>
#include <valgrind/valgrind.h>

#define KEPT __attribute__((noinline, noclone))

static void *(*volatile pointer)(size_t) = malloc;
static void *volatile none;
static void *volatile kept;

KEPT static void *make(size_t size)
{
    return malloc(size + 1);
}

KEPT static void turn(void)
{
    void *block = make(5);
    free(block);
    block = pointer(9);
    free(block);
    kept = calloc(3, 3);
    free(kept);
    kept = realloc(none, 10);
    kept = realloc(kept, 5000);
    kept = reallocarray(kept, 10, 1000);
    free(kept);
    kept = aligned_alloc(64, 64);
    free(kept);
    kept = memalign(128, 64);
    free(kept);
    if (posix_memalign(&block, 64, 100) == 0) {
        kept = block;
        free(kept);
    }
}

KEPT static void turns(int count)
{
    for (int i = 0; i < count; i++) {
        turn();
    }
}

int main(void)
{
    turns(3);
    CALLGRIND_START_INSTRUMENTATION;
    (void)VALGRIND_MONITOR_COMMAND("zero");
    turns(3);
    (void)VALGRIND_MONITOR_COMMAND("dump n1");
    turns(6);
    (void)VALGRIND_MONITOR_COMMAND("dump n2");
    CALLGRIND_STOP_INSTRUMENTATION;
    _exit(0);
}
