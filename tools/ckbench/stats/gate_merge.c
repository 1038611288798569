// SPDX-License-Identifier: MIT
// Every report is looked at for itself first, then put into its slot; a slot keeps a result only
// when exactly one good report came for it.
#include "stats/gate_merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool same(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static const char *head_of(const struct gate_shard *s)
{
    return s->result.head.has_commit ? s->result.head.commit : NULL;
}

static const char *base_of(const struct gate_shard *s)
{
    return s->result.has_base && s->result.base.has_commit ? s->result.base.commit : NULL;
}

static const char *run_of(const struct gate_shard *s)
{
    return s->run[0] != '\0' ? s->run : NULL;
}

typedef const char *fact_of(const struct gate_shard *shard);

// What most reports say; of equally many the first.
static const char *most(const struct gate_shard *shards, size_t count, fact_of *fact)
{
    const char *best = NULL;
    size_t best_votes = 0;
    for (size_t i = 0; i < count; i++) {
        size_t votes = 0;
        for (size_t j = 0; j < count && shards[i].is_read; j++) {
            votes += shards[j].is_read && same(fact(&shards[i]), fact(&shards[j]));
        }
        if (votes > best_votes) {
            best = fact(&shards[i]);
            best_votes = votes;
        }
    }
    return best;
}

static size_t most_shards(const struct gate_shard *shards, size_t count)
{
    size_t best = 0, best_votes = 0;
    for (size_t i = 0; i < count; i++) {
        size_t votes = 0, said = (size_t)shards[i].result.settings.shards;
        for (size_t j = 0; j < count && shards[i].is_read; j++) {
            votes += shards[j].is_read && (size_t)shards[j].result.settings.shards == said;
        }
        if (votes > best_votes) {
            best = said;
            best_votes = votes;
        }
    }
    return best;
}

static bool same_settings(const struct gate_result *a, const struct gate_result *b)
{
    const struct gate_settings *x = &a->settings, *y = &b->settings;
    return a->mode == b->mode && x->layouts == y->layouts && x->repeat == y->repeat &&
           x->fail_mpct == y->fail_mpct && x->warn_mpct == y->warn_mpct &&
           x->accept_flags == y->accept_flags && x->cache_sim == y->cache_sim &&
           x->heap_moved == y->heap_moved;
}

static bool is_as_wanted(const char *what, const char *said, const char *wanted, bool is_expected,
                         struct fault *reason)
{
    if (same(said, wanted)) {
        return true;
    }
    return fault_set(reason, "of %s %.64s, not of %s%.64s", what, said != NULL ? said : "unknown",
                     is_expected ? "" : "the others' ", wanted != NULL ? wanted : "unknown");
}

static bool is_good(const struct gate_merge *merge, const struct gate_shard *s,
                    const struct gate_expected *expected, struct fault *reason)
{
    if (!s->is_read) {
        *reason = s->unread;
        return false;
    }
    if ((size_t)s->result.settings.shards != merge->shards) {
        return fault_set(reason, "part %zu of %lld, not of %zu", s->number,
                         (long long)s->result.settings.shards, merge->shards);
    }
    if (!is_as_wanted("head", head_of(s), merge->head, expected->head != NULL, reason) ||
        !is_as_wanted("base", base_of(s), merge->base, expected->base != NULL, reason) ||
        !is_as_wanted("run", run_of(s), merge->run, expected->run != NULL, reason)) {
        return false;
    }
    return merge->first == NULL || same_settings(&merge->first->result, &s->result) ||
           fault_set(reason, "measured with other settings than shard %zu", merge->first->number);
}

// No path is in two shards.
static const struct gate_slot *who_has(const struct gate_merge *merge, const char *name)
{
    for (size_t i = 0; i < merge->shards; i++) {
        const struct gate_shard *s = merge->slots[i].shard;
        for (size_t p = 0; s != NULL && p < s->result.path_count; p++) {
            if (strcmp(s->result.paths[p].name, name) == 0) {
                return &merge->slots[i];
            }
        }
    }
    return NULL;
}

static bool is_apart(const struct gate_merge *merge, const struct gate_shard *s,
                     struct fault *reason)
{
    for (size_t p = 0; p < s->result.path_count; p++) {
        const struct gate_slot *other = who_has(merge, s->result.paths[p].name);
        if (other != NULL) {
            return fault_set(reason, "%s is in shard %zu too", s->result.paths[p].name,
                             other->number);
        }
    }
    return true;
}

static struct gate_slot *slot_for(struct gate_merge *merge, const struct gate_shard *s)
{
    return s->number >= 1 && s->number <= merge->shards ? &merge->slots[s->number - 1]
                                                        : &merge->slots[merge->slot_count++];
}

static void place(struct gate_merge *merge, const struct gate_shard *s,
                  const struct gate_expected *expected)
{
    struct gate_slot *slot = slot_for(merge, s);
    struct fault reason;
    bool good = is_good(merge, s, expected, &reason);
    if (slot->number == 0) {
        slot->reason = reason;
        if (good) {
            (void)fault_set(&slot->reason, "part %zu of %zu", s->number, merge->shards);
        }
    } else if (slot->shard != NULL) {
        (void)fault_set(&slot->reason, "given twice: %.150s and %.150s", slot->shard->file,
                        s->file);
        slot->shard = NULL;
    } else if (slot->reason.text[0] == '\0' && good && is_apart(merge, s, &reason)) {
        slot->shard = s;
        merge->first = merge->first != NULL ? merge->first : s;
    } else if (slot->reason.text[0] == '\0') {
        slot->reason = reason;
    }
}

