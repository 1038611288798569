// SPDX-License-Identifier: MIT
// Why test_flight's cancelled loader does not run under AddressSanitizer: this program knows
// nothing of the library, and gcc's sanitizer stops it all the same. Cancellation unwinds frames
// without their epilogues, so their red zones stay; what the cleanup handler's thread does on that
// stack then looks like an overflow ("may be a false positive if your program uses some custom
// stack unwind mechanism"). Run by hand. gcc 12.2: stack-buffer-overflow in sigaltstack, called by
// the sanitizer itself; clang 14: nothing.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int cleaned;

static void clean_up(void *arg)
{
    volatile char room[256];
    memset((char *)room, 1, sizeof room);
    *(int *)arg += room[7];
}

__attribute__((noinline)) static void wait_for_ever(void)
{
    volatile char room[512];
    memset((char *)room, 2, sizeof room);
    for (;;) {
        (void)nanosleep(&(struct timespec){0, 1000000}, NULL);
        room[3]++;
    }
}

static void *run(void *arg)
{
    pthread_cleanup_push(clean_up, arg);
    wait_for_ever();
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < 50; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, run, &cleaned) != 0) {
            return 2;
        }
        (void)nanosleep(&(struct timespec){0, 3000000}, NULL);
        (void)pthread_cancel(thread);
        (void)pthread_join(thread, NULL);
    }
    printf("%d threads cancelled\n", cleaned);
    return 0;
}
