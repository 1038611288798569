// SPDX-License-Identifier: MIT
// Paths that look at what changes from run to run: clock, entropy and pid, from a shared library
// and from the program itself, and the places that malloc gives. `reads` proves that what it got
// is the pinned answer.
#include <ckbench/subject.h>

#include "reading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static struct readings reader_last;
static struct readings reader_before;

static void *reader_setup(void)
{
    reading_take(&reader_last);
    return &reader_last;
}

static void reader_library(void *state)
{
    reader_before = *(struct readings *)state;
    reading_take(state);
}

// One microsecond a read, whoever reads; entropy moves on; the pid is none that Linux gives.
static int reader_verify(void *state)
{
    const struct readings *now = state;
    for (size_t i = 0; i < 4; i++) {
        int64_t moved = now->clocks[i] - reader_before.clocks[i];
        if (moved != 5 || now->entropy[i] == reader_before.entropy[i]) {
            return 1 + (int)i;
        }
    }
    if (now->clocks[2] != now->clocks[1] + 1 || now->utc_s != 1000000000) {
        return 5;
    }
    if (strcmp(now->sodium_source, "ckbench") != 0) {
        return 7;
    }
    return now->pid == 4194305 && now->sodium != reader_before.sodium ? 0 : 6;
}

static uint64_t reader_digest(void *state)
{
    const struct readings *now = state;
    return now->sodium ^ now->entropy[0] ^ (uint64_t)now->clocks[0];
}

static void reader_program(void *state)
{
    struct timespec now;
    (void)state;
    (void)clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    (void)time(NULL);
    (void)getpid();
}

// NULL, but the compiler does not know.
static void *reader_nowhere(void)
{
    void *nowhere = NULL;
    __asm__ volatile("" : "+r"(nowhere));
    return nowhere;
}

// What the kernel would refuse is refused, and a refusal is no read.
static void reader_odd(void *state)
{
    struct timespec now;
    char byte;
    int *faults = state;
    char *volatile too_small = &byte;
    *faults = 0;
    *faults += clock_gettime(CLOCK_REALTIME, reader_nowhere()) == -1 && errno == EFAULT ? 0 : 1;
    *faults += clock_gettime(99, &now) == -1 && errno == EINVAL ? 0 : 1;
    *faults += gettimeofday(reader_nowhere(), NULL) == 0 ? 0 : 1;
    *faults += getrandom(&byte, 1, 0x8000) == -1 && errno == EINVAL ? 0 : 1;
    *faults += getrandom(reader_nowhere(), 1, 0) == -1 && errno == EFAULT ? 0 : 1;
    *faults += getentropy(too_small, 257) == -1 && errno == EIO ? 0 : 1;
    *faults += timespec_get(&now, 77) == 0 ? 0 : 1;
}

static void *reader_odd_setup(void)
{
    static int faults = -1;
    return &faults;
}

static int reader_odd_verify(void *state)
{
    return *(int *)state;
}

static void reader_nothing(void *state)
{
    (void)state;
}

// Where eight blocks of different sizes lie to one another.
static void *reader_places_setup(void)
{
    static uint64_t places;
    static char *blocks[8];
    for (size_t i = 0; i < 8; i++) {
        blocks[i] = malloc((size_t)24 << i);
        places = places * 1000003 + (uint64_t)(blocks[i] - blocks[0]);
    }
    for (size_t i = 0; i < 8; i++) {
        free(blocks[i]);
    }
    return &places;
}

static uint64_t reader_places_digest(void *state)
{
    return *(uint64_t *)state;
}

static const struct ckbench_extra reader_places = {.digest = reader_places_digest};
static const struct ckbench_extra reader_extra = {.digest = reader_digest};

CKBENCH_PATH_EX(lays_out, "where malloc puts things", reader_places_setup, reader_nothing, NULL,
                NULL, &reader_places)
CKBENCH_PATH_EX(reads, "5 clocks, 5 times entropy, 1 pid, in a library", reader_setup,
                reader_library, reader_verify, NULL, &reader_extra)
CKBENCH_PATH(reads_in_program, "2 clocks and 1 pid", NULL, reader_program, NULL, NULL)
CKBENCH_PATH(reads_oddly, "what must be refused", reader_odd_setup, reader_odd, reader_odd_verify,
             NULL)
CKBENCH_PATH(reads_nothing, "nothing", NULL, reader_nothing, NULL, NULL)
CKBENCH_MAIN
