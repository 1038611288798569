// SPDX-License-Identifier: MIT
// Members that are unknown are passed over, since a newer tool may have added them; those that are
// known must be there, of their kind and within their bounds.
#include "store/ir_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/document.h"
#include "store/ir_reading.h"
#include "store/ir_report.h"
#include "store/json_out.h"

enum { REPEAT_MAX = 1000000 };

static bool read_settings(const struct json_value *body, struct gate_settings *s,
                          struct fault *fault)
{
    static const char *const keys[] = {"accept_flags", "cache_sim", "heap_moved", NULL};
    bool *const to[] = {&s->accept_flags, &s->cache_sim, &s->heap_moved};
    const struct json_value *object;
    return json_want(body, "settings", JSON_OBJECT, &object, fault) &&
           json_want_i64(object, "layouts", 1, LAYOUTS_MAX, &s->layouts, fault) &&
           json_want_i64(object, "repeat", 1, REPEAT_MAX, &s->repeat, fault) &&
           ir_want_limits(object, &s->fail_mpct, &s->warn_mpct, fault) &&
           ir_want_flags(object, keys, to, fault);
}

// Up to four digits, no leading zero; moves `*at` behind them. 0: there is no such number.
static int64_t take_number(const char **at)
{
    int64_t number = 0;
    size_t digits = strspn(*at, "0123456789");
    if (digits == 0 || digits > 4 || **at == '0') {
        return 0;
    }
    for (; digits > 0; digits--) {
        number = number * 10 + (*(*at)++ - '0');
    }
    return number;
}

// "K/N".
static bool read_shard(const struct json_value *body, struct gate_settings *s, struct fault *fault)
{
    static const struct json_text_rule rule = {.min = 3, .max = 9, .extra = "/"};
    const char *text;
    if (!json_want_text(body, "shard", &rule, &text, fault)) {
        return false;
    }
    const char *at = text;
    s->shard = take_number(&at);
    bool is_pair = *at++ == '/';
    s->shards = is_pair ? take_number(&at) : 0;
    return (is_pair && *at == '\0' && s->shard >= 1 && s->shard <= s->shards &&
            s->shards <= GATE_SHARDS_MAX) ||
           json_fail(json_find(body, "shard"), fault, "'%s' is no part K/N", text);
}

static bool read_mode(const struct json_value *body, struct gate_result *r, struct fault *fault)
{
    const char *mode;
    if (!json_want_text(body, "mode", &ir_any_text, &mode, fault)) {
        return false;
    }
    for (size_t i = 0; ir_report_modes[i] != NULL; i++) {
        if (strcmp(mode, ir_report_modes[i]) == 0) {
            r->mode = (enum gate_mode)i;
            return true;
        }
    }
    return json_fail(json_find(body, "mode"), fault, "'%.40s' is no mode", mode);
}

static bool read_proof(const struct json_value *body, struct gate_result *r, struct fault *fault)
{
    const struct json_value *proof;
    return json_want(body, "proof", JSON_OBJECT, &proof, fault) &&
           json_want_bool(proof, "holds", &r->is_proven, fault) &&
           ir_kept_or_null(proof, "reason", r->unproven.text, sizeof r->unproven.text, fault);
}

static bool read_pairs(const struct json_value *print, const char *key, const char *name,
                       const char *value, struct fingerprint_list *list, struct fault *fault)
{
    const struct json_value *array;
    if (!json_want(print, key, JSON_ARRAY, &array, fault)) {
        return false;
    }
    if (json_count(array) > FINGERPRINT_PAIRS) {
        return json_fail(array, fault, "more than %d", FINGERPRINT_PAIRS);
    }
    for (const struct json_value *v = json_first(array); v != NULL; v = json_next(v)) {
        struct fingerprint_pair *pair = &list->pairs[list->count++];
        if (!json_is(v, JSON_OBJECT, fault) ||
            !ir_want_kept(v, name, pair->name, sizeof pair->name, fault) ||
            !ir_want_kept(v, value, pair->value, sizeof pair->value, fault)) {
            return false;
        }
    }
    return true;
}

