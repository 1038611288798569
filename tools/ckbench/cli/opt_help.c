// SPDX-License-Identifier: MIT
// Help from the rows that parse: what it says about bounds and defaults cannot be out of date.
#include "cli/opt.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/opt_value.h"
#include "cli/tool.h"

enum { HELP_COLUMNS = 80, HELP_INDENT = 28, TEXT_SIZE = 1024 };

// Prints words of `text` from column `column` on, broken at HELP_COLUMNS.
static void print_wrapped(FILE *stream, const char *text, size_t indent, size_t column)
{
    const char *at = text;
    bool is_first = true;
    while (*at != '\0') {
        size_t len = strcspn(at, " ");
        if (!is_first && column + 1 + len > HELP_COLUMNS) {
            (void)fprintf(stream, "\n%*s", (int)indent, "");
            column = indent;
            is_first = true;
        }
        (void)fprintf(stream, "%s%.*s", is_first ? "" : " ", (int)len, at);
        column += len + (is_first ? 0 : 1);
        is_first = false;
        at += len + strspn(at + len, " ");
    }
    (void)fputc('\n', stream);
}

static void add(char *text, const char *joint, const char *more)
{
    size_t len = strlen(text);
    (void)snprintf(text + len, TEXT_SIZE - len, "%s%s", joint, more);
}

static void make_bounds(char *text, size_t size, const struct opt *row)
{
    char low[32], high[32];
    switch (row->kind) {
    case OPT_KIND_COUNT:
    case OPT_KIND_U64:
        (void)snprintf(text, size, "%" PRIu64 " to %" PRIu64, row->min, row->max);
        break;
    case OPT_KIND_MINUTES:
        opt_value_show_minutes(row->min, low, sizeof low);
        opt_value_show_minutes(row->max, high, sizeof high);
        (void)snprintf(text, size, "%s to %s", low, high);
        break;
    case OPT_KIND_SHARD:
    case OPT_KIND_PAIRS:
        (void)snprintf(text, size, "N up to %" PRIu64, row->max);
        break;
    case OPT_KIND_TEXTS:
        (void)snprintf(text, size, "may be repeated");
        break;
    case OPT_KIND_FLAG:
    case OPT_KIND_CHOICE:
    case OPT_KIND_TEXT:
    case OPT_KIND_PATH:
    case OPT_KIND_OPERANDS:
        text[0] = '\0';
    }
}

static void add_bounds(char *text, const struct opt *row)
{
    char bounds[96];
    make_bounds(bounds, sizeof bounds, row);
    add(text, "", bounds);
    if (row->kind == OPT_KIND_CHOICE) {
        for (size_t i = 0; row->choices[i] != NULL; i++) {
            add(text, i > 0 ? ", " : "", row->choices[i]);
        }
    }
}

static void make_text(char *text, const struct opt_table *table, const struct opt *row)
{
    char notes[TEXT_SIZE] = "";
    char value[128];
    text[0] = '\0';
    add(text, "", row->help);
    add_bounds(notes, row);
    opt_value_show(row, table->defaults, value, sizeof value);
    if (value[0] != '\0') {
        add(notes, notes[0] != '\0' ? "; default " : "default ", value);
    }
    if (notes[0] != '\0') {
        add(text, " (", notes);
        add(text, "", ")");
    }
}

static void print_row(FILE *stream, char letter, const char *left, const char *text)
{
    char head[128];
    if (letter != 0) {
        (void)snprintf(head, sizeof head, "  -%c, %s", letter, left);
    } else {
        (void)snprintf(head, sizeof head, "      %s", left);
    }
    size_t len = strlen(head);
    if (len + 2 > HELP_INDENT) {
        (void)fprintf(stream, "%s\n%*s", head, HELP_INDENT, "");
    } else {
        (void)fprintf(stream, "%-*s", HELP_INDENT, head);
    }
    print_wrapped(stream, text, HELP_INDENT, HELP_INDENT);
}

static void print_option(FILE *stream, const struct opt_table *table, const struct opt *row)
{
    char text[TEXT_SIZE];
    char left[96];
    bool is_on =
        row->kind == OPT_KIND_FLAG && *(const bool *)((const char *)table->defaults + row->offset);
    (void)snprintf(left, sizeof left, "--%s%s%s%s", is_on ? "no-" : "", row->name,
                   row->argument ? " " : "", row->argument ? row->argument : "");
    make_text(text, table, row);
    print_row(stream, row->letter, left, text);
}

static const char *operand_word(const struct opt_table *table)
{
    for (size_t i = 0; i < table->row_count; i++) {
        if (table->rows[i].kind == OPT_KIND_OPERANDS) {
            return table->rows[i].argument;
        }
    }
    return NULL;
}

void opt_help(const struct opt_table *table, FILE *stream)
{
    const char *operands = operand_word(table);
    (void)fprintf(stream, "usage: %s %s [options]%s%s\n\n", tool_name(), table->verb,
                  operands ? " " : "", operands ? operands : "");
    print_wrapped(stream, table->about, 0, 0);
    (void)fputs("\noptions:\n", stream);
    for (size_t i = 0; i < table->row_count; i++) {
        if (table->rows[i].kind != OPT_KIND_OPERANDS) {
            print_option(stream, table, &table->rows[i]);
        }
    }
    print_row(stream, 'h', "--help", "show this text");
    if (table->exits != NULL) {
        (void)fputs("\nexit status:\n  ", stream);
        print_wrapped(stream, table->exits, 2, 2);
    }
    (void)fprintf(stream, "\nexample:\n  %s\n", table->example);
}
