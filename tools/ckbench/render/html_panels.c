// SPDX-License-Identifier: MIT
// Pictures: a column is one slice or several, a row an eighth of an octave. No row shows less than
// one step of the clock: where steps are coarser than rows, rows repeat.
#include "render/html_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/terrain_table.h"
#include "stats/terrain_cells.h"

enum { STRIP_HEIGHT = 32, PIXELS_PER_ROW = 1 };

// Okabe and Ito's colours, told apart by the colour-blind.
static const uint32_t layer_colours[TERRAIN_ROWS_MAX] = {
    0x0072b2, 0xe69f00, 0xd55e00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xf0e442, 0x8b5a2b, 0x000000};

uint32_t html_layer_colour(size_t row)
{
    return layer_colours[row % TERRAIN_ROWS_MAX];
}

void html_find_octaves(struct html_view *view)
{
    unsigned first = 44, end = 0;
    for (size_t i = 0; i < view->recording->cell_count; i++) {
        const struct terrain_cell *cell = &view->recording->cells[i];
        uint64_t low = terrain_cell_first(cell->cell);
        unsigned octave = low > 0 ? 63U - (unsigned)__builtin_clzll(low) : 0;
        if (cell->time != TERRAIN_WAIT) {
            first = octave < first ? octave : first;
            end = octave + 1 > end ? octave + 1 : end;
        }
    }
    view->octave_first = end > 0 ? first : 0;
    view->octave_end = end > 0 ? end : 1;
}

static unsigned rows_of(const struct html_view *view)
{
    return (view->octave_end - view->octave_first) * HTML_ROWS_PER_OCTAVE;
}

// Cells from `*from` to before `*end` are shown in row `y` from the bottom.
static void cells_of_row(const struct html_view *view, unsigned y, unsigned *from, unsigned *end)
{
    unsigned octave = view->octave_first + y / HTML_ROWS_PER_OCTAVE;
    double size = exp2(octave), part = y % HTML_ROWS_PER_OCTAVE;
    double low = size * (1.0 + part / HTML_ROWS_PER_OCTAVE);
    double high = size * (1.0 + (part + 1) / HTML_ROWS_PER_OCTAVE);
    double granule = view->recording->granule_ns > 1 ? (double)view->recording->granule_ns : 1.0;
    if (high - low < granule) {
        low = floor(low / granule) * granule;
        high = low + granule;
    }
    *from = octave == 0 && part < 1 ? 0 : terrain_cell_of((uint64_t)low);
    *end = terrain_cell_of((uint64_t)ceil(high));
    *end = *end > *from ? *end : *from + 1;
}

// Calls by column and cell, `columns` x TERRAIN_CELLS. NULL: no memory.
static uint32_t *count_columns(const struct html_view *view, size_t row, enum terrain_time time)
{
    const struct terrain_recording *r = view->recording;
    uint32_t *counts = calloc(view->columns * TERRAIN_CELLS, sizeof *counts);
    for (size_t i = 0; counts != NULL && i < r->slice_count; i++) {
        uint32_t *column = counts + i / view->factor * TERRAIN_CELLS;
        const struct terrain_slice *slice = &r->slices[i];
        for (size_t c = slice->first_cell; c < slice->first_cell + slice->cell_count; c++) {
            if (r->cells[c].row == row && r->cells[c].time == time) {
                column[r->cells[c].cell] += r->cells[c].count;
            }
        }
    }
    return counts;
}

static void fill_palette(uint32_t palette[HTML_SHADES + 1], uint32_t colour)
{
    palette[0] = 0xffffff;
    for (unsigned shade = 1; shade <= HTML_SHADES; shade++) {
        uint32_t mixed = 0;
        for (unsigned shift = 0; shift < 24; shift += 8) {
            uint32_t full = colour >> shift & 255;
            mixed |= (255 - (255 - full) * (shade + 3) / (HTML_SHADES + 3)) << shift;
        }
        palette[shade] = mixed;
    }
}

// Shades go by the logarithm, so that one call in a thousand still shows.
static void shade(unsigned char *pixels, const uint32_t *sums, size_t count)
{
    uint32_t most = 1;
    for (size_t i = 0; i < count; i++) {
        most = sums[i] > most ? sums[i] : most;
    }
    for (size_t i = 0; i < count; i++) {
        double share = most > 1 ? log(sums[i] > 0 ? sums[i] : 1) / log(most) : 1.0;
        pixels[i] = (unsigned char)(sums[i] > 0 ? 1 + (unsigned)(share * (HTML_SHADES - 1)) : 0);
    }
}

