// SPDX-License-Identifier: MIT
// One table of command lines: what they set, or which complaint they get.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <string.h>

#include "cli/nearest.h"
#include "cli/opt.h"
#include "same.h"

struct options {
    bool json;
    bool color;
    unsigned layouts;
    uint64_t calls;
    int64_t timeout_ms;
    int when;
    const char *name;
    const char *base;
    struct opt_texts paths;
    struct opt_shard shard;
    struct opt_pairs shift;
    struct opt_texts files;
};

static const char *const when_words[] = {"auto", "always", "never", NULL};
static const char *const shift_keys[] = {"env", "path", "heap", NULL};

static const struct options defaults = {
    .color = true, .layouts = 5, .calls = 7, .timeout_ms = 900000, .shard = {1, 1}};

static const struct opt rows[] = {
    OPT_FLAG(struct options, json, "json", 'J', "h"),
    OPT_FLAG(struct options, color, "color", 0, "h"),
    OPT_COUNT(struct options, layouts, "layouts", 'l', 1, 64, "N", "h"),
    OPT_U64(struct options, calls, "calls", 0, 0, UINT64_MAX, "N", "h"),
    OPT_MINUTES(struct options, timeout_ms, "child-timeout", 0, 1, 3600000, "h"),
    OPT_CHOICE(struct options, when, "when", 0, when_words, "WHEN", "h"),
    OPT_TEXT(struct options, name, "name", 'n', "TEXT", "h"),
    OPT_PATH(struct options, base, "base", 0, "DIR", "h"),
    OPT_TEXTS(struct options, paths, "path", 'p', 3, "NAME", "h"),
    OPT_SHARD(struct options, shard, "shard", 0, 16, "h"),
    OPT_PAIRS(struct options, shift, "self-test", 0, 30000, shift_keys, "K=N,...", "h"),
    OPT_OPERANDS(struct options, files, 0, 2, "FILE...", "h"),
};

static const struct opt_table table = {.verb = "try",
                                       .about = "a",
                                       .rows = rows,
                                       .row_count = OPT_ROWS(rows),
                                       .defaults = &defaults,
                                       .size = sizeof defaults,
                                       .example = "e"};

// Splits at blanks; "~" stands for a blank inside a word, "^" for an empty word.
static enum opt_outcome parse(const char *line, struct options *options, struct fault *fault)
{
    static char words[2048];
    const char *argv[64] = {"try"};
    int argc = 1;
    (void)snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " ")) {
        for (char *c = word; *c != '\0'; c++) {
            *c = *c == '~' ? ' ' : *c;
        }
        argv[argc++] = strcmp(word, "^") == 0 ? "" : word;
    }
    return opt_parse(&table, argc, (char *const *)argv, options, fault);
}

static void show(const struct options *o, char *out, size_t size)
{
    size_t len = (size_t)snprintf(out, size, "%d%d l%u c%llu t%lld w%d n%s b%s s%u/%u", o->json,
                                  o->color, o->layouts, (unsigned long long)o->calls,
                                  (long long)o->timeout_ms, o->when, o->name ? o->name : "-",
                                  o->base ? o->base : "-", o->shard.index, o->shard.count);
    for (size_t i = 0; i < o->paths.count; i++) {
        len += (size_t)snprintf(out + len, size - len, " p%s", o->paths.items[i]);
    }
    for (size_t i = 0; i < 3; i++) {
        if (o->shift.given[i]) {
            len += (size_t)snprintf(out + len, size - len, " %s%llu", shift_keys[i],
                                    (unsigned long long)o->shift.values[i]);
        }
    }
    for (size_t i = 0; i < o->files.count; i++) {
        len += (size_t)snprintf(out + len, size - len, " f%s", o->files.items[i]);
    }
}

