// SPDX-License-Identifier: MIT
// The document `ckbench/time/1`. Layer: store.
#ifndef CKBENCH_TIME_REPORT_H
#define CKBENCH_TIME_REPORT_H

#include <stdint.h>

#include "fault.h"
#include "store/json_out.h"
#include "store/provenance.h"

// One run as it was measured; per-sample figures are of `calls` calls each.
struct time_row_run {
    int64_t warmup, cpu_ns, wall_ns, minor_faults, major_faults, voluntary_switches,
        involuntary_switches, peak_rss_kib; // peak 0: not to be had
    const char *digest;                     // "": none
    const int64_t *samples_ns;
    const int64_t *latencies_ns; // NULL: none
    size_t sample_count;
};

void time_put_run(struct json_out *out, const struct time_row_run *run);

// Picoseconds per call as nanoseconds with three decimals.
void time_put_ns(struct json_out *out, const char *key, double ns);

#endif
