// SPDX-License-Identifier: MIT
// The process number of a measured child: one that Linux never gives, so that kill() on it
// reaches nobody, and always of the same number of digits.
#include "kit.h"

#include <sys/syscall.h>
#include <unistd.h>

enum { PID_BEYOND_ALL = 4194305 };

static pid_t ckbench_pinned_getpid(void)
{
    (void)__atomic_fetch_add(&ckbench_read_counts.pid, 1, __ATOMIC_RELAXED);
    return PID_BEYOND_ALL;
}

static pid_t ckbench_raw_getpid(void)
{
    return (pid_t)syscall(SYS_getpid);
}

static pid_t (*ckbench_to_getpid)(void);

const struct ckbench_pin ckbench_pid_pins[] = {
    {"getpid", 0, &ckbench_to_getpid, (ckbench_any)ckbench_raw_getpid,
     (ckbench_any)ckbench_pinned_getpid},
    {NULL, 0, NULL, NULL, NULL},
};

CKBENCH_SEEN pid_t getpid(void)
{
    return CKBENCH_READY(getpid)();
}
