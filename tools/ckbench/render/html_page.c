// SPDX-License-Identifier: MIT
// The page from top to bottom. Texts come from outside and are escaped; styles stand in one element
// only, because the policy allows no other.
#include "render/html_parts.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/terrain_table.h"
#include "stats/terrain_cells.h"
#include "stats/terrain_figures.h"

enum { COLUMNS_MAX = 736, HASH_BYTES = 32 };

void html_add_hash(struct html_page *page, const char *hex)
{
    unsigned char bytes[HASH_BYTES];
    for (size_t i = 0; i < HASH_BYTES; i++) {
        const char digits[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        bytes[i] = (unsigned char)strtoul(digits, NULL, 16);
    }
    html_add(page, "'sha256-");
    html_add_base64(page, bytes, sizeof bytes);
    html_add(page, "'");
}

static void add_head(struct html_page *page, const struct terrain_recording *r,
                     const struct html_facts *facts)
{
    html_add(page, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                   "img-src data:; style-src ");
    html_add_hash(page, facts->style_sha256);
    html_add(page, "; script-src ");
    html_add_hash(page, facts->script_sha256);
    html_add(page, "\">\n<title>terrain %s</title>\n<style>%s</style></head><body>\n", r->name,
             html_style());
    html_add(page, "<h1>terrain %s: %s, %s time</h1>\n", r->name, r->regime, r->clock);
    if (r->is_stopped) {
        html_add(page, "<p class=\"bad\">Stopped before its end: the recording is partial.</p>\n");
    }
}

static void add_quantile(struct html_page *page, const char *name, const struct terrain_quantile *q,
                         bool is_from_cells)
{
    char text[TERRAIN_TEXT_ROOM * 2];
    html_add(page, "<td data-%s=\"%" PRId64 "\">%s%s</td>", name, q->ns,
             terrain_quantile_text(text, q), is_from_cells ? " or less" : "");
}

static void add_row(struct html_page *page, const struct terrain_recording *r, size_t row,
                    enum terrain_time time)
{
    uint64_t counts[TERRAIN_CELLS];
    char text[TERRAIN_TEXT_ROOM];
    const struct terrain_exact *exact = &r->exact[row][time];
    terrain_sum_cells(r, row, time, counts);
    struct terrain_quantile p50 = terrain_quantile_of(exact, 500, counts);
    struct terrain_quantile p99 = terrain_quantile_of(exact, 990, counts);
    struct terrain_share share = terrain_share_of(r, row);
    bool is_first = time == TERRAIN_SERVICE;
    html_add(page, "<tr data-layer=\"%s\" data-time=\"%s\"><td>%s</td>", terrain_row_name(r, row),
             terrain_time_words[time], is_first ? terrain_row_name(r, row) : "");
    html_add(page, "<td>%s</td>", is_first ? terrain_ppm_text(text, share.calls_ppm) : "");
    html_add(page, "<td>%s</td>", is_first ? terrain_ppm_text(text, share.time_ppm) : "");
    html_add(page, "<td>%s</td><td data-n=\"%" PRId64 "\">%" PRId64 "</td>",
             terrain_time_words[time], exact->n, exact->n);
    add_quantile(page, "p50", &p50, exact->is_from_cells);
    add_quantile(page, "p99", &p99, exact->is_from_cells);
    html_add(page, "<td data-max=\"%" PRId64 "\">%s</td></tr>\n", exact->max_ns,
             terrain_ns_text(text, exact->max_ns));
}

static void add_table(struct html_page *page, const struct terrain_recording *r)
{
    html_add(page, "<table><thead><tr><th>layer</th><th>calls</th><th>time</th><th></th><th>n</th>"
                   "<th>p50</th><th>p99</th><th>max</th></tr></thead><tbody>\n");
    for (size_t row = 0; row <= r->layer_count; row++) {
        for (enum terrain_time time = TERRAIN_SERVICE; time < TERRAIN_TIMES; time++) {
            if (time != TERRAIN_WAIT && r->exact[row][time].n > 0) {
                add_row(page, r, row, time);
            }
        }
    }
    html_add(page, "</tbody></table>\n");
}

static void add_books(struct html_page *page, const struct terrain_recording *r,
                      const struct terrain_books *books)
{
    html_add(page, "<p%s>Books: %s; %zu equations, %zu wrong, %zu unverified. ",
             terrain_books_are_good(books) ? "" : " class=\"bad\"", terrain_books_verdict(books),
             books->count, books->wrong, books->unverified);
    html_add(page,
             "%" PRId64 " calls, %" PRId64 " dropped, %" PRId64 " late, %" PRId64
             " unattributed.</p>\n",
             r->end.calls, r->end.dropped, r->end.late, r->end.unattributed);
    if (terrain_is_blind(r)) {
        html_add(page, "<p>%c%s.</p>\n", toupper((unsigned char)terrain_blind_remark[0]),
                 terrain_blind_remark + 1);
    }
    const char *doubt = r->has_server ? terrain_server_doubt(r) : NULL;
    if (doubt != NULL) {
        html_add(page, "<p class=\"bad\">%c%s, so its counters prove nothing.</p>\n",
                 toupper((unsigned char)doubt[0]), doubt + 1);
    }
    if (strcmp(r->clock, "real") == 0) {
        char p50[TERRAIN_TEXT_ROOM], p99[TERRAIN_TEXT_ROOM];
        html_add(page,
                 "<p>The clock has steps of %" PRId64 " ns; a call that does nothing reads "
                 "%s (p50), %s (p99).</p>\n",
                 r->granule_ns, terrain_ns_text(p50, r->floor_p50_ns),
                 terrain_ns_text(p99, r->floor_p99_ns));
    }
    html_add(page,
             "<p>p50 and p99 by nearest rank; with a 95 %% band below %d samples, none below "
             "%d.</p>\n",
             TERRAIN_MANY, TERRAIN_FEW);
}

static void add_pictures(struct html_page *page, const struct html_view *view)
{
    const struct terrain_recording *r = view->recording;
    int64_t ns = r->slices[r->slice_count - 1].end_ns - r->slices[0].start_ns;
    html_add(page, "<p id=\"bar\" class=\"off\"><label><input type=\"checkbox\" value=\"service\" "
                   "checked> service</label> <label><input type=\"checkbox\" value=\"response\" "
                   "checked> response</label> <output id=\"readout\"></output></p>\n");
    html_add(page,
             "<p>From left to right %.1f s, %zu columns of %zu slice%s each; upwards the "
             "logarithm of the time; darker: more calls.</p>\n",
             (double)ns / 1e9, view->columns, view->factor, view->factor > 1 ? "s" : "");
    for (size_t row = 0; row <= r->layer_count; row++) {
        for (enum terrain_time time = TERRAIN_SERVICE; time < TERRAIN_TIMES; time++) {
            if (time != TERRAIN_WAIT && r->exact[row][time].n > 0) {
                html_add_heat_map(page, view, row, time);
            }
        }
    }
    html_add_strips(page, view);
    html_add(page,
             "<script type=\"text/plain\" id=\"cells\" data-view='{\"columns\":%zu,"
             "\"octave_first\":%u,\"octave_end\":%u,\"column_s\":%.3f}'>",
             view->columns, view->octave_first, view->octave_end,
             (double)(r->slices[0].end_ns - r->slices[0].start_ns) / 1e9 * (double)view->factor);
    html_add_cells(page, view);
    html_add(page, "</script>\n");
}

static void add_fact(struct html_page *page, const char *name, const char *text)
{
    if (text != NULL && text[0] != '\0') {
        html_add(page, "<dt>%s</dt><dd>", name);
        html_add_text(page, text);
        html_add(page, "</dd>\n");
    }
}

static void add_provenance(struct html_page *page, const struct terrain_recording *r,
                           const struct html_facts *facts)
{
    html_add(page, "<h2>Where this comes from</h2><dl>\n");
    add_fact(page, "second layer", facts->l2_where);
    add_fact(page, "harness", facts->harness);
    add_fact(page, "commit", facts->commit);
    add_fact(page, "compiler", facts->compiler);
    add_fact(page, "processor", facts->cpu);
    add_fact(page, "kernel", facts->kernel);
    html_add(page, "<dt>settings</dt><dd>");
    for (size_t i = 0; i < r->setting_count; i++) {
        html_add_text(page, r->settings[i]);
        html_add(page, i + 1 < r->setting_count ? ", " : "");
    }
    html_add(page, "</dd></dl>\n");
}

static bool draw_at(const struct terrain_recording *r, const struct terrain_books *books,
                    const struct html_facts *facts, const struct html_view *view,
                    struct html_page *page)
{
    add_head(page, r, facts);
    add_table(page, r);
    add_books(page, r, books);
    if (r->slice_count > 0) {
        add_pictures(page, view);
    }
    add_provenance(page, r, facts);
    html_add(page, "<script>%s</script></body></html>\n", html_script());
    return !page->is_failed;
}

bool html_draw(const struct terrain_recording *recording, const struct terrain_books *books,
               const struct html_facts *facts, struct html_page *page)
{
    struct html_view view = {.recording = recording};
    size_t slices = recording->slice_count;
    html_find_octaves(&view);
    for (view.factor = slices / COLUMNS_MAX + 1;; view.factor *= 2) {
        view.columns = (slices + view.factor - 1) / view.factor;
        *page = (struct html_page){0};
        if (draw_at(recording, books, facts, &view, page) && page->len < HTML_BYTES_MAX) {
            return true;
        }
        bool is_hopeless = page->is_failed || view.columns <= 1;
        free(page->text);
        *page = (struct html_page){0};
        if (is_hopeless) {
            return false;
        }
    }
}