static bool read_producers(const struct json_value *print, struct fingerprint *to,
                           struct fault *fault)
{
    const struct json_value *array;
    const char *text;
    size_t room = sizeof to->producers / sizeof to->producers[0];
    if (!json_want(print, "producers", JSON_ARRAY, &array, fault)) {
        return false;
    }
    if (json_count(array) > room) {
        return json_fail(array, fault, "more than %zu", room);
    }
    for (const struct json_value *v = json_first(array); v != NULL; v = json_next(v)) {
        if (!json_as_text(v, &ir_any_text, &text, fault)) {
            return false;
        }
        ir_keep(to->producers[to->producer_count++], FINGERPRINT_TEXT, text);
    }
    return true;
}

static bool read_fingerprint(const struct json_value *body, struct fingerprint *to,
                             struct fault *fault)
{
    const struct json_value *print;
    return json_want(body, "fingerprint", JSON_OBJECT, &print, fault) &&
           ir_want_kept(print, "arch", to->arch, sizeof to->arch, fault) &&
           ir_want_kept(print, "valgrind", to->valgrind, sizeof to->valgrind, fault) &&
           ir_want_kept(print, "cpuid", to->cpuid, sizeof to->cpuid, fault) &&
           ir_want_kept(print, "tunables", to->tunables, sizeof to->tunables, fault) &&
           read_producers(print, to, fault) &&
           read_pairs(print, "objects", "name", "build_id", &to->objects, fault) &&
           read_pairs(print, "ifuncs", "function", "variant", &to->ifuncs, fault);
}

static bool read_commit(const struct json_value *who, struct gate_identity *to, struct fault *fault)
{
    static const struct json_text_rule rule = {.min = 40, .max = 64};
    const struct json_value *value;
    const char *commit;
    if (!ir_want_or_null(who, "commit", JSON_TEXT, &value, fault) || value == NULL) {
        return value == NULL && json_find(who, "commit") != NULL;
    }
    if (!json_as_text(value, &rule, &commit, fault)) {
        return false;
    }
    if (commit[strspn(commit, "0123456789abcdef")] != '\0') {
        return json_fail(value, fault, "'%s' is no commit", commit);
    }
    (void)snprintf(to->commit, sizeof to->commit, "%s", commit);
    to->has_commit = true;
    return true;
}

static bool read_identity(const struct json_value *provenance, const char *key,
                          struct gate_identity *to, bool *is_there, struct fault *fault)
{
    const struct json_value *who, *dirty;
    const char *text;
    *is_there = false;
    if (!ir_want_or_null(provenance, key, JSON_OBJECT, &who, fault) || who == NULL) {
        return who == NULL && json_find(provenance, key) != NULL;
    }
    *is_there = true;
    if (!read_commit(who, to, fault) || !json_want(who, "dirty", JSON_ARRAY, &dirty, fault) ||
        !ir_want_kept(who, "subject", to->subject, sizeof to->subject, fault) ||
        !ir_kept_or_null(who, "build_id", to->build_id, sizeof to->build_id, fault)) {
        return false;
    }
    size_t room = sizeof to->dirty / sizeof to->dirty[0];
    for (const struct json_value *v = json_first(dirty); v != NULL; v = json_next(v)) {
        if (!json_as_text(v, &ir_any_text, &text, fault)) {
            return false;
        }
        if (to->dirty_count < room) {
            ir_keep(to->dirty[to->dirty_count++], sizeof to->dirty[0], text);
        }
    }
    return true;
}

static bool read_provenance(const struct json_value *provenance, struct gate_shard *shard,
                            struct fault *fault)
{
    struct gate_result *r = &shard->result;
    bool has_head;
    return read_identity(provenance, "head", &r->head, &has_head, fault) &&
           read_identity(provenance, "base", &r->base, &r->has_base, fault) &&
           (has_head || json_fail(provenance, fault, "nothing is said of head")) &&
           ir_kept_or_null(provenance, "run", shard->run, sizeof shard->run, fault);
}

