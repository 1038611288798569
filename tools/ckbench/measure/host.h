// SPDX-License-Identifier: MIT
// The machine a measurement was made on, as far as it says so. Layer: measure.
#ifndef CKBENCH_HOST_H
#define CKBENCH_HOST_H

#include <stdint.h>

// Texts are printable ASCII; an empty one is unknown, and so is a figure of -1.
struct host {
    char cpu[128];
    long cores; // online
    char kernel[160];
    char libc[64];
    char governor[32];       // of the first core; empty on most virtual machines
    char virtualisation[96]; // "none", or hypervisor and product
    int64_t load_milli;      // thousandths of the load average over one minute
};

void host_read(struct host *host);

// Processor time so far, of all cores: two readings give the share that the hypervisor took.
struct host_ticks {
    int64_t total, steal; // -1: unknown
};

void host_ticks_read(struct host_ticks *ticks);

// Thousandths of the time between two readings; -1 when unknown or no tick has passed.
int64_t host_steal_milli(const struct host_ticks *before, const struct host_ticks *after);

#endif
