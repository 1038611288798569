// SPDX-License-Identifier: MIT
// The cells hold printable ASCII, so a backslash before what Markdown reads as markup is enough,
// but for what GitHub finds in any text: mentions, numbers, addresses, formulas. Those cells are
// code.
#include "render/table.h"

#include <stdlib.h>
#include <string.h>

#include "render/markdown.h"

static bool calls_somebody(const char *text)
{
    return strpbrk(text, "@#$") != NULL || strstr(text, "://") != NULL ||
           strstr(text, "www.") != NULL;
}

static void print_code(const char *text, FILE *stream)
{
    struct html_page page = {0};
    markdown_code(&page, text);
    (void)fputs(page.text != NULL && !page.is_failed ? page.text : "?", stream);
    free(page.text);
}

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
    if (table->is_failed || columns == 0) {
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
        if (calls_somebody(table->cells[i].text)) {
            print_code(table->cells[i].text, stream);
        } else {
            print_escaped(table->cells[i].text, stream);
        }
        (void)fprintf(stream, " %s", i % columns == columns - 1 ? "|\n" : "");
    }
    return true;
}
