// SPDX-License-Identifier: MIT
// What differs about the two recordings is said before what they say. A verdict wants books that
// balance, slices enough to draw from, and hosts that compare.
#include "terrain_diffing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exit.h"
#include "cli/opt.h"
#include "cli/say.h"
#include "cli/term.h"
#include "render/terrain_table.h"
#include "stats/terrain_compare.h"
#include "store/document.h"
#include "store/terrain_report.h"

enum { COMPARED_MAX = TERRAIN_LAYERS_MAX * 2 * 2, TEXT_ROOM = 512 };

static const double LEVEL = 0.05;

struct diff_options {
    struct opt_texts files;
    bool force;
};
static const struct diff_options diff_defaults = {.force = false};
static const struct opt diff_rows[] = {
    OPT_OPERANDS(struct diff_options, files, 2, 2, "A.json B.json", "two recordings"),
    OPT_FLAG(struct diff_options, force, "force", 0,
             "compare recordings of hosts or regimes that do not compare"),
};
static const struct opt_table diff_table = {
    .verb = "terrain diff",
    .about = "how the times of each layer differ between two recordings: B over A",
    .rows = diff_rows,
    .row_count = OPT_ROWS(diff_rows),
    .defaults = &diff_defaults,
    .size = sizeof diff_defaults,
    .exits = "0 no layer is slower; 1 one is; 2 usage; 3 the recordings do not compare",
    .example = "ckbench terrain diff before.json after.json",
};

struct side {
    const char *file;
    struct json_doc *doc;
    const struct json_value *body, *provenance;
    struct terrain_recording recording;
    struct terrain_books books;
};

struct compared {
    const char *layer;
    enum terrain_time time;
    struct terrain_ratio ratios[2];
};

struct diff {
    struct side sides[2];
    size_t differences, apart; // apart: those that forbid a comparison
    size_t count;
    struct compared compared[COMPARED_MAX];
};

static bool open_side(struct side *side, const char *file, struct fault *fault)
{
    side->file = file;
    if (!document_read(file, TERRAIN_SCHEMA, &side->doc, &side->body, &side->provenance, fault) ||
        !terrain_read_body(side->body, &side->recording, fault)) {
        return false;
    }
    terrain_books_check(&side->recording, &side->books);
    return true;
}

static void differ(struct diff *d, const char *what, const char *a, const char *b, bool is_apart)
{
    if (strcmp(a, b) == 0) {
        return;
    }
    (void)printf("%s%s: %s, %s\n", is_apart ? "! " : "  ", what, a, b);
    d->differences++;
    d->apart += is_apart;
}

// A member as it stands in the file, "-" when it is not there; what is not printable is '?'.
static void text_of(const struct json_value *object, const char *group, const char *key,
                    char out[TEXT_ROOM])
{
    size_t len = 0;
    const struct json_value *in = group != NULL ? json_find(object, group) : object;
    const struct json_value *at =
        in != NULL && json_kind(in) == JSON_OBJECT ? json_find(in, key) : NULL;
    const char *raw = at != NULL ? json_raw(at, &len) : NULL;
    (void)snprintf(out, TEXT_ROOM, "%.*s", raw != NULL ? (int)(len < 400 ? len : 400) : 1,
                   raw != NULL ? raw : "-");
    for (char *c = out; *c != '\0'; c++) {
        *c = *c < 0x20 || *c > 0x7e ? '?' : *c;
    }
}