static bool read_id(const struct json_value *body, struct gate_shard *shard, struct fault *fault)
{
    static const struct json_text_rule rule = {.min = 16, .max = 16};
    const char *id;
    if (!json_want_text(body, "fingerprint_id", &rule, &id, fault)) {
        return false;
    }
    (void)snprintf(shard->fingerprint_id, sizeof shard->fingerprint_id, "%s", id);
    return id[strspn(id, "0123456789abcdef")] == '\0' ||
           json_fail(json_find(body, "fingerprint_id"), fault, "'%s' is no id", id);
}

static bool read_body(const struct json_value *body, struct gate_result *r, struct fault *fault)
{
    return read_mode(body, r, fault) && json_want_bool(body, "adoption", &r->is_adoption, fault) &&
           read_settings(body, &r->settings, fault) && read_shard(body, &r->settings, fault) &&
           read_proof(body, r, fault) && read_fingerprint(body, &r->fingerprint, fault) &&
           ir_read_paths(body, r, fault);
}

static bool judge(struct gate_result *r, struct fault *fault)
{
    struct ir_outcome *outcomes = calloc(r->path_count + 1, sizeof *outcomes);
    if (outcomes == NULL) {
        return fault_set(fault, "out of memory");
    }
    for (size_t i = 0; i < r->path_count; i++) {
        struct gate_path *path = &r->paths[i];
        path->judgement = gate_judge(path, r->mode, r->settings.heap_moved);
        outcomes[i] = (struct ir_outcome){path->judgement.verdict, path->judgement.is_accepted};
    }
    r->overall = ir_overall(outcomes, r->path_count, r->is_proven, &r->complete);
    free(outcomes);
    return true;
}

// Does `said` have the member of `again` in the same spelling, or, of a text, the same words?
static bool agrees(const struct json_value *again, const struct json_value *said,
                   const struct json_value *owner, const char *who, struct fault *fault)
{
    const char *key = json_key(again), *a, *b;
    size_t a_len, b_len;
    if (said == NULL) {
        return json_fail(owner, fault, "the member '%s' is missing", key);
    }
    a = json_raw(again, &a_len);
    b = json_raw(said, &b_len);
    if (json_kind(again) == JSON_TEXT && json_kind(said) == JSON_TEXT) {
        struct fault ignored;
        if (json_as_text(again, &ir_any_text, &a, &ignored) &&
            json_as_text(said, &ir_any_text, &b, &ignored) && strcmp(a, b) == 0) {
            return true;
        }
        a_len = strlen(a);
        b_len = strlen(b);
    }
    return (a_len == b_len && memcmp(a, b, a_len) == 0) ||
           json_fail(said, fault, "%s%s%.*s, but its figures say %.*s", who,
                     who[0] != '\0' ? " is " : "it is ", (int)(b_len < 40 ? b_len : 40), b,
                     (int)(a_len < 40 ? a_len : 40), a);
}

// What is derived must be what we derive: whoever reads only that must not be misled.
static bool check_derived(const char *written, size_t len, const struct json_value *said,
                          const char *const *keys, const char *who, struct fault *fault)
{
    struct json_doc *doc;
    if (!json_read_text("again", written, len, &doc, fault)) {
        return false;
    }
    bool ok = true;
    for (size_t i = 0; ok && keys[i] != NULL; i++) {
        ok = agrees(json_find(json_root(doc), keys[i]), json_find(said, keys[i]), said, who, fault);
    }
    json_free(doc);
    return ok;
}

