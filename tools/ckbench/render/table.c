// SPDX-License-Identifier: MIT
// Widths are those of the widest cell; when a terminal is too narrow, one elastic column gives way
// and the figures never do.
#include "render/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 2, ELASTIC_MIN = 12, COLUMNS_MAX = 32, CELL_MAX = 4096 };

void table_init(struct table *table, const struct table_column *columns, size_t column_count)
{
    *table = (struct table){.columns = columns, .column_count = column_count};
    table->is_failed = column_count < 1 || column_count > COLUMNS_MAX;
}

void table_release(struct table *table)
{
    for (size_t i = 0; i < table->cell_count; i++) {
        free(table->cells[i].text);
    }
    free(table->cells);
    *table = (struct table){0};
}

static void push(struct table *table, const char *text, enum table_tone tone)
{
    if (table->is_failed) {
        return;
    }
    if (table->cell_count == table->cell_room) {
        size_t room = table->cell_room * 2 + 64;
        struct table_cell *grown = realloc(table->cells, room * sizeof *grown);
        if (grown == NULL) {
            table->is_failed = true;
            return;
        }
        table->cells = grown;
        table->cell_room = room;
    }
    char *copy = strdup(text);
    if (copy == NULL) {
        table->is_failed = true;
        return;
    }
    for (char *c = copy; *c != '\0'; c++) {
        *c = *c < 0x20 || *c > 0x7e ? '?' : *c;
    }
    table->cells[table->cell_count++] = (struct table_cell){copy, tone};
}

void table_add(struct table *table, const char *format, ...)
{
    char text[CELL_MAX];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    push(table, text, TABLE_PLAIN);
}

void table_add_tone(struct table *table, enum table_tone tone, const char *word)
{
    push(table, word, tone);
}

static void find_widths(const struct table *table, size_t *widths)
{
    for (size_t column = 0; column < table->column_count; column++) {
        size_t width = strlen(table->columns[column].title);
        for (size_t i = column; i < table->cell_count; i += table->column_count) {
            size_t len = strlen(table->cells[i].text);
            width = len > width ? len : width;
        }
        widths[column] = width;
    }
}

static void fit(const struct table *table, size_t *widths, size_t columns)
{
    size_t total = 0;
    size_t *elastic = NULL;
    for (size_t i = 0; i < table->column_count; i++) {
        total += widths[i] + (i > 0 ? GAP : 0);
        elastic = table->columns[i].is_elastic ? &widths[i] : elastic;
    }
    if (columns == 0 || total <= columns || elastic == NULL) {
        return;
    }
    size_t excess = total - columns;
    size_t left = *elastic > excess ? *elastic - excess : 0;
    size_t least = *elastic < ELASTIC_MIN ? *elastic : ELASTIC_MIN;
    *elastic = left > least ? left : least;
}

static const char *tone_code(enum table_tone tone)
{
    static const char *const codes[] = {"", "\033[32m", "\033[33m", "\033[31m"};
    return codes[tone];
}

static void print_blanks(FILE *stream, size_t count)
{
    (void)fprintf(stream, "%*s", (int)count, "");
}

struct place {
    enum table_align align;
    size_t width;
    bool is_last;
};

static void print_cell(FILE *stream, const struct table_cell *cell, struct place place,
                       bool has_color)
{
    size_t len = strlen(cell->text);
    bool is_cut = len > place.width;
    size_t shown = is_cut ? place.width - 3 : len;
    size_t blanks = is_cut ? 0 : place.width - len;
    const char *code = has_color ? tone_code(cell->tone) : "";
    if (place.align == TABLE_RIGHT) {
        print_blanks(stream, blanks);
    }
    (void)fprintf(stream, "%s%.*s%s%s", code, (int)shown, cell->text, is_cut ? "..." : "",
                  code[0] != '\0' ? "\033[0m" : "");
    if (place.align == TABLE_LEFT && !place.is_last) {
        print_blanks(stream, blanks);
    }
}

static void print_row(const struct table *table, FILE *stream, const struct table_cell *cells,
                      const size_t *widths, bool has_color)
{
    size_t last = table->column_count;
    while (last > 1 && cells[last - 1].text[0] == '\0') {
        last--; // no blanks at the end of a line
    }
    for (size_t i = 0; i < last; i++) {
        print_blanks(stream, i > 0 ? GAP : 0);
        print_cell(stream, &cells[i],
                   (struct place){table->columns[i].align, widths[i], i + 1 == last}, has_color);
    }
    (void)fputc('\n', stream);
}

static void print_titles(const struct table *table, FILE *stream, const size_t *widths)
{
    struct table_cell titles[COLUMNS_MAX];
    char texts[COLUMNS_MAX][64];
    for (size_t i = 0; i < table->column_count; i++) {
        (void)snprintf(texts[i], sizeof texts[i], "%s", table->columns[i].title);
        titles[i] = (struct table_cell){texts[i], TABLE_PLAIN};
    }
    print_row(table, stream, titles, widths, false);
}

bool table_print(const struct table *table, FILE *stream, struct table_style style)
{
    size_t widths[COLUMNS_MAX];
    if (table->is_failed) {
        return false;
    }
    find_widths(table, widths);
    fit(table, widths, style.columns);
    print_titles(table, stream, widths);
    for (size_t i = 0; i + table->column_count <= table->cell_count; i += table->column_count) {
        print_row(table, stream, &table->cells[i], widths, style.has_color);
    }
    return true;
}
