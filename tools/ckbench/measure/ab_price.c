// SPDX-License-Identifier: MIT
// Pages are touched in their order, as copies into fresh buffers do. Huge pages are off for the
// mapping: with them a fault brings 512 pages and has another price.
#include "measure/ab_price.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "stats/bands.h"

enum { ROUNDS = 9, PAGES = 2048 };

static int64_t cpu_ns(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static long faults(void)
{
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

static bool measure_round(size_t page_bytes, double *fault_ns)
{
    size_t bytes = PAGES * page_bytes;
    volatile char *pages =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
        return false;
    }
    (void)madvise((void *)pages, bytes, MADV_NOHUGEPAGE);
    long before = faults();
    int64_t began = cpu_ns();
    for (size_t i = 0; i < bytes; i += page_bytes) {
        pages[i] = 1;
    }
    int64_t took = cpu_ns() - began;
    long count = faults() - before;
    (void)munmap((void *)pages, bytes);
    *fault_ns = count > 0 ? (double)took / (double)count : 0.0;
    return count > 0;
}

bool ab_price_measure(double *fault_ns, struct fault *fault)
{
    double rounds[ROUNDS];
    for (size_t i = 0; i < ROUNDS; i++) {
        if (!measure_round((size_t)sysconf(_SC_PAGESIZE), &rounds[i])) {
            return fault_set(fault, "could not measure what a page fault costs: %s",
                             strerror(errno));
        }
    }
    *fault_ns = median_of(rounds, ROUNDS);
    return true;
}
