// SPDX-License-Identifier: MIT
// Which shard has a result, and what the whole is then: a PASS only when every shard is there, of
// the same commits and run, and nothing failed.
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/gate_merge.h"

enum { SHARDS = 3 };

static struct gate_shard shards[8];
static struct gate_merge merge;

// Shard k of SHARDS with one path of its own, which costs as much as in base.
static void make(size_t at, size_t k)
{
    struct gate_shard *s = &shards[at];
    *s = (struct gate_shard){.file = "a file", .is_read = true, .number = k};
    s->result.mode = GATE_BASE;
    s->result.settings = (struct gate_settings){.layouts = 1,
                                                .repeat = 1,
                                                .fail_mpct = 1000,
                                                .warn_mpct = 200,
                                                .shard = (int64_t)k,
                                                .shards = SHARDS};
    s->result.is_proven = s->result.has_base = true;
    s->result.head.has_commit = s->result.base.has_commit = true;
    (void)snprintf(s->result.head.commit, sizeof s->result.head.commit, "head");
    (void)snprintf(s->result.base.commit, sizeof s->result.head.commit, "base");
    (void)snprintf(s->run, sizeof s->run, "7-1");
    s->result.paths = calloc(1, sizeof *s->result.paths);
    cr_assert(s->result.paths != NULL);
    s->result.path_count = 1;
    struct gate_path *path = s->result.paths;
    (void)snprintf(path->name, sizeof path->name, "path_%zu", k);
    path->head.count = path->base.count = 1;
    path->head.layouts[0] = path->base.layouts[0] = (struct ir_layout){0, 10, 1000, 500, 0, 0, 0};
    path->judgement.verdict = IR_OK;
}

static void make_all(void)
{
    for (size_t k = 1; k <= SHARDS; k++) {
        make(k - 1, k);
    }
}

static void put_together(size_t count, struct gate_expected expected)
{
    cr_assert(gate_merge_make(shards, count, &expected, &merge));
}

static void put_away(void)
{
    gate_merge_release(&merge);
    for (size_t i = 0; i < sizeof shards / sizeof shards[0]; i++) {
        gate_shard_release(&shards[i]);
    }
}

TestSuite(gate_merge, .init = make_all, .fini = put_away);

static void expect_missing(size_t number, const char *reason)
{
    cr_expect_eq(merge.overall, IR_INCOMPLETE);
    cr_expect(!merge.complete);
    cr_expect_eq(merge.missing, 1);
    for (size_t i = 0; i < merge.slot_count; i++) {
        bool wanted = merge.slots[i].number == number;
        cr_expect_eq(merge.slots[i].shard == NULL, wanted);
        cr_expect(!wanted || strstr(merge.slots[i].reason.text, reason) != NULL, "%s",
                  merge.slots[i].reason.text);
    }
}

Test(gate_merge, all_shards_make_a_pass)
{
    put_together(SHARDS, (struct gate_expected){SHARDS, "head", "base", "7-1"});
    cr_expect_eq(merge.overall, IR_PASS);
    cr_expect(merge.complete);
    cr_expect_eq(merge.path_count, SHARDS);
    cr_expect_str_eq(merge.paths[2]->name, "path_3");
}

Test(gate_merge, a_failure_fails_the_whole)
{
    shards[1].result.paths[0].judgement.verdict = IR_FAIL;
    put_together(SHARDS, (struct gate_expected){SHARDS, NULL, NULL, NULL});
    cr_expect_eq(merge.overall, IR_FAILED);
}

Test(gate_merge, a_failure_beside_a_missing_shard_is_incomplete)
{
    shards[1].result.paths[0].judgement.verdict = IR_FAIL;
    put_together(2, (struct gate_expected){SHARDS, NULL, NULL, NULL});
    expect_missing(3, "no report came");
}

Test(gate_merge, without_expectations_the_reports_say_how_many)
{
    put_together(2, (struct gate_expected){0, NULL, NULL, NULL});
    expect_missing(3, "no report came");
}