Test(opt, what_is_accepted_sets_its_field_and_nothing_else)
{
    static const struct {
        const char *line, *shown;
    } cases[] = {
        {"", "01 l5 c7 t900000 w0 n- b- s1/1"},
        {"--json", "11 l5 c7 t900000 w0 n- b- s1/1"},
        {"-J", "11 l5 c7 t900000 w0 n- b- s1/1"},
        {"--no-color", "00 l5 c7 t900000 w0 n- b- s1/1"},
        {"--layouts 64", "01 l64 c7 t900000 w0 n- b- s1/1"},
        {"--layouts=1", "01 l1 c7 t900000 w0 n- b- s1/1"},
        {"-l 9", "01 l9 c7 t900000 w0 n- b- s1/1"},
        {"-l9", "01 l9 c7 t900000 w0 n- b- s1/1"},
        {"--calls 18446744073709551615", "01 l5 c18446744073709551615 t900000 w0 n- b- s1/1"},
        {"--child-timeout 0.5", "01 l5 c7 t30000 w0 n- b- s1/1"},
        {"--child-timeout 0.001", "01 l5 c7 t60 w0 n- b- s1/1"},
        {"--child-timeout 60", "01 l5 c7 t3600000 w0 n- b- s1/1"},
        {"--when never", "01 l5 c7 t900000 w2 n- b- s1/1"},
        {"--name=-x", "01 l5 c7 t900000 w0 n-x b- s1/1"},
        {"-n -", "01 l5 c7 t900000 w0 n- b- s1/1"},
        {"--base ../a~b", "01 l5 c7 t900000 w0 n- b../a b s1/1"},
        {"--base a=b", "01 l5 c7 t900000 w0 n- ba=b s1/1"},
        {"-p a --path b --path=c", "01 l5 c7 t900000 w0 n- b- s1/1 pa pb pc"},
        {"--shard 2/3", "01 l5 c7 t900000 w0 n- b- s2/3"},
        {"--shard 16/16", "01 l5 c7 t900000 w0 n- b- s16/16"},
        {"--self-test env=8000,heap=30000", "01 l5 c7 t900000 w0 n- b- s1/1 env8000 heap30000"},
        {"a --json b", "11 l5 c7 t900000 w0 n- b- s1/1 fa fb"},
        {"-- --json -x", "01 l5 c7 t900000 w0 n- b- s1/1 f--json f-x"},
        {"-", "01 l5 c7 t900000 w0 n- b- s1/1 f-"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct options options;
        struct fault fault = {"?"};
        char shown[512];
        cr_assert(eq(int, parse(cases[i].line, &options, &fault), OPT_RUN), "%s: %s", cases[i].line,
                  fault.text);
        show(&options, shown, sizeof shown);
        SAME(shown, cases[i].shown);
    }
}

Test(opt, what_is_refused_names_the_argument_and_the_cure)
{
    static const struct {
        const char *line, *text;
    } cases[] = {
        {"--lay 3", "unknown option '--lay'; did you mean --layouts?"},
        {"--layuots 3", "unknown option '--layuots'; did you mean --layouts?"},
        {"--qqqqqq", "unknown option '--qqqqqq'"},
        {"--Json", "unknown option '--Json'; did you mean --json?"},
        {"--=3", "unknown option '--'"},
        {"--hlep", "unknown option '--hlep'; did you mean --help?"},
        {"-x", "unknown option '-x'"},
        {"-Jx", "-J takes no value"},
        {"--json=1", "--json takes no value"},
        {"--json --json", "--json is given twice"},
        {"--json --no-json", "--no-json is given twice"},
        {"--no-layouts", "unknown option '--no-layouts'"},
        {"--layouts 3 --layouts 3", "--layouts is given twice"},
        {"-l3 --layouts=3", "--layouts is given twice"},
        {"--layouts", "--layouts needs a value, N"},
        {"--layouts --json", "--layouts needs a value, N"},
        {"--layouts=", "--layouts: the value is empty"},
        {"--name ^", "--name: the value is empty"},
        {"--layouts 0", "--layouts: 0 is out of range, 1 to 64"},
        {"--layouts 65", "--layouts: 65 is out of range, 1 to 64"},
        {"--layouts 4294967297", "--layouts: 4294967297 is out of range, 1 to 64"},
        {"--layouts 99999999999999999999999", "is out of range, 1 to 64"},
        {"--layouts 3x", "--layouts: '3x' is no whole number"},
        {"--layouts 0x3", "--layouts: '0x3' is no whole number"},
        {"--layouts=-3", "--layouts: '-3' is no whole number"},
        {"--layouts=+3", "--layouts: '+3' is no whole number"},
        {"--layouts=~3", "--layouts: ' 3' is no whole number"},
        {"--layouts 3.0", "--layouts: '3.0' is no whole number"},
        {"--calls 18446744073709551616", "--calls: 18446744073709551616 is out of range"},
        {"--child-timeout 0", "--child-timeout: 0 is out of range, 0.001 to 60 minutes"},
        {"--child-timeout 60.001", "is out of range, 0.001 to 60 minutes"},
        {"--child-timeout 1.0001", "is no number of minutes"},
        {"--child-timeout 1.", "is no number of minutes"},
        {"--child-timeout .5", "is no number of minutes"},
        {"--child-timeout 5m", "is no number of minutes"},
        {"--child-timeout 1e1", "is no number of minutes"},
        {"--child-timeout nan", "is no number of minutes"},
        {"--when sometimes", "--when: 'sometimes' is none of auto, always, never"},
        {"--when allways", "did you mean always?"},
        {"--when alw", "did you mean always?"},
        {"--path a --path b --path c --path d", "--path may be given at most 3 times"},
        {"--shard 0/3", "--shard: 0/3 is out of range, 1/1 to 16/16"},
        {"--shard 4/3", "--shard: 4/3 is out of range"},
        {"--shard 1/17", "--shard: 1/17 is out of range"},
        {"--shard 1", "--shard: '1' is not of the form K/N"},
        {"--shard 1/2/3", "--shard: '1/2/3' is not of the form K/N"},
        {"--shard 1/", "--shard: '1/' is not of the form K/N"},
        {"--self-test env", "--self-test: 'env' is not of the form KEY=N"},
        {"--self-test evn=1", "--self-test: 'evn' is none of env, path, heap; did you mean env?"},
        {"--self-test env=1,env=2", "--self-test: env is given twice"},
        {"--self-test env=1,", "--self-test: '' is not of the form KEY=N"},
        {"--self-test env=30001", "--self-test: 30001 is out of range, 0 to 30000"},
        {"--self-test env=1x", "--self-test: '1x' is no whole number"},
        {"a b c", "FILE... may be given at most 2 times"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct options options;
        struct fault fault = {""};
        cr_assert(eq(int, parse(cases[i].line, &options, &fault), OPT_REFUSED), "%s",
                  cases[i].line);
        cr_assert(strstr(fault.text, cases[i].text) != NULL, "%s: %s", cases[i].line, fault.text);
        cr_assert(strchr(fault.text, '\n') == NULL);
    }
}

Test(opt, a_word_where_none_is_expected_is_refused)
{
    static const struct opt few[] = {OPT_FLAG(struct options, json, "json", 0, "h")};
    struct opt_table small = table;
    small.rows = few;
    small.row_count = 1;
    struct options options;
    struct fault fault;
    const char *const argv[] = {"try", "x"};
    cr_assert(eq(int, opt_parse(&small, 2, (char *const *)argv, &options, &fault), OPT_REFUSED));
    SAME(fault.text, "'x' is not expected: try takes options only");
}

Test(opt, too_few_operands_are_refused)
{
    static const struct opt few[] = {OPT_OPERANDS(struct options, files, 1, 9, "FILE...", "h")};
    struct opt_table small = table;
    small.rows = few;
    small.row_count = 1;
    struct options options;
    struct fault fault;
    const char *const argv[] = {"try", "x"};
    cr_assert(eq(int, opt_parse(&small, 1, (char *const *)argv, &options, &fault), OPT_REFUSED));
    SAME(fault.text, "FILE... is missing");
    cr_assert(eq(int, opt_parse(&small, 2, (char *const *)argv, &options, &fault), OPT_RUN));
}

Test(opt, help_is_answered_before_a_later_complaint_and_not_after_an_earlier_one)
{
    struct options options;
    struct fault fault;
    cr_assert(eq(int, parse("--help --nonsense", &options, &fault), OPT_HELP));
    cr_assert(eq(int, parse("-h", &options, &fault), OPT_HELP));
    cr_assert(eq(int, parse("--nonsense --help", &options, &fault), OPT_REFUSED));
    cr_assert(eq(int, parse("-- --help", &options, &fault), OPT_RUN));
}

Test(opt, parsing_twice_begins_from_the_defaults_again)
{
    struct options options;
    struct fault fault;
    cr_assert(eq(int, parse("--layouts 9 --path a", &options, &fault), OPT_RUN));
    cr_assert(eq(int, parse("--path b", &options, &fault), OPT_RUN));
    cr_assert(eq(u32, options.layouts, 5));
    cr_assert(eq(sz, options.paths.count, 1));
    SAME(options.paths.items[0], "b");
}

Test(opt, hostile_text_reaches_a_complaint_cut_and_printable)
{
    static char word[20000] = "--";
    struct options options;
    struct fault fault;
    const char *const argv[] = {"try", word};
    memset(word + 2, '\033', sizeof word - 3);
    cr_assert(eq(int, opt_parse(&table, 2, (char *const *)argv, &options, &fault), OPT_REFUSED));
    cr_assert(lt(sz, strlen(fault.text), 200));
    cr_assert(strchr(fault.text, '\033') == NULL);
}

Test(nearest, counts_a_swap_as_one_edit)
{
    static const char *const words[] = {"list", "doctor", NULL, "terrain", "ir"};
    static const struct {
        const char *typed, *near;
    } cases[] = {{"lsit", "list"},      {"lits", "list"},   {"dcotor", "doctor"}, {"ri", "ir"},
                 {"terain", "terrain"}, {"ter", "terrain"}, {"xyz", NULL},        {"", NULL},
                 {"lisst", "list"},     {"lst", "list"},    {"doctro", "doctor"}, {"i", "ir"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *near = nearest_word(cases[i].typed, words, 5);
        SAME(near ? near : "-", cases[i].near ? cases[i].near : "-");
    }
}
