// SPDX-License-Identifier: MIT
// The walk over argv. The command line is understood whole or refused whole: what a word means
// never depends on which other options exist, so new options break no old script.
#include "cli/opt.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/nearest.h"
#include "cli/opt_value.h"

enum { ROWS_MAX = 64, TYPED_MAX = 80, SHOWN_SIZE = 80 };

struct walk {
    const struct opt_table *table;
    int argc;
    char *const *argv;
    int index; // of the word in hand
    void *options;
    bool seen[ROWS_MAX];
    struct fault *fault;
};

static const struct opt *find_long(const struct opt_table *table, const char *name, size_t len)
{
    for (size_t i = 0; i < table->row_count; i++) {
        const struct opt *row = &table->rows[i];
        if (row->name != NULL && strlen(row->name) == len && memcmp(row->name, name, len) == 0) {
            return row;
        }
    }
    return NULL;
}

static const struct opt *find_letter(const struct opt_table *table, char letter)
{
    for (size_t i = 0; i < table->row_count; i++) {
        if (table->rows[i].letter != 0 && table->rows[i].letter == letter) {
            return &table->rows[i];
        }
    }
    return NULL;
}

static const struct opt *find_operands(const struct opt_table *table)
{
    for (size_t i = 0; i < table->row_count; i++) {
        if (table->rows[i].kind == OPT_KIND_OPERANDS) {
            return &table->rows[i];
        }
    }
    return NULL;
}

static bool refuse_unknown(const struct walk *walk, const char *name, size_t len)
{
    const char *words[ROWS_MAX + 1];
    char typed[TYPED_MAX + 1];
    for (size_t i = 0; i < walk->table->row_count; i++) {
        words[i] = walk->table->rows[i].name;
    }
    words[walk->table->row_count] = "help";
    (void)snprintf(typed, sizeof typed, "%.*s", (int)(len < TYPED_MAX ? len : TYPED_MAX), name);
    const char *near = nearest_word(typed, words, walk->table->row_count + 1);
    return fault_set(walk->fault, "unknown option '--%s'%s%s%s", typed,
                     near ? "; did you mean --" : "", near ? near : "", near ? "?" : "");
}

static bool note_seen(struct walk *walk, const struct opt *row, const char *shown)
{
    size_t index = (size_t)(row - walk->table->rows);
    if (walk->seen[index] && row->kind != OPT_KIND_TEXTS) {
        return fault_set(walk->fault, "%s is given twice", shown);
    }
    walk->seen[index] = true;
    return true;
}

static bool take_flag(struct walk *walk, const struct opt *row, bool value, const char *shown)
{
    *(bool *)((char *)walk->options + row->offset) = value;
    return note_seen(walk, row, shown);
}

static bool is_list(const struct opt *row)
{
    return row->kind == OPT_KIND_TEXTS && row->min > 0;
}

// `value` is NULL when the option's word holds none: then it is the next word, unless that looks
// like an option (a value that begins with a dash is written --name=-value).
static bool take_value(struct walk *walk, const struct opt *row, const char *value,
                       const char *shown)
{
    if (value == NULL) {
        const char *next = walk->index + 1 < walk->argc ? walk->argv[walk->index + 1] : NULL;
        if (next == NULL || (next[0] == '-' && next[1] != '\0')) {
            return fault_set(walk->fault, "%s needs a value, %s", shown, row->argument);
        }
        value = next;
        walk->index++;
    }
    bool is_good =
        note_seen(walk, row, shown) && opt_value_set(row, value, walk->options, shown, walk->fault);
    while (is_good && is_list(row) && walk->index + 1 < walk->argc &&
           walk->argv[walk->index + 1][0] != '-') {
        is_good = opt_value_set(row, walk->argv[++walk->index], walk->options, shown, walk->fault);
    }
    return is_good;
}

static bool take_long(struct walk *walk, const char *name)
{
    size_t len = strcspn(name, "=");
    const char *value = name[len] == '=' ? name + len + 1 : NULL;
    const struct opt *row = find_long(walk->table, name, len);
    bool is_no = false;
    if (row == NULL && len > 3 && memcmp(name, "no-", 3) == 0) {
        row = find_long(walk->table, name + 3, len - 3);
        is_no = row != NULL && row->kind == OPT_KIND_FLAG;
        row = is_no ? row : NULL;
    }
    if (row == NULL) {
        return refuse_unknown(walk, name, len);
    }
    char shown[SHOWN_SIZE];
    (void)snprintf(shown, sizeof shown, "--%s%s", is_no ? "no-" : "", row->name);
    if (row->kind != OPT_KIND_FLAG) {
        return take_value(walk, row, value, shown);
    }
    if (value != NULL) {
        return fault_set(walk->fault, "%s takes no value", shown);
    }
    return take_flag(walk, row, !is_no, shown);
}

static bool take_letter(struct walk *walk, const char *word)
{
    const struct opt *row = find_letter(walk->table, word[1]);
    if (row == NULL) {
        return fault_set(walk->fault, "unknown option '%.*s'", TYPED_MAX, word);
    }
    char shown[SHOWN_SIZE];
    (void)snprintf(shown, sizeof shown, "-%c", word[1]);
    const char *rest = word[2] != '\0' ? word + 2 : NULL;
    if (row->kind != OPT_KIND_FLAG) {
        return take_value(walk, row, rest, shown);
    }
    if (rest != NULL) {
        return fault_set(walk->fault, "%s takes no value", shown);
    }
    return take_flag(walk, row, true, shown);
}

static bool take_operand(struct walk *walk, const char *word)
{
    const struct opt *row = find_operands(walk->table);
    if (row == NULL && walk->table->is_discreet) {
        return fault_set(walk->fault, "%s takes options only", walk->table->verb);
    }
    if (row == NULL) {
        return fault_set(walk->fault, "'%.*s' is not expected: %s takes options only", TYPED_MAX,
                         word, walk->table->verb);
    }
    return opt_value_set(row, word, walk->options, row->argument, walk->fault);
}

static bool check_operands(struct walk *walk)
{
    const struct opt *row = find_operands(walk->table);
    if (row == NULL) {
        return true;
    }
    const struct opt_texts *texts =
        (const struct opt_texts *)((const char *)walk->options + row->offset);
    if (texts->count < row->min) {
        return fault_set(walk->fault, "%s is missing", row->argument);
    }
    return true;
}

enum opt_outcome opt_parse(const struct opt_table *table, int argc, char *const *argv,
                           void *options, struct fault *fault)
{
    assert(table->row_count < ROWS_MAX);
    struct walk walk = {
        .table = table, .argc = argc, .argv = argv, .options = options, .fault = fault};
    memcpy(options, table->defaults, table->size);
    bool is_operand = false;
    for (walk.index = 1; walk.index < argc; walk.index++) {
        const char *word = argv[walk.index];
        bool is_good;
        if (is_operand || word[0] != '-' || word[1] == '\0') {
            is_good = take_operand(&walk, word);
        } else if (strcmp(word, "--") == 0) {
            is_operand = true;
            continue;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            return OPT_HELP;
        } else {
            is_good = word[1] == '-' ? take_long(&walk, word + 2) : take_letter(&walk, word);
        }
        if (!is_good) {
            return OPT_REFUSED;
        }
    }
    return check_operands(&walk) ? OPT_RUN : OPT_REFUSED;
}
