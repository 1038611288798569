// SPDX-License-Identifier: MIT
// Why a path costs more or less than before: the difference of two windows, function by function.
// Layer: measure. Per call of the path, a function's change in self cost is
//     change in calls x cost of a call before  +  calls now x change in cost of a call
// Everything is kept in whole numbers of the windows; division happens when a text is made.
#ifndef CKBENCH_ATTRIBUTION_H
#define CKBENCH_ATTRIBUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault.h"
#include "measure/profile.h"

enum { ATTRIBUTION_CALLERS = 3, ATTRIBUTION_TEXT = 512 };

// A window and how many calls of the path it holds: 1 to 4294967295.
struct attribution_side {
    const struct profile *profile;
    uint64_t ops;
};

struct attribution_caller {
    const char *name;
    uint64_t head_calls; // of the whole window
    uint64_t base_calls;
};

// A function that moved: its self cost or its number of calls per call of the path.
struct attribution_function {
    const char *object; // class name
    const char *name;
    const char *source; // head's, or base's for a function that is gone; not a header if it has
                        // code of another file; empty when unknown
    uint32_t first_line;
    const char *change_source; // where its cost per call changed most; empty when unknown
    uint32_t change_line;      // a line of head, or of base where code only went away
    bool in_head, in_base;
    uint64_t head_ir, base_ir; // self, of the whole window
    uint64_t head_calls, base_calls;
    struct attribution_caller callers[ATTRIBUTION_CALLERS]; // largest change in calls first
    size_t caller_count;
};

struct attribution {
    uint64_t head_ops, base_ops;
    struct attribution_function *functions; // largest change in self cost per op first
    size_t count;
};

// Hundredths of an instruction per call of the path, rounded half away from zero and saturated;
// by_calls + by_cost == total.
struct attribution_delta {
    int64_t total_centi;
    int64_t by_calls_centi; // change in calls x cost of a call before (for a new function: all)
    int64_t by_cost_centi;
};

// Compares two windows. Names belong to the profiles and must outlive the result. False: no
// memory, or ops out of range; `out` is then empty.
bool attribution_make(const struct attribution_side *head, const struct attribution_side *base,
                      struct attribution *out, struct fault *fault);
void attribution_release(struct attribution *attribution);

struct attribution_delta attribution_delta(const struct attribution *attribution, size_t index);

// One reason without line end, printable ASCII, at most size - 1 bytes. Such as
//     hash: called +0.93 per op from ht_get, 87.9 instructions each (table.c:37)
//     op_htab: same calls, +16.4 instructions each (bench.c:12)
void attribution_reason(const struct attribution *attribution, size_t index, char *buffer,
                        size_t size);

// Is every function whose self cost moved part of the C library's allocator or string code? True
// also when none moved.
bool attribution_only_libc_heap_or_string(const struct attribution *attribution);

#endif
