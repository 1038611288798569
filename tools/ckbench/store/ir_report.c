// SPDX-License-Identifier: MIT
// Integers first: figures per call are derived, cut to three decimals, and never the only source.
#include "store/ir_report.h"

#include <stdio.h>
#include <string.h>

#include "store/json_out.h"
#include "store/sha256.h"

const char *const ir_report_modes[] = {"base", "budget", "self-test", NULL};

static void put_milli(struct json_out *out, const char *key, struct per_op figure)
{
    int64_t whole = figure.num / figure.den, rest = figure.num % figure.den;
    json_put_fixed(out, key, whole * 1000 + rest * 1000 / figure.den, 3);
}

static void put_own(struct json_out *out, const char *key, struct per_op figure)
{
    if (figure.num == OWN_UNKNOWN) {
        json_put_null(out, key);
    } else {
        put_milli(out, key, figure);
    }
}

// The four figures of a side; null where the side was not counted.
static void put_figures(struct json_out *out, const char *const keys[4], bool present,
                        const struct ir_figures *figures)
{
    if (!present) {
        for (size_t i = 0; i < 4; i++) {
            json_put_null(out, keys[i]);
        }
        return;
    }
    put_milli(out, keys[0], figures->total);
    put_own(out, keys[1], figures->own);
    put_milli(out, keys[2], figures->allocs);
    put_milli(out, keys[3], figures->syscalls);
}

static void put_layout(struct json_out *out, const struct ir_layout *layout)
{
    json_begin_object(out, NULL);
    json_put_i64(out, "layout", layout->layout);
    json_put_i64(out, "ops", layout->ops);
    json_put_i64(out, "total_ir", layout->total_ir);
    if (layout->own_ir == OWN_UNKNOWN) {
        json_put_null(out, "own_ir");
    } else {
        json_put_i64(out, "own_ir", layout->own_ir);
    }
    json_put_i64(out, "allocs", layout->allocs);
    json_put_i64(out, "syscalls", layout->syscalls);
    json_put_i64(out, "empty_ir", layout->empty_ir);
    json_end_object(out);
}

static void put_side(struct json_out *out, const char *key, const struct ir_side *side)
{
    if (side->count == 0) {
        json_put_null(out, key);
        return;
    }
    json_begin_object(out, key);
    json_begin_array(out, "layouts");
    for (size_t i = 0; i < side->count; i++) {
        put_layout(out, &side->layouts[i]);
    }
    json_end_array(out);
    json_end_object(out);
}

static void put_delta(struct json_out *out, const struct gate_path *path)
{
    const struct ir_judgement *j = &path->judgement;
    if (path->head.count == 0 || path->base.count == 0 || j->base_figures.total.num <= 0) {
        json_put_null(out, "delta_pct");
    } else {
        json_put_fixed(out, "delta_pct",
                       per_op_delta_mpct(j->head_figures.total, j->base_figures.total), 3);
    }
}

static void put_spread(struct json_out *out, const struct gate_path *path)
{
    if (path->has_spread) {
        json_put_i64(out, "spread_ir", path->spread_ir);
        json_put_i64(out, "spread_own_ir", path->spread_own_ir);
    } else {
        json_put_null(out, "spread_ir");
        json_put_null(out, "spread_own_ir");
    }
}

// Estimated from simulated caches, the loop included; null when none were simulated.
static void put_cycles(struct json_out *out, const char *key, bool present, struct per_op cycles)
{
    if (present && cycles.num > 0) {
        put_milli(out, key, cycles);
    } else {
        json_put_null(out, key);
    }
}

// What beside the integers decides: from both anybody can judge again.
static void put_facts(struct json_out *out, const struct ir_case *facts)
{
    json_begin_object(out, "facts");
    json_put_bool(out, "incomparable", facts->is_incomparable);
    json_put_bool(out, "gone", facts->is_gone);
    json_put_bool(out, "has_base", facts->has_base);
    json_put_bool(out, "reads_input", facts->reads_input);
    json_put_bool(out, "same_edges", facts->same_edges);
    json_put_bool(out, "only_libc_moved", facts->only_libc_moved);
    json_end_object(out);
}

