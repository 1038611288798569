// SPDX-License-Identifier: MIT
// Merged shards as one self-contained page, without scripting. Layer: render.
#ifndef CKBENCH_IR_HTML_H
#define CKBENCH_IR_HTML_H

#include "render/html.h"
#include "stats/gate_merge.h"

const char *ir_html_style(void);

// `style_sha256`: 64 hex digits of ir_html_style(), all that the page allows itself. Texts of
// others are escaped here. False: no memory.
bool ir_html(const struct gate_merge *merge, const char *style_sha256, struct html_page *page);

#endif