static void list_provenance(struct diff *d)
{
    static const struct {
        const char *group, *key;
        bool is_apart;
    } rows[] = {
        {NULL, "l2_where", true},       {"host", "cpu", true},
        {"host", "cores", true},        {"host", "virtualisation", true},
        {"host", "kernel", false},      {"host", "libc", false},
        {"host", "governor", false},    {NULL, "harness", false},
        {"subject", "commit", false},   {"subject", "dirty", false},
        {"subject", "compiler", false}, {"subject", "flags", false},
        {"subject", "build_id", false}, {"subject", "kit", false},
        {"tool", "version", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char a[TEXT_ROOM], b[TEXT_ROOM];
        text_of(d->sides[0].provenance, rows[i].group, rows[i].key, a);
        text_of(d->sides[1].provenance, rows[i].group, rows[i].key, b);
        differ(d, rows[i].key, a, b, rows[i].is_apart);
    }
}

// Settings of one side that the other does not have in the same words.
static void list_settings(struct diff *d, size_t one, size_t other)
{
    const struct terrain_recording *r = &d->sides[one].recording;
    const struct terrain_recording *o = &d->sides[other].recording;
    for (size_t i = 0; i < r->setting_count; i++) {
        size_t len = strcspn(r->settings[i], "=") + 1, at = 0;
        while (at < o->setting_count && strncmp(o->settings[at], r->settings[i], len) != 0) {
            at++;
        }
        if (at == o->setting_count) {
            differ(d, "setting", one == 0 ? r->settings[i] : "-", one == 0 ? "-" : r->settings[i],
                   false);
        } else if (one == 0) {
            differ(d, "setting", r->settings[i], o->settings[at], false);
        }
    }
}

static void list_differences(struct diff *d)
{
    const struct terrain_recording *a = &d->sides[0].recording, *b = &d->sides[1].recording;
    (void)printf("A: %s\nB: %s\n", d->sides[0].file, d->sides[1].file);
    list_provenance(d);
    differ(d, "terrain", a->name, b->name, false);
    differ(d, "clock", a->clock, b->clock, true);
    differ(d, "regime", a->regime, b->regime, true);
    differ(d, "ended by", a->reason, b->reason, false);
    list_settings(d, 0, 1);
    list_settings(d, 1, 0);
    if (d->differences == 0) {
        (void)puts("  nothing differs in what they say of themselves");
    }
}

static const char *problem_of(const struct diff *d, bool is_forced, char *text, size_t size)
{
    for (size_t i = 0; i < 2; i++) {
        const struct side *side = &d->sides[i];
        if (!terrain_books_are_good(&side->books)) {
            (void)snprintf(text, size, "%s: its books are %s", side->file,
                           terrain_books_verdict(&side->books));
            return text;
        }
        if (side->recording.slice_count < TERRAIN_SLICES_LEAST) {
            (void)snprintf(text, size,
                           "%s: %zu slices, no verdict below %d: record longer, or "
                           "with shorter slices",
                           side->file, side->recording.slice_count, TERRAIN_SLICES_LEAST);
            return text;
        }
    }
    if (d->apart > 0 && !is_forced) {
        return "the recordings do not compare (lines with !): --force compares them all the same";
    }
    return NULL;
}

static bool compare(struct diff *d, struct fault *fault)
{
    const struct terrain_recording *a = &d->sides[0].recording, *b = &d->sides[1].recording;
    size_t rows = 0;
    for (size_t i = 0; i < a->layer_count; i++) {
        rows += terrain_row(b, a->layers[i]) >= 0;
    }
    bool has_response =
        terrain_has_time(a, TERRAIN_RESPONSE) && terrain_has_time(b, TERRAIN_RESPONSE);
    // Each of the bands may miss: together they do so as often as one is allowed to.
    double level = LEVEL / (double)((rows > 0 ? rows : 1) * 2 * (has_response ? 2 : 1));
    for (size_t i = 0; i < a->layer_count; i++) {
        int row = terrain_row(b, a->layers[i]);
        const struct terrain_layer x = {a, i}, y = {b, row >= 0 ? (size_t)row : 0};
        for (enum terrain_time time = TERRAIN_SERVICE; row >= 0 && time < TERRAIN_TIMES; time++) {
            if (time == TERRAIN_WAIT || (time == TERRAIN_RESPONSE && !has_response)) {
                continue;
            }
            struct compared *c = &d->compared[d->count++];
            c->layer = a->layers[i];
            c->time = time;
            if (!terrain_compare(&x, &y, time, level, c->ratios)) {
                return fault_set(fault, "no memory to compare");
            }
        }
    }
    return true;
}

static void add_ratio(struct table *table, const struct compared *c, size_t q)
{
    static const char *const names[] = {"p50", "p99"};
    static const struct {
        const char *word;
        enum table_tone tone;
    } verdicts[] = {[TERRAIN_UNKNOWN] = {"too few", TABLE_CAUTION},
                    [TERRAIN_ALIKE] = {"alike", TABLE_PLAIN},
                    [TERRAIN_SLOWER] = {"slower", TABLE_BAD},
                    [TERRAIN_FASTER] = {"faster", TABLE_GOOD}};
    const struct terrain_ratio *r = &c->ratios[q];
    char ns[TERRAIN_TEXT_ROOM];
    table_add(table, "%s", c->layer);
    table_add(table, "%s", terrain_time_words[c->time]);
    table_add(table, "%s", names[q]);
    if (r->verdict == TERRAIN_UNKNOWN) {
        for (size_t i = 0; i < 5; i++) {
            table_add(table, "-");
        }
    } else {
        table_add(table, "%s", terrain_ns_text(ns, r->a_ns));
        table_add(table, "%s", terrain_ns_text(ns, r->b_ns));
        table_add(table, "%.3f", r->ratio);
        table_add(table, "%.3f to %.3f", r->low, r->high);
        table_add(table, "%.1f %%", r->step * 100.0);
    }
    table_add_tone(table, verdicts[r->verdict].tone, verdicts[r->verdict].word);
}

// The exit code: a layer slower is bad, nothing compared is incomplete.
static int print_ratios(const struct diff *d)
{
    static const struct table_column columns[] = {
        {"layer", TABLE_LEFT, false}, {"", TABLE_LEFT, false},      {"", TABLE_LEFT, false},
        {"A", TABLE_RIGHT, false},    {"B", TABLE_RIGHT, false},    {"B/A", TABLE_RIGHT, false},
        {"band", TABLE_RIGHT, false}, {"step", TABLE_RIGHT, false}, {"", TABLE_LEFT, false}};
    struct table table;
    size_t slower = 0, known = 0;
    table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < d->count; i++) {
        for (size_t q = 0; q < 2; q++) {
            add_ratio(&table, &d->compared[i], q);
            slower += d->compared[i].ratios[q].verdict == TERRAIN_SLOWER;
            known += d->compared[i].ratios[q].verdict != TERRAIN_UNKNOWN;
        }
    }
    (void)fputc('\n', stdout);
    const struct table_style style = {.has_color = false, .columns = term_columns(stdout)};
    bool is_good = table_print(&table, stdout, style);
    table_release(&table);
    (void)printf(
        "\nBands by drawing slices again, %d times; all of them hold together with a chance "
        "of 95 %%.\nThey are widened by a step: one cell, or one step of the clock.\n",
        TERRAIN_DRAWS);
    if (!is_good) {
        return say_fail(EXIT_INCOMPLETE, "no memory for the table");
    }
    if (known == 0) {
        return say_fail(EXIT_INCOMPLETE, "no layer has enough calls in both recordings");
    }
    return slower > 0 ? EXIT_BAD : EXIT_GOOD;
}

static int diff_in(struct diff *d, const struct diff_options *options)
{
    struct fault fault;
    char text[TEXT_ROOM];
    for (size_t i = 0; i < 2; i++) {
        if (!open_side(&d->sides[i], options->files.items[i], &fault)) {
            return say_fault(EXIT_INCOMPLETE, &fault);
        }
    }
    list_differences(d);
    const char *problem = problem_of(d, options->force, text, sizeof text);
    if (problem != NULL) {
        return say_fail(EXIT_INCOMPLETE, "%s", problem);
    }
    return compare(d, &fault) ? print_ratios(d) : say_fault(EXIT_INCOMPLETE, &fault);
}

int terrain_diff(int argc, char **argv)
{
    int code;
    struct diff_options options;
    if (!opt_read(&diff_table, argc, argv, &options, &code)) {
        return code;
    }
    struct diff *d = calloc(1, sizeof *d);
    if (d == NULL) {
        return say_fail(EXIT_INCOMPLETE, "out of memory");
    }
    code = diff_in(d, &options);
    for (size_t i = 0; i < 2; i++) {
        terrain_recording_release(&d->sides[i].recording);
        json_free(d->sides[i].doc);
    }
    free(d);
    return code;
}