static void add_axis(struct html_page *page, const struct html_view *view, unsigned height)
{
    double octaves = view->octave_end - view->octave_first;
    for (int64_t ns = 1; ns <= INT64_C(10000000000000); ns *= 10) {
        double at = log2((double)ns);
        char text[TERRAIN_TEXT_ROOM];
        if (at < view->octave_first || at > view->octave_end) {
            continue;
        }
        double y = height * (1.0 - (at - view->octave_first) / octaves);
        (void)terrain_ns_text(text, ns);
        char *point = strchr(text, '.');
        html_add(page,
                 "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.*s%s</text><line x1=\"%d\" "
                 "x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>",
                 HTML_LEFT - 6, y + 4, point != NULL ? (int)(point - text) : (int)strlen(text),
                 text, point != NULL ? strchr(text, ' ') : "", HTML_LEFT - 4, HTML_LEFT, y, y);
    }
}

static void add_svg(struct html_page *page, const struct html_image *image, unsigned height,
                    const char *what)
{
    html_add(page,
             "<svg viewBox=\"0 0 %d %u\" role=\"img\"><title>%s</title><image x=\"%d\" "
             "y=\"0\" width=\"%d\" height=\"%u\" preserveAspectRatio=\"none\" "
             "image-rendering=\"pixelated\" href=\"",
             HTML_LEFT + HTML_WIDTH, height, what, HTML_LEFT, HTML_WIDTH, height);
    html_add_image(page, image);
    html_add(page, "\"/>");
}

void html_add_heat_map(struct html_page *page, const struct html_view *view, size_t row,
                       enum terrain_time time)
{
    const char *layer = terrain_row_name(view->recording, row);
    unsigned rows = rows_of(view), height = rows * PIXELS_PER_ROW;
    size_t pixels = rows * view->columns;
    uint32_t palette[HTML_SHADES + 1];
    char title[128];
    uint32_t *counts = count_columns(view, row, time), *sums = calloc(pixels, sizeof *sums);
    unsigned char *shades = malloc(pixels);
    if (counts == NULL || sums == NULL || shades == NULL) {
        page->is_failed = true;
    }
    for (unsigned y = 0; !page->is_failed && y < rows; y++) {
        unsigned from, end;
        cells_of_row(view, y, &from, &end);
        for (size_t x = 0; x < view->columns; x++) {
            for (unsigned cell = from; cell < end; cell++) {
                sums[(rows - 1 - y) * view->columns + x] += counts[x * TERRAIN_CELLS + cell];
            }
        }
    }
    if (!page->is_failed) {
        fill_palette(palette, html_layer_colour(row));
        shade(shades, sums, pixels);
        (void)snprintf(title, sizeof title, "%s: %s times over time", layer,
                       terrain_time_words[time]);
        html_add(page, "<figure class=\"%s\" data-row=\"%zu\" data-time=\"%d\"><figcaption>%s, %s",
                 terrain_time_words[time], row, (int)time, layer, terrain_time_words[time]);
        html_add(page, "</figcaption>");
        const struct html_image image = {(unsigned)view->columns, rows, shades, palette,
                                         HTML_SHADES + 1};
        add_svg(page, &image, height, title);
        add_axis(page, view, height);
        html_add(page, "</svg></figure>\n");
    }
    free(counts);
    free(sums);
    free(shades);
}

// Sums of the slices of a column.
static struct terrain_slice sum_column(const struct html_view *view, size_t column)
{
    const struct terrain_recording *r = view->recording;
    struct terrain_slice sum = {0};
    for (size_t i = column * view->factor; i < (column + 1) * view->factor && i < r->slice_count;
         i++) {
        const struct terrain_slice *s = &r->slices[i];
        sum.start_ns = i == column * view->factor ? s->start_ns : sum.start_ns;
        sum.end_ns = s->end_ns;
        sum.asked += s->asked;
        sum.dropped += s->dropped;
        sum.unattributed += s->unattributed;
        sum.run_delay_ns += s->run_delay_ns;
        sum.steal_ticks += s->steal_ticks;
        sum.failed += terrain_is_noisy(s); // how many slices are marked
        for (size_t layer = 0; layer < r->layer_count; layer++) {
            sum.n[layer] += s->n[layer];
        }
    }
    return sum;
}

// Paints `share` of the column's height from `*at` on, upwards.
static void paint(unsigned char *pixels, size_t columns, size_t x, double *at, double share,
                  unsigned char colour)
{
    unsigned from = (unsigned)lround(*at * STRIP_HEIGHT);
    *at += share;
    unsigned end = (unsigned)lround(*at * STRIP_HEIGHT);
    for (unsigned y = from; y < end && y < STRIP_HEIGHT; y++) {
        pixels[(STRIP_HEIGHT - 1 - y) * columns + x] = colour;
    }
}

enum strip { STRIP_RATE, STRIP_SHARES, STRIP_NOISE, STRIPS };

