// SPDX-License-Identifier: MIT
// Texts of others in Markdown as GitHub reads it: they are shown as code, where neither mentions,
// references nor markup are looked for. Layer: render.
#ifndef CKBENCH_MARKDOWN_H
#define CKBENCH_MARKDOWN_H

#include "render/html.h"

// Appends `text` as code: between backticks when it is of harmless characters only, else as a
// <code> element whose other characters are references (&#64;). What is not printable ASCII
// becomes '?'. Fit for table cells, lists and lines. An empty text appends nothing.
void markdown_code(struct html_page *page, const char *text);

// Appends [words](address); the address is a checked one, `words` are ours.
void markdown_link(struct html_page *page, const char *words, const char *address);

#endif
