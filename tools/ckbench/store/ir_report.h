// SPDX-License-Identifier: MIT
// The document of `ckbench ir`, schema ckbench/ir/1: what a gate found, as integers from which
// every other figure and verdict can be computed again. Layer: store.
#ifndef CKBENCH_IR_REPORT_H
#define CKBENCH_IR_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "fault.h"
#include "stats/gate.h"
#include "store/provenance.h"

struct json_out;

// Who measured where, for provenance. Texts are borrowed; NULL becomes null.
struct ir_provenance {
    struct provenance_tool tool;
    const char *run; // of which the report is a part
    struct ir_host {
        const char *cpu, *kernel, *libc, *governor, *virtualisation;
        long cores;
        int64_t load_milli, steal_milli; // -1: unknown
    } host;
};

// Writes the body: nothing in it differs between two equal measurements.
void ir_report_body(struct json_out *out, const struct gate_result *result);
void ir_report_provenance(struct json_out *out, const struct gate_result *result,
                          const struct ir_provenance *provenance);

// Parts of it, for documents made of several reports.
extern const char *const ir_report_modes[]; // ended by NULL
void ir_report_path(struct json_out *out, const struct gate_path *path);
void ir_report_settings(struct json_out *out, const struct gate_settings *settings);
void ir_report_identity(struct json_out *out, const char *key, const struct gate_identity *who);

// A fingerprint as one JSON object, and its id: the first 16 hex digits of that text's SHA-256.
enum { IR_FINGERPRINT_ID = 17 };
void ir_fingerprint_put(struct json_out *out, const char *key, const struct fingerprint *print);
bool ir_fingerprint_id(const struct fingerprint *print, char id[IR_FINGERPRINT_ID]);

#endif
