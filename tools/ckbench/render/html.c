// SPDX-License-Identifier: MIT
#include "render/html.h"

const char *html_style(void)
{
    return "";
}

const char *html_script(void)
{
    return "";
}

bool html_draw(const struct terrain_recording *recording, const struct terrain_books *books,
               const struct html_facts *facts, struct html_page *page)
{
    (void)recording;
    (void)books;
    (void)facts;
    (void)page;
    return false;
}