static bool make_room(struct gate_merge *merge, size_t reports)
{
    merge->slots = calloc(merge->shards + reports + 1, sizeof *merge->slots);
    for (size_t i = 0; merge->slots != NULL && i < merge->shards; i++) {
        merge->slots[i].number = i + 1;
    }
    merge->slot_count = merge->shards;
    return merge->slots != NULL;
}

static int by_name(const void *a, const void *b)
{
    const struct gate_path *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static bool collect_paths(struct gate_merge *merge)
{
    size_t room = 1;
    for (size_t i = 0; i < merge->slot_count; i++) {
        room += merge->slots[i].shard != NULL ? merge->slots[i].shard->result.path_count : 0;
    }
    merge->paths = calloc(room, sizeof *merge->paths);
    for (size_t i = 0; merge->paths != NULL && i < merge->slot_count; i++) {
        const struct gate_shard *s = merge->slots[i].shard;
        for (size_t p = 0; s != NULL && p < s->result.path_count; p++) {
            merge->paths[merge->path_count++] = &s->result.paths[p];
        }
    }
    if (merge->paths != NULL) {
        qsort(merge->paths, merge->path_count, sizeof *merge->paths, by_name);
    }
    return merge->paths != NULL;
}

static struct gate_print *print_for(struct gate_merge *merge, const struct gate_shard *s)
{
    struct fault ignored;
    for (size_t i = 0; i < merge->print_count; i++) {
        if (fingerprint_agrees(&merge->prints[i].print, &s->result.fingerprint, true, &ignored)) {
            return &merge->prints[i];
        }
    }
    struct gate_print *print = &merge->prints[merge->print_count++];
    print->print = s->result.fingerprint;
    (void)snprintf(print->id, sizeof print->id, "%s", s->fingerprint_id);
    return print;
}

static bool collect_prints(struct gate_merge *merge)
{
    merge->prints = calloc(merge->slot_count + 1, sizeof *merge->prints);
    for (size_t i = 0; merge->prints != NULL && i < merge->slot_count; i++) {
        const struct gate_shard *s = merge->slots[i].shard;
        struct gate_print *print = s != NULL ? print_for(merge, s) : NULL;
        if (print != NULL && print->members++ > 0) {
            (void)fingerprint_join(&print->print,
                                   &s->result.fingerprint); // as far as there is room
            print->id[0] = '\0';
        }
    }
    return merge->prints != NULL;
}

static bool is_proven(const struct gate_merge *merge)
{
    for (size_t i = 0; i < merge->slot_count; i++) {
        if (merge->slots[i].shard == NULL || !merge->slots[i].shard->result.is_proven) {
            return false;
        }
    }
    return true;
}

static bool is_adoption(const struct gate_merge *merge)
{
    for (size_t i = 0; i < merge->slot_count; i++) {
        if (merge->slots[i].shard == NULL || !merge->slots[i].shard->result.is_adoption) {
            return false;
        }
    }
    return merge->slot_count > 0;
}

const char *gate_merge_remark(const struct gate_merge *merge)
{
    return merge->overall == IR_FAILED && !merge->complete ? " (incomplete)"
           : merge->is_adoption                            ? " (adoption)"
                                                           : "";
}

// A failure among the paths stands, unless a shard is missing: then nobody knows the whole.
static bool conclude(struct gate_merge *merge)
{
    struct ir_outcome *outcomes = calloc(merge->path_count + 1, sizeof *outcomes);
    if (outcomes == NULL) {
        return false;
    }
    for (size_t i = 0; i < merge->path_count; i++) {
        outcomes[i] = (struct ir_outcome){merge->paths[i]->judgement.verdict,
                                          merge->paths[i]->judgement.is_accepted};
    }
    merge->overall = ir_overall(outcomes, merge->path_count, is_proven(merge), &merge->complete);
    if (merge->missing > 0) {
        merge->overall = IR_INCOMPLETE;
        merge->complete = false;
    }
    merge->is_adoption = is_adoption(merge);
    free(outcomes);
    return true;
}

static void note_missing(struct gate_merge *merge)
{
    for (size_t i = 0; i < merge->slot_count; i++) {
        struct gate_slot *slot = &merge->slots[i];
        if (slot->shard == NULL && slot->reason.text[0] == '\0') {
            (void)fault_set(&slot->reason, "no report came");
        }
        merge->missing += slot->shard == NULL;
    }
}

bool gate_merge_make(const struct gate_shard *shards, size_t count,
                     const struct gate_expected *expected, struct gate_merge *merge)
{
    *merge = (struct gate_merge){
        .shards = expected->shards != 0 ? expected->shards : most_shards(shards, count),
        .head = expected->head != NULL ? expected->head : most(shards, count, head_of),
        .base = expected->base != NULL ? expected->base : most(shards, count, base_of),
        .run = expected->run != NULL ? expected->run : most(shards, count, run_of),
    };
    if (!make_room(merge, count)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        place(merge, &shards[i], expected);
    }
    note_missing(merge);
    return collect_paths(merge) && collect_prints(merge) && conclude(merge);
}

void gate_merge_release(struct gate_merge *merge)
{
    free(merge->slots);
    free(merge->paths);
    free(merge->prints);
    *merge = (struct gate_merge){0};
}

void gate_shard_release(struct gate_shard *shard)
{
    free(shard->result.paths);
    shard->result.paths = NULL;
}
