// SPDX-License-Identifier: MIT
// Texts of others as code: what comes out holds no markup, stays in its cell and reads back as what
// went in. The reading is a second program's: backticks, or an element with references.
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/ir_markdown.h"
#include "render/markdown.h"

static const char *const texts[] = {"plain",
                                    "a|b",
                                    "||",
                                    "\\|",
                                    "`a`",
                                    "``",
                                    "a`b",
                                    "```\nx\n```",
                                    "<img src=x>",
                                    "</code>",
                                    "</td>",
                                    "<!-- m -->",
                                    "-->",
                                    "<script>",
                                    "@everyone",
                                    "@org/team",
                                    "#1",
                                    "o/r#12",
                                    "a\nb",
                                    "a\r\nb",
                                    "\n\n# T",
                                    "\xe2\x80\xae"
                                    "evil",
                                    "\xe2\x81\xa6"
                                    "a",
                                    "\x01\x1b[31mred",
                                    "\xc2\x9b"
                                    "31m",
                                    "\xe2\x80\xa8x",
                                    "[x](javascript:alert(1))",
                                    "![x](y)",
                                    "http://x.y/z",
                                    "www.example.com",
                                    "a@b.example",
                                    "**b**",
                                    "__x__",
                                    "_a_",
                                    "~~x~~",
                                    "- item",
                                    "1. item",
                                    "> quote",
                                    "&lt;b&gt;",
                                    "&#64;me",
                                    "$(id)",
                                    "`$(id)`",
                                    "$x^2$",
                                    ":smile:",
                                    "%n%s%p",
                                    "{{7*7}}",
                                    "${{ s.X }}",
                                    "'\"><svg/onload=1>",
                                    "\xef\xbb\xbfx",
                                    " lead",
                                    "trail ",
                                    "a  b",
                                    "\xff\xfe",
                                    "../../etc",
                                    "--flag",
                                    "\\",
                                    "f<T&&>::operator()",
                                    "x!y",
                                    "\x7f"};
enum { TEXTS = sizeof texts / sizeof texts[0] };

static void decode_element(const char *from, char *to)
{
    while (strncmp(from, "</code>", 7) != 0) {
        cr_assert(*from != '\0' && strchr("<>`|@\n", *from) == NULL, "%s", from);
        if (*from == '&') {
            char *end;
            cr_assert(from[1] == '#');
            *to++ = (char)strtol(from + 2, &end, 10);
            cr_assert(*end == ';');
            from = end + 1;
        } else {
            *to++ = *from++;
        }
    }
    cr_assert_eq(from[7], '\0');
    *to = '\0';
}

// What a reader sees of `code`.
static void decode(const char *code, char *to)
{
    if (code[0] == '`') {
        size_t len = strlen(code) - 2;
        cr_assert(code[len + 1] == '`' && memchr(code + 1, '`', len) == NULL);
        cr_assert(strpbrk(code, "|<>@#&\\$!\n") == NULL || strchr(code, '>') != NULL);
        memcpy(to, code + 1, len);
        to[len] = '\0';
        return;
    }
    cr_assert_eq(strncmp(code, "<code>", 6), 0);
    decode_element(code + 6, to);
}

Test(markdown, hostile_texts_read_back_and_mark_nothing)
{
    cr_assert(TEXTS >= 50);
    for (size_t i = 0; i < TEXTS; i++) {
        char wanted[128], read[128];
        struct html_page page = {0};
        (void)snprintf(wanted, sizeof wanted, "%s", texts[i]);
        for (char *c = wanted; *c != '\0'; c++) {
            *c = *c < 0x20 || *c > 0x7e ? '?' : *c;
        }
        markdown_code(&page, texts[i]);
        decode(page.text, read);
        cr_expect_str_eq(read, wanted, "text %zu", i);
        for (const char *c = page.text; *c != '\0'; c++) {
            cr_expect(*c >= 0x20 && *c <= 0x7e && *c != '@' && *c != '|', "text %zu: %s", i,
                      page.text);
        }
        free(page.text);
    }
}

Test(markdown, an_empty_text_is_nothing)
{
    struct html_page page = {0};
    markdown_code(&page, "");
    cr_expect(page.text == NULL);
}

Test(markdown, addresses_are_escaped)
{
    struct html_page page = {0};
    markdown_link(&page, "shard 1", "https://x/?a&b\"<");
    cr_expect_str_eq(page.text, "[shard 1](https://x/?a&amp;b&quot;&lt;)");
    free(page.text);
}
