// SPDX-License-Identifier: MIT
// `ckbench ab`: does this setting, allocator or build change what a call costs? Every block runs
// every arm once, and the base twice: a host on which the base differs from itself gets no verdict.
#include "verb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "ab_arms.h"
#include "ab_calibrating.h"
#include "ab_cells.h"
#include "ab_explaining.h"
#include "ab_judging.h"
#include "ab_options.h"
#include "ab_telling.h"
#include "base_rev.h"
#include "cli/exit.h"
#include "cli/progress.h"
#include "cli/say.h"
#include "cli/term.h"
#include "cli/tool.h"
#include "measure/ab_proof.h"
#include "measure/host.h"
#include "measure/interrupt.h"
#include "store/ab_record.h"
#include "store/checkout.h"
#include "store/document.h"
#include "store/provenance.h"

enum { HOST_ROOM = 512, LENGTHS = 3 };

struct sitting {
    const struct ab_options *options;
    int argc;
    char **argv;
    double margin;
    struct checkout own, base, candidate;
    struct base_rev made; // by --base-rev
    struct ab_subjects subjects;
    struct ab_arms arms;
    struct ab_experiment experiment;
    struct scratch scratch;
    struct progress progress;
    size_t done;
    struct host host;
    char host_line[HOST_ROOM];
    struct json_out host_json;
    struct ab_recorder recorder;
    double level; // of verdicts: less at an early look
    struct ab_explaining explaining;
};

static bool has_base(const struct ab_options *o)
{
    return o->base != NULL || o->base_rev != NULL;
}

static int make_base(struct sitting *s, struct fault *fault)
{
    int code = base_rev_open(s->options->base_rev, &s->own, &s->scratch, &s->made, fault);
    if (code == EXIT_GOOD && s->made.is_adoption) {
        *fault = s->made.adoption;
        code = EXIT_INCOMPLETE;
    }
    return code;
}

static int open_checkouts(struct sitting *s, struct fault *fault)
{
    const struct ab_options *o = s->options;
    if (!checkout_open(".", o->subject, &s->own, fault) ||
        (o->candidate_subject != NULL &&
         !checkout_open(".", o->candidate_subject, &s->candidate, fault))) {
        return EXIT_INCOMPLETE;
    }
    int code = o->base_rev != NULL ? make_base(s, fault) : EXIT_GOOD;
    const char *dir = o->base_rev != NULL ? s->made.root : o->base;
    if (code != EXIT_GOOD || (dir != NULL && !checkout_open(dir, NULL, &s->base, fault))) {
        return code != EXIT_GOOD ? code : EXIT_INCOMPLETE;
    }
    s->subjects.head = s->own.subject;
    s->subjects.base = has_base(o) ? s->base.subject : s->own.subject;
    s->subjects.candidate = o->candidate_subject != NULL ? s->candidate.subject : s->subjects.head;
    return EXIT_GOOD;
}

static uint64_t draw_seed(void)
{
    uint64_t seed = 0;
    while (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed ||
           seed % (uint64_t)AB_SEED_MAX == 0) {
    }
    return seed % (uint64_t)AB_SEED_MAX;
}

static void describe(const struct sitting *s, size_t arm, char out[AB_SETTINGS_ROOM])
{
    const struct ab_wish *wish = &s->arms.wishes[arm];
    size_t len = 0;
    out[0] = '\0';
    if (strcmp(s->arms.subjects[arm], s->subjects.base) != 0 || has_base(s->options)) {
        len += (size_t)snprintf(out, AB_SETTINGS_ROOM, "%s", s->arms.subjects[arm]);
    }
    for (size_t i = 0; i < wish->count && len < AB_SETTINGS_ROOM; i++) {
        len += (size_t)snprintf(out + len, AB_SETTINGS_ROOM - len, "%s%s", len > 0 ? " " : "",
                                wish->items[i]);
    }
    if (s->arms.injected_ppm[arm] > 0) {
        (void)snprintf(out, AB_SETTINGS_ROOM, "as it is, %g %% more calls",
                       (double)s->arms.injected_ppm[arm] / 1e4);
    } else if (len == 0) {
        (void)snprintf(out, AB_SETTINGS_ROOM, "as it is");
    }
}

