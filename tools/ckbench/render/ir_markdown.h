// SPDX-License-Identifier: MIT
// Merged shards as Markdown for a comment or a summary. Layer: render.
#ifndef CKBENCH_IR_MARKDOWN_H
#define CKBENCH_IR_MARKDOWN_H

#include "render/html.h"
#include "stats/gate_merge.h"

enum { IR_MARKDOWN_MAX = 65000 }; // characters, all of them ASCII

// The verdict first, then what has no result, the paths from the worst to the best, the reasons of
// each failure, and the method. What does not fit is left out from the end of each part and
// counted. False: no memory.
bool ir_markdown(const struct gate_merge *merge, struct html_page *page);

#endif
