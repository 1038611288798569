// SPDX-License-Identifier: MIT
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/table.h"
#include "same.h"

static const struct table_column columns[] = {{"path", TABLE_LEFT, false},
                                              {"calls", TABLE_RIGHT, false},
                                              {"verdict", TABLE_LEFT, false},
                                              {"reason", TABLE_LEFT, true}};

static void fill(struct table *table)
{
    table_init(table, columns, 4);
    table_add(table, "alpha");
    table_add(table, "%d", 12345);
    table_add_tone(table, TABLE_BAD, "FAIL");
    table_add(table, "a reason that goes on for a while");
    table_add(table, "b");
    table_add(table, "7");
    table_add_tone(table, TABLE_GOOD, "ok");
    table_add(table, "%s", "");
}

static char *print(struct table_style style)
{
    struct table table;
    char *text = NULL;
    size_t len;
    FILE *stream = open_memstream(&text, &len);
    fill(&table);
    cr_assert(eq(int, table_print(&table, stream, style), 1));
    (void)fclose(stream);
    table_release(&table);
    return text;
}

Test(table, aligns_columns_and_leaves_no_blank_at_a_line_end)
{
    char *text = print((struct table_style){false, 0});
    SAME(text, "path   calls  verdict  reason\n"
               "alpha  12345  FAIL     a reason that goes on for a while\n"
               "b          7  ok\n");
    free(text);
}

Test(table, cuts_only_the_elastic_column_and_says_so)
{
    char *text = print((struct table_style){false, 40});
    SAME(text, "path   calls  verdict  reason\n"
               "alpha  12345  FAIL     a reason that ...\n"
               "b          7  ok\n");
    free(text);
    text = print((struct table_style){false, 5});
    SAME(text, "path   calls  verdict  reason\n"
               "alpha  12345  FAIL     a reason ...\n"
               "b          7  ok\n");
    free(text);
}

Test(table, colours_the_verdict_word_and_nothing_else)
{
    char *text = print((struct table_style){true, 0});
    SAME(text, "path   calls  verdict  reason\n"
               "alpha  12345  \033[31mFAIL\033[0m     a reason that goes on for a while\n"
               "b          7  \033[32mok\033[0m\n");
    free(text);
}

Test(table, shows_nothing_that_a_terminal_would_obey)
{
    struct table table;
    char *text = NULL;
    size_t len;
    table_init(&table, columns, 4);
    table_add(&table, "%s", "\033[2J\r\n");
    table_add(&table, "%s", "\xc3\xa9");
    table_add_tone(&table, TABLE_PLAIN, "x\x07");
    table_add(&table, "y");
    FILE *stream = open_memstream(&text, &len);
    cr_assert(eq(int, table_print(&table, stream, (struct table_style){false, 0}), 1));
    (void)fclose(stream);
    SAME(text, "path    calls  verdict  reason\n"
               "?[2J??     ??  x?       y\n");
    free(text);
    table_release(&table);
}