Test(gate_merge, twice_is_no_result)
{
    make(3, 2);
    put_together(4, (struct gate_expected){SHARDS, NULL, NULL, NULL});
    expect_missing(2, "given twice");
}

Test(gate_merge, thrice_is_no_result)
{
    make(3, 2);
    make(4, 2);
    put_together(5, (struct gate_expected){SHARDS, NULL, NULL, NULL});
    expect_missing(2, "given twice");
}

Test(gate_merge, other_commits_and_attempts_are_no_result)
{
    static const struct {
        size_t shard;
        const char *reason;
    } rows[] = {{1, "head other"}, {2, "base other"}, {3, "run other"}};
    char *const where[] = {shards[0].result.head.commit, shards[1].result.base.commit,
                           shards[2].run};
    for (size_t i = 0; i < SHARDS; i++) {
        char kept[8];
        (void)snprintf(kept, sizeof kept, "%s", where[i]);
        (void)snprintf(where[i], sizeof kept, "other");
        put_together(SHARDS, (struct gate_expected){SHARDS, NULL, NULL, NULL});
        expect_missing(rows[i].shard, rows[i].reason);
        gate_merge_release(&merge);
        put_together(SHARDS, (struct gate_expected){SHARDS, "head", "base", "7-1"});
        expect_missing(rows[i].shard, rows[i].reason);
        gate_merge_release(&merge);
        (void)snprintf(where[i], sizeof kept, "%s", kept);
    }
}

Test(gate_merge, an_unknown_commit_is_not_the_expected_one)
{
    shards[0].result.head.has_commit = false;
    put_together(SHARDS, (struct gate_expected){SHARDS, "head", "base", "7-1"});
    expect_missing(1, "head unknown");
}

Test(gate_merge, other_settings_are_no_result)
{
    shards[2].result.settings.fail_mpct = 50000;
    put_together(SHARDS, (struct gate_expected){SHARDS, NULL, NULL, NULL});
    expect_missing(3, "other settings");
}

Test(gate_merge, a_path_in_two_shards_is_no_result)
{
    (void)snprintf(shards[2].result.paths[0].name, GATE_NAME, "path_1");
    put_together(SHARDS, (struct gate_expected){SHARDS, NULL, NULL, NULL});
    expect_missing(3, "path_1 is in shard 1 too");
}

Test(gate_merge, an_unreadable_report_is_a_result_that_is_not_there)
{
    gate_shard_release(&shards[1]);
    shards[1] = (struct gate_shard){.file = "x", .number = 2};
    (void)fault_set(&shards[1].unread, "x:1: cut");
    put_together(SHARDS, (struct gate_expected){SHARDS, NULL, NULL, NULL});
    expect_missing(2, "x:1: cut");
}

Test(gate_merge, a_report_of_no_shard_makes_it_incomplete_too)
{
    shards[3] = (struct gate_shard){.file = "x"};
    (void)fault_set(&shards[3].unread, "x:1: cut");
    put_together(4, (struct gate_expected){SHARDS, NULL, NULL, NULL});
    expect_missing(0, "x:1: cut");
}

Test(gate_merge, a_shard_that_could_not_prove_itself_is_no_pass)
{
    shards[1].result.is_proven = false;
    put_together(SHARDS, (struct gate_expected){SHARDS, NULL, NULL, NULL});
    cr_expect_eq(merge.overall, IR_INCOMPLETE);
    cr_expect_eq(merge.missing, 0);
}

Test(gate_merge, the_worst_comes_first)
{
    static const enum ir_verdict worst[] = {IR_FAIL, IR_WARN, IR_OK};
    shards[0].result.paths[0].judgement.verdict = IR_OK;
    shards[1].result.paths[0].judgement.verdict = IR_WARN;
    shards[2].result.paths[0].judgement.verdict = IR_FAIL;
    put_together(SHARDS, (struct gate_expected){SHARDS, NULL, NULL, NULL});
    gate_merge_rank(merge.paths, merge.path_count);
    for (size_t i = 0; i < SHARDS; i++) {
        cr_expect_eq(merge.paths[i]->judgement.verdict, worst[i]);
    }
}
