// SPDX-License-Identifier: MIT
// Integers as they were measured stand first; what is derived from them has three decimals.
#include "store/time_report.h"

#include <math.h>

void time_put_ns(struct json_out *out, const char *key, double ns)
{
    json_put_fixed(out, key, (int64_t)llround(ns * 1000.0), 3);
}

void time_put_run(struct json_out *out, const struct time_row_run *run)
{
    json_put_space(out, "\n");
    json_begin_object(out, NULL);
    json_put_i64(out, "warmup_calls", run->warmup);
    json_put_i64(out, "cpu_ns", run->cpu_ns);
    json_put_i64(out, "wall_ns", run->wall_ns);
    json_put_i64(out, "minor_faults", run->minor_faults);
    json_put_i64(out, "major_faults", run->major_faults);
    json_put_i64(out, "voluntary_switches", run->voluntary_switches);
    json_put_i64(out, "involuntary_switches", run->involuntary_switches);
    if (run->peak_rss_kib > 0) {
        json_put_i64(out, "peak_rss_kib", run->peak_rss_kib);
    } else {
        json_put_null(out, "peak_rss_kib");
    }
    json_put_text(out, "digest", run->digest[0] != '\0' ? run->digest : NULL);
    json_begin_array(out, "samples_wall_ns");
    for (size_t i = 0; i < run->sample_count; i++) {
        json_put_i64(out, NULL, run->samples_ns[i]);
    }
    json_end_array(out);
    if (run->latencies_ns != NULL) {
        json_begin_array(out, "latencies_ns");
        for (size_t i = 0; i < run->sample_count; i++) {
            json_put_i64(out, NULL, run->latencies_ns[i]);
        }
        json_end_array(out);
    }
    json_end_object(out);
}