static void put_policy(struct json_out *out, const struct ir_policy *policy)
{
    json_begin_object(out, "policy");
    json_put_fixed(out, "fail_pct", policy->fail_mpct, 3);
    json_put_fixed(out, "warn_pct", policy->warn_mpct, 3);
    json_put_bool(out, "accept_total", policy->accept_total);
    json_put_bool(out, "accept_allocs", policy->accept_allocs);
    json_put_bool(out, "accept_syscalls", policy->accept_syscalls);
    json_put_bool(out, "accept_gone", policy->accept_gone);
    json_end_object(out);
}

void ir_report_path(struct json_out *out, const struct gate_path *path)
{
    static const char *const head_keys[] = {"head_ir_per_op", "head_own_ir_per_op",
                                            "head_allocs_per_op", "head_syscalls_per_op"};
    static const char *const base_keys[] = {"base_ir_per_op", "base_own_ir_per_op",
                                            "base_allocs_per_op", "base_syscalls_per_op"};
    json_put_space(out, "\n");
    json_begin_object(out, NULL);
    json_put_text(out, "name", path->name);
    json_put_text(out, "verdict", ir_verdict_name(path->judgement.verdict));
    json_put_text(out, "class", ir_class_name(path->judgement.class));
    json_begin_array(out, "reasons");
    for (size_t i = 0; i < path->reason_count; i++) {
        json_put_text(out, NULL, path->reasons[i]);
    }
    json_end_array(out);
    put_figures(out, head_keys, path->head.count > 0, &path->judgement.head_figures);
    put_figures(out, base_keys, path->base.count > 0, &path->judgement.base_figures);
    put_delta(out, path);
    put_spread(out, path);
    put_cycles(out, "head_cycles_per_op", path->head.count > 0, path->cycles[0]);
    put_cycles(out, "base_cycles_per_op", path->base.count > 0, path->cycles[1]);
    json_put_text(out, "error", path->is_error ? path->error.text : NULL);
    put_facts(out, &path->facts);
    put_policy(out, &path->policy);
    put_side(out, "head", &path->head);
    put_side(out, "base", &path->base);
    json_end_object(out);
}

static void put_pairs(struct json_out *out, const char *key, const char *name, const char *value,
                      const struct fingerprint_list *list)
{
    json_begin_array(out, key);
    for (size_t i = 0; i < list->count; i++) {
        json_begin_object(out, NULL);
        json_put_text(out, name, list->pairs[i].name);
        json_put_text(out, value, list->pairs[i].value);
        json_end_object(out);
    }
    json_end_array(out);
}

void ir_fingerprint_put(struct json_out *out, const char *key, const struct fingerprint *print)
{
    json_begin_object(out, key);
    json_put_text(out, "arch", print->arch);
    json_put_text(out, "valgrind", print->valgrind);
    json_put_text(out, "cpuid", print->cpuid);
    json_put_text(out, "tunables", print->tunables);
    json_begin_array(out, "producers");
    for (size_t i = 0; i < print->producer_count; i++) {
        json_put_text(out, NULL, print->producers[i]);
    }
    json_end_array(out);
    put_pairs(out, "objects", "name", "build_id", &print->objects);
    put_pairs(out, "ifuncs", "function", "variant", &print->ifuncs);
    json_end_object(out);
}

bool ir_fingerprint_id(const struct fingerprint *print, char id[IR_FINGERPRINT_ID])
{
    struct json_out out = JSON_OUT_INIT;
    char digest[SHA256_TEXT_SIZE];
    ir_fingerprint_put(&out, NULL, print);
    bool ok = !out.is_failed;
    if (ok) {
        sha256_text(out.text, out.len, digest);
        (void)snprintf(id, IR_FINGERPRINT_ID, "%.16s", digest);
    }
    json_out_release(&out);
    return ok;
}

