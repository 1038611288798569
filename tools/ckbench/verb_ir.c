// SPDX-License-Identifier: MIT
// `ckbench ir`: counts instructions of two sides and judges. Reads as: open, measure, judge, tell.
// With a base checkout the policy is the base's, so that a change cannot loosen its own gate.
#include "verb.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base_rev.h"
#include "cli/exit.h"
#include "cli/progress.h"
#include "cli/say.h"
#include "ir_judging.h"
#include "ir_options.h"
#include "ir_telling.h"
#include "measure/gate_run.h"
#include "measure/host.h"
#include "measure/interrupt.h"
#include "store/budget.h"
#include "store/checkout.h"
#include "store/ir_budget.h"

// Everything that one run holds; released in one place.
struct run {
    struct ir_options options;
    int argc;
    char **argv;
    struct checkout head, base;
    struct base_rev made; // by --base-rev
    int refusal;          // the exit code of sides that could not be opened
    struct subject head_subject, base_subject;
    struct scratch scratch;
    struct valgrind valgrind;
    struct budget budget;
    char budget_path[PATH_MAX];
    const char **names;
    int64_t *ops;
    size_t name_count;
    struct gate_result result;
    struct gate_run *gate;
    struct progress progress;
    struct host_ticks ticks;
    bool is_updated;
    struct ir_budget_changes changes; // when updated
    struct fault not_updated;         // why not, when --update was asked for
};

// Is the other side a checkout, with a policy of its own?
static bool has_base_checkout(const struct run *run)
{
    return run->options.base != NULL || (run->options.base_rev != NULL && !run->made.is_adoption);
}

static bool make_base(struct run *run, struct fault *fault)
{
    run->refusal =
        base_rev_open(run->options.base_rev, &run->head, &run->scratch, &run->made, fault);
    if (run->refusal == EXIT_GOOD && run->made.is_adoption) {
        say("%s", run->made.adoption.text);
        say("so there is nothing to compare with: all paths are new");
    }
    return run->refusal == EXIT_GOOD;
}

static bool open_base(struct run *run, struct fault *fault)
{
    const struct ir_options *o = &run->options;
    if (o->base_rev != NULL && !make_base(run, fault)) {
        return false;
    }
    run->refusal = EXIT_INCOMPLETE;
    if (run->made.is_adoption) {
        return true;
    }
    const char *dir = o->base_rev != NULL ? run->made.root : o->base != NULL ? o->base : ".";
    if (!checkout_open(dir, o->base_subject, &run->base, fault) ||
        !subject_open(run->base.subject, &run->scratch, &run->base_subject, fault)) {
        return false;
    }
    if (!has_base_checkout(run)) {
        run->base.root[0] = '\0'; // a lone program: its executable is its own code
    }
    return true;
}

static bool open_sides(struct run *run, struct fault *fault)
{
    const struct ir_options *o = &run->options;
    return checkout_open(".", o->subject, &run->head, fault) &&
           scratch_open(&run->scratch, fault) &&
           valgrind_find(NULL, &run->scratch, &run->valgrind, fault) &&
           subject_open(run->head.subject, &run->scratch, &run->head_subject, fault) &&
           (ir_options_mode(o) != GATE_BASE || open_base(run, fault));
}