// The subjects of all arms must offer all cells.
static int check_subjects(const struct sitting *s, struct fault *fault)
{
    for (size_t arm = AB_CANDIDATES; arm < s->arms.count; arm++) {
        struct subject subject;
        int code = EXIT_GOOD;
        if (strcmp(s->arms.subjects[arm], s->subjects.base) == 0) {
            continue;
        }
        if (!subject_open(s->arms.subjects[arm], &s->scratch, &subject, fault)) {
            return EXIT_INCOMPLETE;
        }
        for (size_t i = 0; i < s->experiment.cell_count && code == EXIT_GOOD; i++) {
            if (subject_find(&subject, s->experiment.cells[i].path) == NULL) {
                (void)fault_set(fault, "arm %s: %s has no path %s", s->arms.names[arm],
                                subject.file, s->experiment.cells[i].path);
                code = EXIT_USAGE;
            }
        }
        subject_close(&subject);
        if (code != EXIT_GOOD) {
            return code;
        }
    }
    return EXIT_GOOD;
}

static int prove_arms(struct sitting *s, struct fault *fault)
{
    struct ab_experiment *e = &s->experiment;
    e->arm_count = s->arms.count;
    for (size_t i = 0; i < e->arm_count; i++) {
        (void)snprintf(e->arms[i].name, AB_NAME_ROOM, "%s", s->arms.names[i]);
        describe(s, i, e->arms[i].settings);
        e->arms[i].proof = AB_IS_BASE;
        e->arms[i].injected_ppm = s->arms.injected_ppm[i];
    }
    for (size_t i = AB_CANDIDATES; i < e->arm_count; i++) {
        if (e->arms[i].injected_ppm > 0) {
            e->arms[i].proof = AB_PROVEN; // checked against what each process says it did
            continue;
        }
        const struct ab_claim claim = {s->arms.names[i],        &s->arms.wishes[i],
                                       s->arms.starters[i].env, s->arms.subjects[i],
                                       s->subjects.base,        s->arms.starters[AB_BASE].env};
        enum ab_finding finding = ab_prove(&claim, &s->scratch, fault);
        if (finding == AB_WRONG || finding == AB_DID_NOTHING) {
            return finding == AB_WRONG ? EXIT_USAGE : EXIT_INCOMPLETE;
        }
        e->arms[i].proof = finding == AB_TOOK_EFFECT ? AB_PROVEN : AB_UNPROVEN;
    }
    return EXIT_GOOD;
}

// Each cell by loops of a quarter of the length, of it, and of four times it.
static bool lengthen(struct sitting *s, struct fault *fault)
{
    struct ab_experiment *e = &s->experiment;
    int64_t loop_ns = (int64_t)s->options->loop_us * 1000;
    if (e->cell_count > AB_CELLS_MAX / LENGTHS) {
        return fault_set(fault, "more than %d cells to calibrate", AB_CELLS_MAX / LENGTHS);
    }
    for (size_t i = e->cell_count * LENGTHS; i-- > 0;) {
        e->cells[i] = e->cells[i / LENGTHS];
        e->cells[i].loop_ns = loop_ns * (1 << 2 * (i % LENGTHS)) / 4;
    }
    e->cell_count *= LENGTHS;
    return true;
}

static int choose_cells(struct sitting *s, struct fault *fault)
{
    struct subject subject;
    struct ab_experiment *e = &s->experiment;
    e->cells = calloc(AB_CELLS_MAX, sizeof *e->cells);
    if (e->cells == NULL) {
        return fault_set(fault, "out of memory") ? EXIT_GOOD : EXIT_INCOMPLETE;
    }
    if (!subject_open(s->subjects.base, &s->scratch, &subject, fault)) {
        return EXIT_INCOMPLETE;
    }
    bool is_good = ab_cells_choose(s->options, &subject, e->cells, &e->cell_count, fault) &&
                   (!s->options->calibrate || s->options->one_length || lengthen(s, fault));
    subject_close(&subject);
    return is_good ? check_subjects(s, fault) : EXIT_USAGE;
}

static void note_host(struct sitting *s)
{
    struct json_out *out = &s->host_json;
    const struct host *h = &s->host;
    host_read(&s->host);
    (void)snprintf(s->host_line, sizeof s->host_line, "%s, %ld cores, load %.2f, %s, %s, %s",
                   h->cpu, h->cores, (double)h->load_milli / 1000.0, h->kernel, h->libc,
                   h->virtualisation);
    json_begin_object(out, NULL);
    json_put_text(out, "cpu", h->cpu);
    json_put_i64(out, "cores", h->cores);
    json_put_text(out, "kernel", h->kernel);
    json_put_text(out, "libc", h->libc);
    json_put_text(out, "governor", h->governor);
    json_put_text(out, "virtualisation", h->virtualisation);
    json_put_i64(out, "load_milli", h->load_milli);
    json_end_object(out);
}

