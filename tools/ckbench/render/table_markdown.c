// SPDX-License-Identifier: MIT
// The cells hold printable ASCII, so a backslash before what Markdown reads as markup is enough.
#include "render/table.h"

#include <string.h>

static void print_escaped(const char *text, FILE *stream)
{
    for (; *text != '\0'; text++) {
        if (strchr("|\\`*_<>[]&", *text) != NULL) {
            (void)putc('\\', stream);
        }
        (void)putc(*text, stream);
    }
}

bool table_print_markdown(const struct table *table, FILE *stream)
{
    size_t columns = table->column_count;
    if (table->is_failed) {
        return false;
    }
    for (size_t i = 0; i < columns; i++) {
        (void)fprintf(stream, "| %s ", table->columns[i].title);
    }
    (void)fprintf(stream, "|\n");
    for (size_t i = 0; i < columns; i++) {
        (void)fprintf(stream, "|%s", table->columns[i].align == TABLE_RIGHT ? "--:" : "---");
    }
    (void)fprintf(stream, "|\n");
    for (size_t i = 0; i < table->cell_count; i++) {
        (void)fprintf(stream, "| ");
        print_escaped(table->cells[i].text, stream);
        (void)fprintf(stream, " %s", i % columns == columns - 1 ? "|\n" : "");
    }
    return true;
}