static bool open_budget(struct run *run, struct fault *fault)
{
    if (ir_options_mode(&run->options) != GATE_BUDGET) {
        return true;
    }
    const char *root = run->head.root[0] != '\0' ? run->head.root : ".";
    if (snprintf(run->budget_path, sizeof run->budget_path, "%s/baselines/ir.json", root) >=
        (int)sizeof run->budget_path) {
        return fault_set(fault, "the path of the budgets is too long");
    }
    return budget_read(run->budget_path, &run->budget, fault);
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static bool is_known(const struct run *run, const char *name)
{
    return subject_find(&run->head_subject, name) != NULL ||
           subject_find(&run->base_subject, name) != NULL;
}

static bool check_named(const struct run *run, const struct opt_texts *texts, const char *option,
                        struct fault *fault)
{
    for (size_t i = 0; i < texts->count; i++) {
        if (!is_known(run, texts->items[i])) {
            return fault_set(fault, "%s %s: no side has such a path; `ckbench list` shows them",
                             option, texts->items[i]);
        }
    }
    return true;
}

// A count has one input per path; those that have many are for `ab`, and counted when asked for.
static bool is_gated(const struct ir_options *o, const struct subject_path *path)
{
    return o->paths.count > 0 || (path->shapes.count == 0 && path->operations.count == 0);
}

// The union of both sides' sorted names, less what options leave out, dealt to shards in turn.
static bool choose_names(struct run *run, struct fault *fault)
{
    const struct ir_options *o = &run->options;
    const struct subject *h = &run->head_subject, *b = &run->base_subject;
    size_t i = 0, j = 0, seen = 0;
    run->names = calloc(h->path_count + b->path_count + 1, sizeof *run->names);
    if (run->names == NULL) {
        return fault_set(fault, "out of memory");
    }
    while (i < h->path_count || j < b->path_count) {
        int order = i == h->path_count   ? 1
                    : j == b->path_count ? -1
                                         : strcmp(h->paths[i].name, b->paths[j].name);
        const struct subject_path *path = order <= 0 ? &h->paths[i] : &b->paths[j];
        const char *name = path->name;
        i += order <= 0;
        j += order >= 0;
        if (is_gated(o, path) && ir_options_choose(o, name) &&
            seen++ % o->shard.count == o->shard.index - 1) {
            run->names[run->name_count++] = name;
        }
    }
    if (run->name_count == 0 && seen > 0) {
        return fault_set(fault,
                         "shard %d/%d has none of the %zu path%s: split them into fewer shards",
                         (int)o->shard.index, (int)o->shard.count, seen, seen == 1 ? "" : "s");
    }
    return run->name_count > 0 ||
           fault_set(fault, "no path is left to count: the subject has none, "
                            "or options leave all of them out");
}

static bool choose_ops(struct run *run, struct fault *fault)
{
    run->ops = calloc(run->name_count, sizeof *run->ops);
    if (run->ops == NULL) {
        return fault_set(fault, "out of memory");
    }
    for (size_t i = 0; i < run->name_count; i++) {
        run->ops[i] = ir_budget_ops(&run->budget, run->names[i]);
    }
    return true;
}

static struct own_rule own_of(const struct checkout *checkout)
{
    bool lone = checkout->root[0] == '\0';
    return (struct own_rule){
        .root = lone ? NULL : checkout->root,
        .names = checkout->has_manifest ? checkout->manifest.own : NULL,
        .name_count = checkout->has_manifest ? checkout->manifest.own_count : 0,
        .exe = lone,
    };
}

static const struct manifest *policy_of(const struct run *run)
{
    const struct checkout *c =
        run->result.mode == GATE_BASE && has_base_checkout(run) ? &run->base : &run->head;
    return c->has_manifest ? &c->manifest : NULL;
}

static void fill_settings(struct run *run)
{
    const struct ir_options *o = &run->options;
    struct manifest_limits limits = manifest_limits_of(policy_of(run), "");
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    run->result.settings = (struct gate_settings){
        .layouts = o->layouts,
        .repeat = o->repeat,
        .jobs = o->jobs != 0 ? o->jobs
                : cores > 0  ? cores
                             : 1,
        .child_timeout_ms = o->child_timeout_ms,
        .fail_mpct = limits.fail_mpct,
        .warn_mpct = limits.warn_mpct,
        .shard = o->shard.index,
        .shards = o->shard.count,
        .accept_flags = o->accept_flags,
        .cache_sim = o->cache_sim,
        .heap_moved = o->shift.given[IR_SHIFT_HEAP],
    };
}

static void tell_progress(void *context, size_t done, size_t total, const char *label)
{
    struct progress *progress = context;
    progress->total = total;
    progress_step(progress, done, label);
}

static bool measure(struct run *run, struct fault *fault)
{
    const struct ir_options *o = &run->options;
    bool self_test = run->result.mode == GATE_SELF_TEST;
    struct gate_input input = {
        .head = {.label = "head", .subject = &run->head_subject, .own = own_of(&run->head)},
        .base = {.label = "base"},
        .names = run->names,
        .name_count = run->name_count,
        .ops = run->ops,
        .valgrind = &run->valgrind,
        .scratch = &run->scratch,
        .settings = run->result.settings,
        .progress = tell_progress,
        .context = &run->progress,
    };
    if (run->result.mode != GATE_BUDGET && !run->made.is_adoption) {
        input.base.subject = self_test ? &run->head_subject : &run->base_subject;
        input.base.own = self_test ? input.head.own : own_of(&run->base);
    }
    if (self_test) {
        input.head.shift =
            (struct gate_shift){o->shift.values[IR_SHIFT_ENV], o->shift.values[IR_SHIFT_PATH],
                                (int)o->shift.values[IR_SHIFT_HEAP]};
    }
    return gate_run_new(&input, &run->result, &run->gate, fault);
}

static bool judge(struct run *run, struct fault *fault)
{
    const struct ir_bench bench = {
        .gate = run->gate,
        .manifest = policy_of(run),
        .budget = run->result.mode == GATE_BUDGET ? &run->budget : NULL,
        .accept_flags = run->options.accept_flags,
        .explain_all = run->options.explain,
        .heap_moved = run->options.shift.given[IR_SHIFT_HEAP],
    };
    return ir_judge_all(&bench, &run->result, fault);
}

static void identify(struct gate_identity *who, const struct subject *subject)
{
    (void)snprintf(who->subject, sizeof who->subject, "%s", subject->file);
    (void)snprintf(who->build_id, sizeof who->build_id, "%s",
                   subject->build_id != NULL ? subject->build_id : "");
    who->has_commit = subject->commit != NULL;
    (void)snprintf(who->commit, sizeof who->commit, "%s",
                   subject->commit != NULL ? subject->commit : "");
    size_t rows = sizeof who->dirty / sizeof who->dirty[0];
    for (size_t i = 0; i < subject->dirty.count && who->dirty_count < rows; i++) {
        (void)snprintf(who->dirty[who->dirty_count++], sizeof who->dirty[0], "%s",
                       subject->dirty.items[i]);
    }
}

// A subject that is not stamped was still built from a commit that we know.
static void identify_base(struct run *run)
{
    struct gate_identity *base = &run->result.base;
    if (!run->made.is_adoption) {
        identify(base, &run->base_subject);
    }
    if (run->options.base_rev != NULL && !base->has_commit) {
        base->has_commit = true;
        (void)snprintf(base->commit, sizeof base->commit, "%s", run->made.commit);
    }
}

static bool tell(const struct run *run, struct fault *fault)
{
    const struct ir_telling telling = {
        .options = &run->options,
        .argc = run->argc,
        .argv = run->argv,
        .result = &run->result,
        .valgrind_path = run->valgrind.path,
        .started = &run->ticks,
    };
    return ir_tell(&telling, fault);
}

// Budgets are touched only by a run that measured everything it set out to measure.
static bool is_whole(const struct run *run, struct fault *fault)
{
    for (size_t i = 0; i < run->result.path_count; i++) {
        if (run->result.paths[i].is_error) {
            return fault_set(fault, "no budget written: %s was not measured",
                             run->result.paths[i].name);
        }
    }
    return run->result.is_proven ||
           fault_set(fault, "no budget written: the run could not prove itself");
}

// Before judging, so that what is shown is head against the budgets as they will be committed.
static bool update_budget(struct run *run, struct fault *fault)
{
    run->is_updated = run->options.update && is_whole(run, &run->not_updated);
    return !run->is_updated || ir_budget_update(&run->budget, &run->result,
                                                run->options.allow_increase, &run->changes, fault);
}

static int write_budget(const struct run *run)
{
    struct fault fault;
    if (!run->is_updated) {
        return say_fault(EXIT_INCOMPLETE, &run->not_updated);
    }
    if (!budget_write(run->budget_path, &run->budget, &fault)) {
        return say_fault(EXIT_INCOMPLETE, &fault);
    }
    const struct ir_budget_changes *c = &run->changes;
    say("%s: %zu recorded, %zu lowered, %zu raised, %zu unchanged", run->budget_path, c->recorded,
        c->lowered, c->raised, c->equal);
    return c->kept == 0 ? EXIT_GOOD
                        : say_fail(EXIT_BAD,
                                   "%zu cost more than their budget, which was kept: "
                                   "--allow-increase raises it",
                                   c->kept);
}

static int exit_code_of(const struct run *run)
{
    static const int codes[] = {
        [IR_PASS] = EXIT_GOOD, [IR_FAILED] = EXIT_BAD, [IR_INCOMPLETE] = EXIT_INCOMPLETE};
    return codes[run->result.overall];
}

// Measured: no file of ours is left, and a signal may end us again while we wait for a reader.
static void wind_down(struct run *run)
{
    gate_run_free(run->gate);
    run->gate = NULL;
    scratch_close(&run->scratch);
    interrupt_remove();
}

// After a failure: an interruption is told by the exit code, anything else by its line.
static int failed(struct run *run, int exit_code, const struct fault *fault)
{
    int signal = interrupt_seen();
    wind_down(run);
    return signal != 0 ? say_fail(128 + signal, "interrupted; nothing was written")
                       : say_fault(exit_code, fault);
}

static bool prepare(struct run *run, struct fault *fault)
{
    if (!open_sides(run, fault) || !open_budget(run, fault)) {
        return false;
    }
    run->result.mode = ir_options_mode(&run->options);
    run->result.has_base = run->result.mode == GATE_BASE;
    identify(&run->result.head, &run->head_subject);
    if (run->result.has_base) {
        identify_base(run);
    }
    run->result.is_adoption = run->made.is_adoption;
    fill_settings(run);
    host_ticks_read(&run->ticks);
    return true;
}

// What is wrong with the command line only shows once both sides are open.
static bool check_sides(const struct run *run, struct fault *fault)
{
    if (run->result.has_base && same_file(run->head.subject, run->base.subject)) {
        return fault_set(fault, "%s: both sides are %s",
                         run->options.base_subject != NULL
                             ? "--base-subject is the measured subject itself"
                             : "--base is this checkout itself",
                         run->head.subject);
    }
    return check_named(run, &run->options.paths, "--path", fault) &&
           check_named(run, &run->options.skips, "--skip", fault);
}

static int run_gate(struct run *run)
{
    struct fault fault;
    if (!prepare(run, &fault)) {
        return failed(run, run->refusal, &fault);
    }
    if (!check_sides(run, &fault)) {
        return failed(run, EXIT_USAGE, &fault);
    }
    if (!choose_names(run, &fault) || !choose_ops(run, &fault)) {
        return failed(run, EXIT_INCOMPLETE, &fault);
    }
    progress_open(&run->progress, run->name_count, false);
    bool measured = measure(run, &fault) && update_budget(run, &fault) && judge(run, &fault);
    progress_close(&run->progress);
    if (!measured || interrupt_seen() != 0) {
        return failed(run, EXIT_INCOMPLETE, &fault);
    }
    wind_down(run);
    if (!tell(run, &fault)) {
        return failed(run, EXIT_INCOMPLETE, &fault);
    }
    return run->options.update ? write_budget(run) : exit_code_of(run);
}

static void release(struct run *run)
{
    wind_down(run);
    free(run->result.paths);
    free(run->names);
    free(run->ops);
    budget_release(&run->budget);
    subject_close(&run->head_subject);
    subject_close(&run->base_subject);
    valgrind_release(&run->valgrind);
    checkout_close(&run->head);
    checkout_close(&run->base);
    base_rev_close(&run->made);
}

static int run_ir(int argc, char **argv)
{
    struct fault fault;
    int code = EXIT_INCOMPLETE;
    struct run *run = calloc(1, sizeof *run);
    if (run == NULL) {
        return say_fail(EXIT_INCOMPLETE, "out of memory");
    }
    run->refusal = EXIT_INCOMPLETE;
    run->argc = argc;
    run->argv = argv;
    if (opt_read(&ir_option_table, argc, argv, &run->options, &code)) {
        if (!ir_options_check(&run->options, &fault)) {
            code = say_fault(EXIT_USAGE, &fault);
        } else if (!interrupt_install(&fault)) {
            code = say_fault(EXIT_INCOMPLETE, &fault);
        } else {
            code = run_gate(run);
            release(run);
        }
    }
    free(run);
    return code;
}

const struct verb verb_ir = {"ir", "count instructions per call, head against base, and judge",
                             run_ir};