static bool note_sample(void *context, size_t block, size_t cell, size_t arm, struct fault *fault)
{
    struct sitting *s = context;
    progress_step(&s->progress, ++s->done, "processes");
    return s->recorder.stream == NULL || ab_record_put(&s->recorder, block, cell, arm, fault);
}

static bool open_record(struct sitting *s, struct fault *fault)
{
    const struct ab_record_head head = {s->host_json.text, tool_version(), tool_commit(),
                                        s->margin};
    return s->options->record == NULL ||
           ab_record_open(&s->recorder, s->options->record, &s->experiment, &head, fault);
}

// Asked after each block: at the looks of --max-blocks, whether all candidates are settled.
static bool is_settled(void *context, size_t block)
{
    struct sitting *s = context;
    struct fault ignored;
    struct ab_judging judging;
    unsigned look = ab_look_at(&s->experiment, block);
    if (look == 0) {
        return false;
    }
    double level = obrien_fleming_level(look, AB_LOOKS);
    struct ab_experiment so_far = s->experiment;
    so_far.blocks = block + 1;
    bool is_settled = ab_judging_make(&so_far, s->margin, level, &judging, &ignored);
    for (size_t i = 0; is_settled && i < judging.verdicts.row_count; i++) {
        const struct ab_row *row = &judging.verdicts.rows[i];
        is_settled =
            row->arm == AB_AA || row->verdict == PAIRED_FASTER || row->verdict == PAIRED_SLOWER;
    }
    ab_judging_release(&judging);
    return is_settled;
}

static struct ab_run run_of(struct sitting *s)
{
    return (struct ab_run){.experiment = &s->experiment,
                           .starters = s->arms.starters,
                           .scratch = &s->scratch,
                           .loop_ns = (int64_t)s->options->loop_us * 1000,
                           .timeout_ms = s->options->child_timeout_ms,
                           .on_sample = note_sample,
                           .is_enough = is_settled,
                           .context = s};
}

static bool run_blocks(struct sitting *s, struct fault *fault)
{
    struct ab_experiment *e = &s->experiment;
    const struct ab_run run = run_of(s);
    e->looks_within = s->options->max_blocks;
    size_t blocks = s->options->max_blocks > 0 ? s->options->max_blocks : s->options->blocks;
    if (!ab_experiment_make_room(e, blocks + 1, fault)) {
        return false;
    }
    progress_open(&s->progress, e->blocks * e->cell_count * e->arm_count, false);
    bool is_good =
        ab_run_calibrate(&run, fault) == AB_RUN_DONE &&
        (s->options->calibrate || ab_run_count_allocations(&run, fault) == AB_RUN_DONE) &&
        open_record(s, fault) && ab_run(&run, fault) == AB_RUN_DONE;
    progress_close(&s->progress);
    s->level = ab_end_at_look(e);
    return ab_record_close(&s->recorder, is_good ? fault : NULL) && is_good;
}

static bool print(const struct sitting *s, const struct ab_telling *telling,
                  const struct json_out *body, const struct json_out *provenance,
                  struct fault *fault)
{
    if (s->options->json) {
        return document_print(stdout, body, provenance, fault);
    }
    bool is_good =
        s->options->markdown ? ab_print_markdown(telling, fault) : ab_print_table(telling, fault);
    return is_good && (!s->options->explain || telling->judging->verdicts.is_unfit ||
                       ab_print_explanation(telling, &s->explaining, fault));
}

static bool tell(const struct sitting *s, const struct ab_judging *judging, struct fault *fault)
{
    struct json_out body = JSON_OUT_INIT, provenance = JSON_OUT_INIT;
    const struct ab_options *o = s->options;
    const struct provenance_tool tool = {
        .version = tool_version(), .commit = tool_commit(), .argc = s->argc, .argv = s->argv};
    const struct ab_telling telling = {&s->experiment, judging, s->host_line,
                                       term_has_color(stdout, (enum term_when)o->color),
                                       term_columns(stdout)};
    ab_put_body(&body, &telling);
    json_begin_object(&provenance, NULL);
    provenance_put_tool(&provenance, &tool);
    json_put_raw(&provenance, "host", s->host_json.text, s->host_json.len);
    json_put_text(&provenance, "subject", s->subjects.base);
    json_end_object(&provenance);
    bool is_good = o->report == NULL || document_write(o->report, &body, &provenance, fault);
    is_good = is_good && print(s, &telling, &body, &provenance, fault);
    json_out_release(&body);
    json_out_release(&provenance);
    return is_good;
}

