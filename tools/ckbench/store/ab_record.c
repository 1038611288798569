// SPDX-License-Identifier: MIT
// Writing. One line is one write of the stream, flushed, so that a killed run leaves at most one
// line cut.
#include "store/ab_record.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "store/json_out.h"

static bool put_line(struct ab_recorder *r, struct json_out *line, struct fault *fault)
{
    json_end_text(line);
    bool is_good = !line->is_failed && fwrite(line->text, 1, line->len, r->stream) == line->len &&
                   fflush(r->stream) == 0;
    json_out_release(line);
    return is_good || fault_set(fault, "could not write the record %s: %s", r->path,
                                errno != 0 ? strerror(errno) : "out of memory");
}

static void put_text_or_null(struct json_out *out, const char *key, const char *text)
{
    json_put_text(out, key, text[0] != '\0' ? text : NULL);
}

static void put_arms(struct json_out *out, const struct ab_experiment *e)
{
    static const char *const words[] = {"base", "proven", "unproven"};
    json_begin_array(out, "arms");
    for (size_t i = 0; i < e->arm_count; i++) {
        json_begin_object(out, NULL);
        json_put_text(out, "name", e->arms[i].name);
        json_put_text(out, "settings", e->arms[i].settings);
        json_put_text(out, "proof", words[e->arms[i].proof]);
        json_put_i64(out, "injected_ppm", e->arms[i].injected_ppm);
        json_end_object(out);
    }
    json_end_array(out);
}

static void put_allocations(struct json_out *out, const struct ab_cell *cell, size_t arms)
{
    json_begin_array(out, "allocations");
    for (size_t arm = 0; arm < arms; arm++) {
        if (cell->allocations[arm] >= 0) {
            json_put_i64(out, NULL, cell->allocations[arm]);
        } else {
            json_put_null(out, NULL);
        }
    }
    json_end_array(out);
}

static void put_cells(struct json_out *out, const struct ab_experiment *e)
{
    json_begin_array(out, "cells");
    for (size_t i = 0; i < e->cell_count; i++) {
        const struct ab_cell *cell = &e->cells[i];
        json_begin_object(out, NULL);
        json_put_text(out, "path", cell->path);
        put_text_or_null(out, "shape", cell->shape);
        put_text_or_null(out, "operation", cell->operation);
        json_put_i64(out, "bytes", cell->bytes);
        json_put_i64(out, "calls", cell->calls);
        json_put_i64(out, "warmup", cell->warmup);
        put_allocations(out, cell, e->arm_count);
        json_end_object(out);
    }
    json_end_array(out);
}

bool ab_record_open(struct ab_recorder *r, const char *path, const struct ab_experiment *e,
                    const struct ab_record_head *head, struct fault *fault)
{
    struct json_out line = JSON_OUT_INIT;
    *r = (struct ab_recorder){fopen(path, "we"), path, e};
    if (r->stream == NULL) {
        return fault_set(fault, "%s: %s", path, strerror(errno));
    }
    json_begin_object(&line, NULL);
    json_put_text(&line, "schema", AB_RECORD_SCHEMA);
    json_put_text(&line, "version", head->version);
    json_put_text(&line, "commit", head->commit);
    json_put_i64(&line, "order_seed", (int64_t)e->seed);
    json_put_i64(&line, "blocks", (int64_t)e->blocks);
    json_put_i64(&line, "looks_within", (int64_t)e->looks_within);
    json_put_i64(&line, "margin_ppm", llround(1e6 * head->margin));
    json_put_raw(&line, "host", head->host, strlen(head->host));
    put_arms(&line, e);
    put_cells(&line, e);
    json_end_object(&line);
    return put_line(r, &line, fault);
}

static void put_whole(struct json_out *out, const struct ab_sample *s)
{
    json_begin_object(out, "whole");
    json_put_i64(out, "cpu_us", s->whole_cpu_us);
    json_put_i64(out, "minor_faults", s->whole_minor_faults);
    json_put_i64(out, "peak_rss_kib", s->whole_peak_rss_kib);
    json_put_i64(out, "spawner_peak_rss_kib", s->spawner_peak_rss_kib);
    json_end_object(out);
}

bool ab_record_put(struct ab_recorder *r, size_t block, size_t cell, size_t arm,
                   struct fault *fault)
{
    struct json_out line = JSON_OUT_INIT;
    const struct ab_experiment *e = r->experiment;
    const struct ab_sample *s = ab_at(e, block, cell, arm);
    json_begin_object(&line, NULL);
    json_put_i64(&line, "block", (int64_t)block);
    json_put_i64(&line, "position", s->position);
    json_put_i64(&line, "arm", (int64_t)arm);
    json_put_i64(&line, "cell", (int64_t)cell);
    json_put_i64(&line, "order_seed", (int64_t)e->seed);
    json_put_i64(&line, "calls", s->calls);
    json_put_i64(&line, "cpu_ns", s->cpu_ns);
    json_put_i64(&line, "wall_ns", s->wall_ns);
    json_put_i64(&line, "minor_faults", s->minor_faults);
    json_put_i64(&line, "major_faults", s->major_faults);
    json_put_i64(&line, "voluntary_switches", s->voluntary_switches);
    json_put_i64(&line, "involuntary_switches", s->involuntary_switches);
    json_put_i64(&line, "peak_rss_kib", s->peak_rss_kib);
    put_text_or_null(&line, "digest", s->digest);
    put_whole(&line, s);
    json_end_object(&line);
    return put_line(r, &line, fault);
}

bool ab_record_close(struct ab_recorder *r, struct fault *fault)
{
    bool is_good = r->stream == NULL || fclose(r->stream) == 0;
    r->stream = NULL;
    return is_good ||
           fault_set(fault, "could not write the record %s: %s", r->path, strerror(errno));
}
