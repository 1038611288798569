// SPDX-License-Identifier: MIT
// A library whose cost is known to the instruction. One source, many builds: each changes one
// number, so that whoever compares two of them knows what must be read.
//   PLANT_IR        instructions more (or less) per call than the 10,000 of plant_ir
//   PLANT_ALLOCS    allocations per call of plant_alloc
//   PLANT_SYSCALLS  system calls per call of plant_syscall
//   PLANT_COPY      bytes that plant_copy copies: the library's own code stays the same
//   PLANT_SEARCH    how hard plant_lz4 searches: again the same code of its own
#include "plant.h"

#include <lz4hc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

// mov and nop, 2 instructions a round, and what is planted; ret costs what the empty path's costs.
__asm__(".text\n"
        ".globl plant_ir\n"
        ".type plant_ir, @function\n"
        "plant_ir:\n"
        "    mov $4899, %ecx\n"
        "1:  dec %ecx\n"
        "    jnz 1b\n"
        "    .rept 201 + " TEXT(PLANT_IR) "\n"
                                          "    nop\n"
                                          "    .endr\n"
                                          "    ret\n"
                                          ".size plant_ir, . - plant_ir\n");

enum { COPY_ROOM = 65536, TEXT_BYTES = 4096 };

// Read from memory that the compiler knows nothing about, so that no build differs in code.
static volatile size_t plant_allocs = PLANT_ALLOCS;
static volatile size_t plant_syscalls = PLANT_SYSCALLS;
static volatile size_t plant_copy_bytes = PLANT_COPY;
static volatile int plant_search = PLANT_SEARCH;

static char plant_source[COPY_ROOM];
static char plant_target[COPY_ROOM];

void plant_alloc(void *state)
{
    (void)state;
    for (size_t i = 0; i < plant_allocs; i++) {
        void *block = malloc(48);
        __asm__ volatile("" : : "r"(block) : "memory");
        free(block);
    }
}

void plant_syscall(void *state)
{
    (void)state;
    for (size_t i = 0; i < plant_syscalls; i++) {
        (void)syscall(SYS_getppid);
    }
}

void plant_copy(void *state)
{
    (void)state;
    memcpy(plant_target, plant_source, plant_copy_bytes);
    __asm__ volatile("" : : : "memory");
}

void plant_fill(void)
{
    static const char *const words[] = {"street", "road", "12 ", "London ", "Paris, ", "\n"};
    size_t seed = 1;
    size_t len = 0;
    while (len + 8 < sizeof plant_source) {
        seed = seed * 1103515245 + 12345;
        const char *word = words[(seed >> 16) % 6];
        memcpy(plant_source + len, word, strlen(word));
        len += strlen(word);
    }
}

void plant_lz4(void *state)
{
    (void)state;
    (void)LZ4_compress_HC(plant_source, plant_target, TEXT_BYTES, COPY_ROOM, plant_search);
}
