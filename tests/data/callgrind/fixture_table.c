// SPDX-License-Identifier: MIT
// A library of known work. With HEAD defined it differs from the base in four ways that the tests
// must find again, each in numbers that can be counted here; with PLANT=k by k instructions.
#include "fixture_table.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__
#    define KEPT __attribute__((noinline))
#else
#    define KEPT __attribute__((noinline, noclone))
#endif

// An instruction that can be counted: exactly as many as asked for.
#define TEXT(number) #number
#define NOPS(number) __asm__ volatile(".rept " TEXT(number) "\n nop\n .endr")

static volatile unsigned sink;
static char *volatile keys[4] = {"alpha", "beta", "gamma", "delta"};

KEPT static unsigned hash(const char *key)
{
    unsigned sum = 5381;
    __asm__ volatile("" ::: "memory"); // or two calls in a row become one
    for (int i = 0; i < 5; i++) {
        sum = sum * 33 + (unsigned char)key[i];
    }
    return sum;
}

KEPT static unsigned ht_get(const char *key)
{
#ifdef HEAD
    sink += hash(key); // the first change: called once more per op
#endif
    return hash(key) + (unsigned)strcmp(key, keys[0]);
}

KEPT static int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

#ifdef HEAD
KEPT static void audit(int turn) // the second change: new, every other op
{
    sink += (unsigned)turn;
}
#else
KEPT static void old_check(int turn) // and this one is gone
{
    sink -= (unsigned)turn;
}
#endif

KEPT void op_htab(int turn)
{
    struct timespec now;
    char *volatile block = malloc(32); // volatile, or clang leaves it out
    block[0] = (char)turn;
    sink += ht_get(keys[turn & 3]) + (unsigned)block[0] + (unsigned)fib(6);
    free(block);
#ifdef HEAD
    if (turn & 1) {
        audit(turn);
    }
    NOPS(1000); // the fourth change: 1,000 instructions more
#else
    old_check(turn);
#endif
    sink += (unsigned)getppid();
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    sink += (unsigned)now.tv_nsec;
#ifdef PLANT
    NOPS(PLANT); // nothing else differs from the base
#endif
}
