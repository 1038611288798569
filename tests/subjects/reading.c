// SPDX-License-Identifier: MIT
// A shared library that asks for the time, for entropy and for its process: 5 reads of a clock
// and 5 of entropy a call (libsodium's included), and 1 of the pid.
#include "reading.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

void reading_take(struct readings *readings)
{
    struct timespec now = {0, 0};
    struct timeval day = {0, 0};
    memset(readings, 0, sizeof *readings);
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    readings->clocks[0] = now.tv_sec * 1000000 + now.tv_nsec / 1000;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    readings->clocks[1] = now.tv_sec * 1000000 + now.tv_nsec / 1000;
    (void)gettimeofday(&day, NULL);
    readings->clocks[2] = day.tv_sec * 1000000 + day.tv_usec;
    (void)timespec_get(&now, TIME_UTC);
    readings->clocks[3] = now.tv_sec * 1000000 + now.tv_nsec / 1000;
    readings->utc_s = time(NULL);
    (void)getrandom(&readings->entropy[0], 8, 0);
    (void)getentropy(&readings->entropy[1], 8);
    readings->entropy[2] = arc4random();
    arc4random_buf(&readings->entropy[3], 8);
    readings->pid = getpid();
    randombytes_buf(&readings->sodium, sizeof readings->sodium);
    readings->sodium_source = randombytes_implementation_name();
}