static bool explain(struct sitting *s, const struct ab_judging *judging, struct fault *fault)
{
    const struct ab_run run = run_of(s);
    return !s->options->explain || judging->verdicts.is_unfit ||
           ab_explaining_measure(judging, &run, &s->explaining, fault) == AB_RUN_DONE;
}

static int judge(struct sitting *s)
{
    struct fault fault;
    struct ab_judging judging;
    int code = EXIT_INCOMPLETE;
    bool is_good = ab_judging_make(&s->experiment, s->margin, s->level, &judging, &fault) &&
                   explain(s, &judging, &fault);
    if (interrupt_seen() != 0) {
        ab_judging_release(&judging);
        return EXIT_INCOMPLETE;
    }
    interrupt_remove(); // a signal may end us while we wait for a reader
    if (!is_good || !tell(s, &judging, &fault)) {
        (void)say_fault(EXIT_INCOMPLETE, &fault);
    } else {
        code = ab_judging_code(&judging, s->options->strict, &fault);
        if (fault.text[0] != '\0') {
            (void)say_fault(code, &fault);
        }
    }
    ab_judging_release(&judging);
    return code;
}

static int sit(struct sitting *s)
{
    struct fault fault;
    int code = choose_cells(s, &fault);
    if (code == EXIT_GOOD) {
        code = prove_arms(s, &fault);
    }
    if (code != EXIT_GOOD) {
        return interrupt_seen() != 0 ? EXIT_INCOMPLETE : say_fault(code, &fault);
    }
    note_host(s);
    s->experiment.seed = s->options->seed != 0 ? s->options->seed : draw_seed();
    if (!run_blocks(s, &fault)) {
        return interrupt_seen() != 0 ? EXIT_INCOMPLETE : say_fault(EXIT_INCOMPLETE, &fault);
    }
    if (s->options->calibrate) {
        interrupt_remove();
        return ab_print_calibration(&s->experiment, &fault) ? EXIT_GOOD
                                                            : say_fault(EXIT_INCOMPLETE, &fault);
    }
    return judge(s);
}

static int prepare(struct sitting *s)
{
    struct fault fault;
    const struct ab_options *o = s->options;
    if (!ab_options_check(o, &fault) || !ab_read_margin(o->margin, &s->margin, &fault)) {
        return say_fault(EXIT_USAGE, &fault);
    }
    if (!scratch_open(&s->scratch, &fault)) {
        return say_fault(EXIT_INCOMPLETE, &fault);
    }
    int code = open_checkouts(s, &fault);
    if (code != EXIT_GOOD) {
        return interrupt_seen() != 0 ? EXIT_INCOMPLETE : say_fault(code, &fault);
    }
    if (!ab_arms_read(o, &s->subjects, &s->arms, &fault)) {
        return say_fault(EXIT_USAGE, &fault);
    }
    if (s->arms.count <= AB_CANDIDATES && !o->calibrate) {
        return say_fail(EXIT_USAGE,
                        "nothing to compare: name an arm by --candidate-env, "
                        "--candidate-preload, --candidate-subject, --arm, --base or --base-rev");
    }
    return sit(s);
}

static int compare(const struct ab_options *options, int argc, char **argv)
{
    struct sitting *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return say_fail(EXIT_INCOMPLETE, "out of memory");
    }
    s->options = options;
    s->level = AB_LEVEL;
    s->argc = argc;
    s->argv = argv;
    int code = prepare(s);
    scratch_close(&s->scratch);
    ab_arms_release(&s->arms);
    ab_experiment_release(&s->experiment);
    ab_explaining_release(&s->explaining);
    json_out_release(&s->host_json);
    checkout_close(&s->own);
    checkout_close(&s->base);
    checkout_close(&s->candidate);
    base_rev_close(&s->made);
    free(s);
    return code;
}

static int ab_verb_run(int argc, char **argv)
{
    int code;
    struct fault fault;
    struct ab_options options;
    if (!opt_read(&ab_table, argc, argv, &options, &code)) {
        return code;
    }
    if (!interrupt_install(&fault)) {
        return say_fault(EXIT_INCOMPLETE, &fault);
    }
    code = compare(&options, argc, argv);
    int signal = interrupt_seen();
    interrupt_remove();
    return signal != 0 ? exit_by_signal(signal) : code;
}

const struct verb verb_ab = {"ab", "compare arms by interleaved processes", ab_verb_run};