static bool check_path(const struct gate_path *path, const struct json_value *said,
                       struct fault *fault)
{
    static const char *const keys[] = {"verdict",
                                       "class",
                                       "head_ir_per_op",
                                       "head_own_ir_per_op",
                                       "head_allocs_per_op",
                                       "head_syscalls_per_op",
                                       "base_ir_per_op",
                                       "base_own_ir_per_op",
                                       "base_allocs_per_op",
                                       "base_syscalls_per_op",
                                       "delta_pct",
                                       NULL};
    struct json_out out = JSON_OUT_INIT;
    ir_report_path(&out, path);
    bool ok = !out.is_failed ? check_derived(out.text, out.len, said, keys, path->name, fault)
                             : fault_set(fault, "out of memory");
    json_out_release(&out);
    return ok;
}

// An adoption lacks a base and nothing else: the run proved itself and every path is new.
static bool check_adoption(const struct gate_result *r, const struct json_value *body,
                           struct fault *fault)
{
    bool is_one = r->is_proven;
    for (size_t i = 0; i < r->path_count; i++) {
        is_one = is_one && r->paths[i].judgement.verdict == IR_NEW;
    }
    return !r->is_adoption || is_one ||
           json_fail(json_find(body, "adoption"), fault, "its figures say that it is none");
}

static bool check_whole(const struct gate_result *r, const struct json_value *body,
                        struct fault *fault)
{
    static const char *const keys[] = {"verdict", "complete", NULL};
    const struct json_value *paths = json_find(body, "paths"), *v = json_first(paths);
    for (size_t i = 0; i < r->path_count; i++, v = json_next(v)) {
        if (!check_path(&r->paths[i], v, fault)) {
            return false;
        }
    }
    struct json_out out = JSON_OUT_INIT;
    json_begin_object(&out, NULL);
    json_put_text(&out, "verdict", ir_overall_name(r->overall));
    json_put_bool(&out, "complete", r->complete);
    json_end_object(&out);
    bool ok = !out.is_failed ? check_derived(out.text, out.len, body, keys, "", fault)
                             : fault_set(fault, "out of memory");
    json_out_release(&out);
    return ok;
}

// "…shard-3…" in the last part of a path; 0: no such number.
static size_t number_by_name(const char *path)
{
    const char *name = strrchr(path, '/');
    size_t number = 0;
    const char *at = strstr(name != NULL ? name : path, "shard-");
    for (at = at != NULL ? at + strlen("shard-") : "";
         *at >= '0' && *at <= '9' && number <= GATE_SHARDS_MAX; at++) {
        number = number * 10 + (size_t)(*at - '0');
    }
    return number <= GATE_SHARDS_MAX ? number : 0;
}

// Which shard a report is that could not be taken, if it says so itself.
static size_t number_by_content(const char *path)
{
    struct json_doc *doc;
    struct fault ignored;
    struct gate_settings settings = {0};
    if (!json_read_file(path, &doc, &ignored)) {
        return 0;
    }
    const struct json_value *body = json_find(json_root(doc), "body");
    bool said =
        body != NULL && json_kind(body) == JSON_OBJECT && read_shard(body, &settings, &ignored);
    json_free(doc);
    return said ? (size_t)settings.shard : 0;
}

static bool read_document(const char *path, struct gate_shard *shard)
{
    struct json_doc *doc;
    const struct json_value *body, *provenance;
    struct fault *fault = &shard->unread;
    if (!document_read(path, IR_SCHEMA, &doc, &body, &provenance, fault)) {
        return false;
    }
    bool ok = read_body(body, &shard->result, fault) && read_id(body, shard, fault) &&
              read_provenance(provenance, shard, fault) && judge(&shard->result, fault) &&
              check_adoption(&shard->result, body, fault) &&
              check_whole(&shard->result, body, fault);
    json_free(doc);
    return ok;
}

bool ir_report_read(const char *path, struct gate_shard *shard)
{
    *shard = (struct gate_shard){.file = path};
    shard->is_read = read_document(path, shard);
    shard->number = shard->is_read ? (size_t)shard->result.settings.shard : number_by_content(path);
    if (shard->number == 0) {
        shard->number = number_by_name(path);
    }
    if (!shard->is_read) {
        gate_shard_release(shard);
    }
    return shard->is_read;
}
