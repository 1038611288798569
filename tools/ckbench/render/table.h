// SPDX-License-Identifier: MIT
// A table of texts: filled row by row, printed for a terminal. Layer: render, knows no other room;
// a different printer (Markdown) can read the same cells.
#ifndef CKBENCH_TABLE_H
#define CKBENCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum table_align { TABLE_LEFT, TABLE_RIGHT };

struct table_column {
    const char *title;
    enum table_align align;
    bool is_elastic; // cut when the line is too long; at most one column
};

// Colour of a verdict word; the meaning never hangs on it.
enum table_tone { TABLE_PLAIN, TABLE_GOOD, TABLE_CAUTION, TABLE_BAD };

struct table_cell {
    char *text;
    enum table_tone tone;
};

struct table {
    const struct table_column *columns; // borrowed
    size_t column_count;
    struct table_cell *cells; // row by row
    size_t cell_count, cell_room;
    bool is_failed; // out of memory
};

struct table_style {
    bool has_color;
    unsigned columns; // of the terminal; 0: never cut
};

void table_init(struct table *table, const struct table_column *columns, size_t column_count);
void table_release(struct table *table);

// Cells are added from left to right, rows follow one another; bytes that are not printable ASCII
// become '?'.
__attribute__((format(printf, 2, 3))) void table_add(struct table *table, const char *format, ...);
void table_add_tone(struct table *table, enum table_tone tone, const char *word);

// False when a cell was lost for want of memory: then nothing is printed.
bool table_print(const struct table *table, FILE *stream, struct table_style style);

// The same as a table of Markdown.
bool table_print_markdown(const struct table *table, FILE *stream);

#endif