void ir_report_settings(struct json_out *out, const struct gate_settings *settings)
{
    json_begin_object(out, "settings");
    json_put_i64(out, "layouts", settings->layouts);
    json_put_i64(out, "repeat", settings->repeat);
    json_put_fixed(out, "fail_pct", settings->fail_mpct, 3);
    json_put_fixed(out, "warn_pct", settings->warn_mpct, 3);
    json_put_bool(out, "accept_flags", settings->accept_flags);
    json_put_bool(out, "cache_sim", settings->cache_sim);
    json_put_bool(out, "heap_moved", settings->heap_moved);
    json_end_object(out);
}

void ir_report_body(struct json_out *out, const struct gate_result *result)
{
    char id[IR_FINGERPRINT_ID] = "";
    char shard[64];
    json_begin_object(out, NULL);
    json_put_text(out, "schema", "ckbench/ir/1");
    json_put_text(out, "verdict", ir_overall_name(result->overall));
    json_put_bool(out, "complete", result->complete);
    json_put_bool(out, "adoption", result->is_adoption);
    json_put_text(out, "mode", ir_report_modes[result->mode]);
    json_begin_object(out, "proof");
    json_put_bool(out, "holds", result->is_proven);
    json_put_text(out, "reason", result->is_proven ? NULL : result->unproven.text);
    json_end_object(out);
    if (ir_fingerprint_id(&result->fingerprint, id)) {
        json_put_text(out, "fingerprint_id", id);
    }
    ir_fingerprint_put(out, "fingerprint", &result->fingerprint);
    ir_report_settings(out, &result->settings);
    (void)snprintf(shard, sizeof shard, "%lld/%lld", (long long)result->settings.shard,
                   (long long)result->settings.shards);
    json_put_text(out, "shard", shard);
    json_begin_array(out, "paths");
    for (size_t i = 0; i < result->path_count; i++) {
        ir_report_path(out, &result->paths[i]);
    }
    json_end_array(out);
    json_put_space(out, "\n");
    json_end_object(out);
}

void ir_report_identity(struct json_out *out, const char *key, const struct gate_identity *who)
{
    json_begin_object(out, key);
    json_put_text(out, "commit", who->has_commit ? who->commit : NULL);
    json_begin_array(out, "dirty");
    for (size_t i = 0; i < who->dirty_count; i++) {
        json_put_text(out, NULL, who->dirty[i]);
    }
    json_end_array(out);
    json_put_text(out, "subject", who->subject);
    json_put_text(out, "build_id", who->build_id[0] != '\0' ? who->build_id : NULL);
    json_end_object(out);
}

static void put_known(struct json_out *out, const char *key, const char *text)
{
    json_put_text(out, key, text[0] != '\0' ? text : NULL);
}

static void put_host(struct json_out *out, const struct ir_host *host)
{
    json_begin_object(out, "host");
    put_known(out, "cpu", host->cpu);
    json_put_i64(out, "cores", host->cores);
    put_known(out, "kernel", host->kernel);
    put_known(out, "libc", host->libc);
    put_known(out, "governor", host->governor);
    put_known(out, "virtualisation", host->virtualisation);
    json_put_i64(out, "load_milli", host->load_milli);
    json_put_i64(out, "steal_milli", host->steal_milli);
    json_end_object(out);
}

void ir_report_provenance(struct json_out *out, const struct gate_result *result,
                          const struct ir_provenance *provenance)
{
    json_begin_object(out, NULL);
    provenance_put_tool(out, &provenance->tool);
    ir_report_identity(out, "head", &result->head);
    if (result->has_base) {
        ir_report_identity(out, "base", &result->base);
    } else {
        json_put_null(out, "base");
    }
    json_put_text(out, "run", provenance->run);
    put_host(out, &provenance->host);
    json_put_i64(out, "jobs", result->settings.jobs);
    json_end_object(out);
}
