// SPDX-License-Identifier: MIT
// Pins: the program defines clock, entropy and pid functions itself, and so do the calls that
// shared libraries make to them arrive here. Each goes through a pointer: to the C library's own
// function (found once; a jump more per call), or, in a measured child, to one that answers the
// same in every run and counts who asked.
#include "kit.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

struct ckbench_reads ckbench_read_counts;

static const struct ckbench_pin *const ckbench_pin_tables[] = {
    ckbench_clock_pins,
    ckbench_entropy_pins,
    ckbench_pid_pins,
};

enum { TABLES = sizeof ckbench_pin_tables / sizeof *ckbench_pin_tables };

// Whether there is a shared C library that has the function. Not found out by asking for it: a
// dlsym() that fails leaves a message in the heap, as long as the program's path.
static bool ckbench_is_shared(const struct ckbench_pin *pin)
{
    const char *version = gnu_get_libc_version();
    long minor = strncmp(version, "2.", 2) == 0 ? strtol(version + 2, NULL, 10) : 0;
    return getauxval(AT_BASE) != 0 && minor >= pin->glibc_minor;
}

static void ckbench_pin_resolve(const struct ckbench_pin *pin)
{
    ckbench_any found = pin->fallback;
    void *next = ckbench_is_shared(pin) ? dlsym(RTLD_NEXT, pin->name) : NULL;
    // Copied as bytes: C has no conversion from an object's address to a function's.
    if (next != NULL) {
        memcpy(&found, &next, sizeof found);
    }
    memcpy(pin->slot, &found, sizeof found);
}

// Before any path's constructor could start a thread.
__attribute__((constructor(101))) void ckbench_pins_resolve(void)
{
    for (size_t table = 0; table < TABLES; table++) {
        for (const struct ckbench_pin *pin = ckbench_pin_tables[table]; pin->name; pin++) {
            ckbench_pin_resolve(pin);
        }
    }
}

void ckbench_pins_start(void)
{
    for (size_t table = 0; table < TABLES; table++) {
        for (const struct ckbench_pin *pin = ckbench_pin_tables[table]; pin->name; pin++) {
            memcpy(pin->slot, &pin->pinned, sizeof pin->pinned);
        }
    }
    ckbench_pin_sodium();
}