static void paint_column(const struct html_view *view, enum strip strip, size_t x, double most,
                         unsigned char *pixels)
{
    const struct terrain_recording *r = view->recording;
    struct terrain_slice sum = sum_column(view, x);
    double at = 0.0, started = (double)terrain_started(&sum);
    double seconds = (double)(sum.end_ns - sum.start_ns) / 1e9;
    if (strip == STRIP_RATE && seconds > 0 && most > 0) {
        paint(pixels, view->columns, x, &at, started / seconds / most, 1);
        paint(pixels, view->columns, x, &at, (double)sum.dropped / seconds / most, 2);
    } else if (strip == STRIP_SHARES && started > 0) {
        for (size_t layer = 0; layer < r->layer_count; layer++) {
            paint(pixels, view->columns, x, &at, (double)sum.n[layer] / started,
                  (unsigned char)(3 + layer));
        }
        paint(pixels, view->columns, x, &at, (double)sum.unattributed / started,
              3 + TERRAIN_LAYERS_MAX);
    } else if (strip == STRIP_NOISE && seconds > 0) {
        paint(pixels, view->columns, x, &at, (double)sum.run_delay_ns / 1e9 / seconds, 1);
        if (sum.failed > 0 && at < 0.1) {
            at = 0.0;
            paint(pixels, view->columns, x, &at, 0.1, 2);
        }
    }
}

void html_add_strips(struct html_page *page, const struct html_view *view)
{
    static const char *const titles[STRIPS] = {
        "calls a second: started, and on top of it dropped",
        "share of calls by layer, from below in the order of the table",
        "host noise: share of time in which callers waited for a CPU; marked slices"};
    uint32_t palette[3 + TERRAIN_ROWS_MAX] = {0xffffff, 0x999999, 0xcc0000};
    double most = 0.0;
    for (size_t i = 0; i < TERRAIN_ROWS_MAX; i++) {
        palette[3 + i] = html_layer_colour(i);
    }
    for (size_t x = 0; x < view->columns; x++) {
        struct terrain_slice sum = sum_column(view, x);
        double rate = sum.end_ns > sum.start_ns
                          ? (double)sum.asked * 1e9 / (double)(sum.end_ns - sum.start_ns)
                          : 0.0;
        most = rate > most ? rate : most;
    }
    for (int strip = 0; strip < STRIPS; strip++) {
        unsigned char *pixels = calloc(view->columns, STRIP_HEIGHT);
        if (pixels == NULL) {
            page->is_failed = true;
            return;
        }
        for (size_t x = 0; x < view->columns; x++) {
            paint_column(view, (enum strip)strip, x, most, pixels);
        }
        html_add(page, "<figure><figcaption>%s", titles[strip]);
        if (strip == STRIP_RATE) {
            html_add(page, " (full height: %.1f/s)", most);
        }
        html_add(page, "</figcaption>");
        const struct html_image image = {(unsigned)view->columns, STRIP_HEIGHT, pixels, palette,
                                         3 + TERRAIN_ROWS_MAX};
        add_svg(page, &image, STRIP_HEIGHT, titles[strip]);
        html_add(page, "</svg></figure>\n");
        free(pixels);
    }
}

// Cells of a row and time: for each column [distance to the last cell, count, ...].
static void put_cells(struct html_page *text, const struct html_view *view, size_t row,
                      enum terrain_time time)
{
    uint32_t *counts = count_columns(view, row, time);
    text->is_failed = text->is_failed || counts == NULL;
    html_add(text, "%s[%zu,%d,[", text->len > 1 ? "," : "", row, (int)time);
    for (size_t x = 0; counts != NULL && x < view->columns; x++) {
        unsigned last = 0;
        bool is_first = true;
        html_add(text, "%s[", x > 0 ? "," : "");
        for (unsigned cell = 0; cell < TERRAIN_CELLS; cell++) {
            uint32_t count = counts[x * TERRAIN_CELLS + cell];
            if (count > 0) {
                html_add(text, "%s%u,%" PRIu32, is_first ? "" : ",", cell - last, count);
                last = cell;
                is_first = false;
            }
        }
        html_add(text, "]");
    }
    html_add(text, "]]");
    free(counts);
}

void html_add_cells(struct html_page *page, const struct html_view *view)
{
    const struct terrain_recording *r = view->recording;
    struct html_page text = {0};
    html_add(&text, "[");
    for (size_t row = 0; row <= r->layer_count; row++) {
        for (enum terrain_time time = TERRAIN_SERVICE; time < TERRAIN_TIMES; time++) {
            if (time != TERRAIN_WAIT && r->exact[row][time].n > 0) {
                put_cells(&text, view, row, time);
            }
        }
    }
    html_add(&text, "]");
    if (text.is_failed) {
        page->is_failed = true;
    } else {
        html_add_deflated(page, text.text, text.len);
    }
    free(text.text);
}
