// SPDX-License-Identifier: MIT
// What a page is put together from. Layer: render, for html_page.c and html_panels.c.
#ifndef CKBENCH_HTML_PARTS_H
#define CKBENCH_HTML_PARTS_H

#include "render/html.h"

// html.c. After a failure every call does nothing; `page->is_failed` is looked at in the end.
__attribute__((format(printf, 2, 3))) void html_add(struct html_page *page, const char *format,
                                                    ...);
// Escaped for text and quoted attributes; what is not printable ASCII becomes '?'.
void html_add_text(struct html_page *page, const char *text);
void html_add_base64(struct html_page *page, const unsigned char *bytes, size_t len);
// zlib's deflate format, in base64.
void html_add_deflated(struct html_page *page, const char *bytes, size_t len);

// An image of `width` x `height` indices into `colours` (0xrrggbb), as a data URI.
struct html_image {
    unsigned width, height;
    const unsigned char *pixels;
    const uint32_t *colours;
    unsigned colour_count;
};
void html_add_image(struct html_page *page, const struct html_image *image);

// html_page.c: "'sha256-...'" of 64 hex digits, for a policy.
void html_add_hash(struct html_page *page, const char *hex);

// html_panels.c
struct html_view {
    const struct terrain_recording *recording;
    size_t factor;                     // slices in a column
    size_t columns;                    // of all pictures
    unsigned octave_first, octave_end; // of the heat maps' rows
};
enum { HTML_ROWS_PER_OCTAVE = 8, HTML_SHADES = 15, HTML_LEFT = 64, HTML_WIDTH = 736 };

uint32_t html_layer_colour(size_t row);
// The octaves that hold cells, for `view`.
void html_find_octaves(struct html_view *view);
void html_add_heat_map(struct html_page *page, const struct html_view *view, size_t row,
                       enum terrain_time time);
void html_add_strips(struct html_page *page, const struct html_view *view);
// The cells of all columns as JSON, deflated.
void html_add_cells(struct html_page *page, const struct html_view *view);

#endif
