// SPDX-License-Identifier: MIT
// Paths whose cost is known, by which ckbench proves in every run that it still reads what is
// there: one instruction, one allocation, one system call, and a control that must move with the
// stack's address. They are in every subject and in no list.
#include "kit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TEXT_BYTES = 200, PAGE = 4096, STACK_STEP = 16, STACK_SPAN = 65536, STEP_WEIGHT = 32 };

const char ckbench_self_prefix[] = "ckbench_self_";

// Empty and one instruction differ in the text of their assembly only, whatever else the compiler
// puts around it.
CKBENCH_KEPT static void ckbench_self_empty(void *state)
{
    __asm__ volatile("" : : "r"(state) : "memory");
}

CKBENCH_KEPT static void ckbench_self_ir(void *state)
{
    __asm__ volatile("nop" : : "r"(state) : "memory");
}

CKBENCH_KEPT static void ckbench_self_alloc(void *state)
{
    void *block = malloc(24);
    // Seen by the compiler as used, or it would drop malloc and free as a pair.
    __asm__ volatile("" : : "r"(block), "r"(state) : "memory");
    free(block);
}

CKBENCH_KEPT static void ckbench_self_syscall(void *state)
{
    (void)state;
    (void)syscall(SYS_getppid);
}

// String work that crosses vector and page borders where the buffer happens to lie. Whether it
// costs more at one offset than at another is for the C library to decide, so the call also walks
// a number of steps that hangs on the address: the place in the page weighs more than the string
// functions can differ (they do not look beyond it), the page itself breaks the tie. So any move
// of the stack within 64 KiB changes the cost.
CKBENCH_KEPT static void ckbench_self_text(void *state)
{
    char text[TEXT_BYTES];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    __asm__ volatile("" : : "r"(text), "r"(state) : "memory");
    size_t sum = strlen(text) + (size_t)(strchr(text + 1, '\0') - text);
    uintptr_t at = (uintptr_t)text;
    uintptr_t steps = at % PAGE / STACK_STEP * STEP_WEIGHT + at % STACK_SPAN / PAGE;
    while (steps > 0) {
        steps--;
        __asm__ volatile("" : "+r"(steps));
    }
    __asm__ volatile("" : : "r"(sum));
}

#define CKBENCH_SELF(name, op)                                                                     \
    {                                                                                              \
        sizeof(struct ckbench_path), "ckbench_self_" name, "", NULL, op, NULL, NULL, NULL, NULL    \
    }

static const struct ckbench_path ckbench_self_paths[] = {
    CKBENCH_SELF("empty", ckbench_self_empty), CKBENCH_SELF("ir", ckbench_self_ir),
    CKBENCH_SELF("alloc", ckbench_self_alloc), CKBENCH_SELF("syscall", ckbench_self_syscall),
    CKBENCH_SELF("pinned", ckbench_self_text), CKBENCH_SELF("unpinned", ckbench_self_text),
};

const struct ckbench_path *ckbench_self_find(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof ckbench_self_paths / sizeof *ckbench_self_paths; i++) {
        const char *known = ckbench_self_paths[i].name;
        if (strlen(known) == len && memcmp(known, name, len) == 0) {
            return &ckbench_self_paths[i];
        }
    }
    return NULL;
}

bool ckbench_self_is_unpinned(const struct ckbench_path *path)
{
    return strcmp(path->name, "ckbench_self_unpinned") == 0;
}
