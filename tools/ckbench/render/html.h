// SPDX-License-Identifier: MIT
// A recording as one self-contained page: pictures as PNG in data URIs, tables and pictures without
// scripting, switches and read-out with it. Layer: render.
#ifndef CKBENCH_HTML_H
#define CKBENCH_HTML_H

#include "stats/terrain_books.h"
#include "stats/terrain_recording.h"

enum { HTML_BYTES_MAX = 100000 };

// What the page shows of where it comes from; it is escaped here. NULL: unknown. The hashes are 64
// hex digits of html_style() and html_script(), which alone the page allows itself.
struct html_facts {
    const char *l2_where, *harness, *commit, *compiler, *cpu, *kernel;
    const char *style_sha256, *script_sha256;
};

struct html_page {
    char *text; // the caller's to free
    size_t len;
    bool is_failed;
    size_t room;
};

const char *html_style(void);
const char *html_script(void);

// Neighbouring slices are merged until the page is under HTML_BYTES_MAX bytes. False: no memory,
// or it does not fit however many are merged.
bool html_draw(const struct terrain_recording *recording, const struct terrain_books *books,
               const struct html_facts *facts, struct html_page *page);

#endif
