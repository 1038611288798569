// SPDX-License-Identifier: MIT
// Paths are written as in the reports they came from. What differs between two equal runs, their
// names and links, is provenance.
#include "store/ir_merged.h"

#include "store/ir_report.h"
#include "store/json_out.h"

static void put_slot(struct json_out *out, const struct gate_slot *slot)
{
    const struct gate_shard *s = slot->shard;
    json_put_space(out, "\n");
    json_begin_object(out, NULL);
    if (slot->number != 0) {
        json_put_i64(out, "shard", (int64_t)slot->number);
    } else {
        json_put_null(out, "shard");
    }
    json_put_text(out, "verdict", s != NULL ? ir_overall_name(s->result.overall) : NULL);
    json_put_text(out, "no_result", s == NULL ? slot->reason.text : NULL);
    json_put_text(out, "unproven",
                  s != NULL && !s->result.is_proven ? s->result.unproven.text : NULL);
    json_put_text(out, "fingerprint_id", s != NULL ? s->fingerprint_id : NULL);
    json_end_object(out);
}

void ir_merged_body(struct json_out *out, const struct gate_merge *merge)
{
    json_begin_object(out, NULL);
    json_put_text(out, "schema", "ckbench/report/1");
    json_put_text(out, "verdict", ir_overall_name(merge->overall));
    json_put_bool(out, "complete", merge->complete);
    json_put_bool(out, "adoption", merge->is_adoption);
    json_put_i64(out, "shards_expected", (int64_t)merge->shards);
    if (merge->first != NULL) {
        json_put_text(out, "mode", ir_report_modes[merge->first->result.mode]);
        ir_report_settings(out, &merge->first->result.settings);
    } else {
        json_put_null(out, "mode");
        json_put_null(out, "settings");
    }
    json_begin_array(out, "fingerprints");
    for (size_t i = 0; i < merge->print_count; i++) {
        json_begin_object(out, NULL);
        json_put_text(out, "id", merge->prints[i].id);
        ir_fingerprint_put(out, "fingerprint", &merge->prints[i].print);
        json_end_object(out);
    }
    json_end_array(out);
    json_begin_array(out, "shards");
    for (size_t i = 0; i < merge->slot_count; i++) {
        put_slot(out, &merge->slots[i]);
    }
    json_end_array(out);
    json_begin_array(out, "paths");
    for (size_t i = 0; i < merge->path_count; i++) {
        ir_report_path(out, merge->paths[i]);
    }
    json_end_array(out);
    json_put_space(out, "\n");
    json_end_object(out);
}

void ir_merged_provenance(struct json_out *out, const struct gate_merge *merge,
                          const struct provenance_tool *tool)
{
    json_begin_object(out, NULL);
    provenance_put_tool(out, tool);
    json_put_text(out, "head", merge->head);
    json_put_text(out, "base", merge->base);
    json_put_text(out, "run", merge->run);
    json_begin_array(out, "links");
    for (size_t i = 0; i < merge->shards; i++) {
        json_put_text(out, NULL, merge->slots[i].link[0] != '\0' ? merge->slots[i].link : NULL);
    }
    json_end_array(out);
    json_end_object(out);
}
