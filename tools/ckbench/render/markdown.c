// SPDX-License-Identifier: MIT
// A reference such as &#124; is no markup to a reader of Markdown, in a table neither, and it makes
// no mention inside <code>. So one rule serves every place.
#include "render/markdown.h"

#include <stdbool.h>
#include <string.h>

#include "render/html_parts.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// Between backticks nothing but a backtick and, in a table, a bar has a meaning; the others that
// are left out here are kept from readers that are less strict.
static const char between[] = LETTERS " _-+.,:;/=%()'\"[]{}*?^~";
static const char inside[] = LETTERS "-+,;/=%()"; // an element, where Markdown still reads

static void add_element(struct html_page *page, const char *text)
{
    html_add(page, "<code>");
    for (size_t i = 0; text[i] != '\0'; i++) {
        unsigned char c = (unsigned char)text[i];
        bool is_blank = c == ' ' && i > 0 && text[i - 1] != ' ';
        if (c < 0x20 || c > 0x7e) {
            html_add(page, "?");
        } else {
            html_add(page, is_blank || strchr(inside, c) != NULL ? "%c" : "&#%d;", c);
        }
    }
    html_add(page, "</code>");
}

void markdown_code(struct html_page *page, const char *text)
{
    size_t len = strlen(text);
    if (len == 0) {
        return;
    }
    bool is_plain = strspn(text, between) == len && text[0] != ' ' && text[len - 1] != ' ';
    if (is_plain) {
        html_add(page, "`%s`", text);
    } else {
        add_element(page, text);
    }
}

void markdown_link(struct html_page *page, const char *words, const char *address)
{
    html_add(page, "[%s](", words);
    html_add_text(page, address);
    html_add(page, ")");
}
