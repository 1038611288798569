// SPDX-License-Identifier: MIT
// A reference such as &#124; is no markup to a reader of Markdown, in a table neither, and it makes
// no mention inside <code>. So one rule serves every place.
#include "render/markdown.h"

#include <string.h>

#include "render/html_parts.h"

static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "_-+.,:;/=%() ";

void markdown_code(struct html_page *page, const char *text)
{
    size_t len = strlen(text);
    if (len == 0) {
        return;
    }
    if (strspn(text, harmless) == len && text[0] != ' ' && text[len - 1] != ' ') {
        html_add(page, "`%s`", text);
        return;
    }
    html_add(page, "<code>");
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < 0x20 || c > 0x7e) {
            html_add(page, "?");
        } else if (c != ' ' && strchr(harmless, c) != NULL && c != '_' && c != ':' && c != '.') {
            html_add(page, "%c", c);
        } else if (c == ' ' && i > 0 && text[i - 1] != ' ') {
            html_add(page, " ");
        } else {
            html_add(page, "&#%u;", c);
        }
    }
    html_add(page, "</code>");
}

void markdown_link(struct html_page *page, const char *words, const char *address)
{
    html_add(page, "[%s](", words);
    html_add_text(page, address);
    html_add(page, ")");
}
