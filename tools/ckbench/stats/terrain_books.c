// SPDX-License-Identifier: MIT
// Equations, all on integers. A side that nobody knows makes an equation unverified, which is said
// and is not the same as balanced.
#include "stats/terrain_books.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "stats/terrain_cells.h"

__attribute__((format(printf, 4, 5))) static void equate(struct terrain_books *books, int64_t left,
                                                         int64_t right, const char *format, ...)
{
    if (books->count == TERRAIN_EQUATIONS_MAX) {
        books->wrong++; // never reached: the table has room for all layers
        return;
    }
    struct terrain_equation *equation = &books->equations[books->count++];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(equation->what, sizeof equation->what, format, arguments);
    va_end(arguments);
    equation->left = left;
    equation->right = right;
    equation->is_balanced = right >= 0 && left == right;
    books->unverified += right < 0;
    books->wrong += right >= 0 && left != right;
}

static int64_t row_calls(const struct terrain_recording *r, size_t row)
{
    int64_t calls = 0;
    for (size_t i = 0; i < r->slice_count; i++) {
        calls += row < r->layer_count ? r->slices[i].n[row] : r->slices[i].unattributed;
    }
    return calls;
}

// The slices in which the cells of a row and time are not as many as its calls.
static int64_t slices_apart(const struct terrain_recording *r, size_t row, enum terrain_time time)
{
    int64_t apart = 0;
    for (size_t i = 0; i < r->slice_count; i++) {
        const struct terrain_slice *slice = &r->slices[i];
        int64_t counted = 0;
        for (size_t c = 0; c < slice->cell_count; c++) {
            const struct terrain_cell *cell = &r->cells[slice->first_cell + c];
            counted += cell->row == row && cell->time == time ? cell->count : 0;
        }
        apart += counted != (row < r->layer_count ? slice->n[row] : slice->unattributed);
    }
    return apart;
}

// Quantiles that do not lie in the cell which holds their rank.
static int64_t quantiles_apart(const struct terrain_recording *r, size_t row,
                               enum terrain_time time)
{
    uint64_t counts[TERRAIN_CELLS];
    const struct terrain_exact *exact = &r->exact[row][time];
    const struct {
        int64_t ns;
        uint64_t rank;
    } points[] = {{exact->p50_ns, terrain_rank((uint64_t)exact->n, 500)},
                  {exact->p99_ns, terrain_rank((uint64_t)exact->n, 990)},
                  {exact->max_ns, (uint64_t)exact->n}};
    int64_t apart = 0;
    terrain_sum_cells(r, row, time, counts);
    for (size_t i = 0; exact->n > 0 && i < sizeof points / sizeof points[0]; i++) {
        apart += terrain_cell_at(counts, points[i].rank) != terrain_cell_of((uint64_t)points[i].ns);
    }
    return apart;
}

static void check_row(const struct terrain_recording *r, size_t row, struct terrain_books *books)
{
    const char *name = terrain_row_name(r, row);
    int64_t calls = row_calls(r, row);
    for (enum terrain_time time = TERRAIN_SERVICE; time < TERRAIN_TIMES; time++) {
        if (!terrain_has_time(r, time)) {
            continue;
        }
        const char *word = terrain_time_words[time];
        int64_t apart = slices_apart(r, row, time) + quantiles_apart(r, row, time);
        equate(books, calls, r->exact[row][time].n, "%s %s: calls of slices = samples", name, word);
        equate(books, apart, 0, "%s %s: cells that contradict slices or quantiles", name, word);
    }
    const struct terrain_exact *exact = r->exact[row];
    if (terrain_has_time(r, TERRAIN_RESPONSE)) {
        equate(books, exact[TERRAIN_RESPONSE].sum_ns,
               exact[TERRAIN_SERVICE].sum_ns + exact[TERRAIN_WAIT].sum_ns,
               "%s: response = service + wait, in all, ns", name);
    }
    if (row < r->layer_count) {
        equate(books, calls, r->books[row].calls >= 0 ? r->books[row].calls : -1,
               "%s: calls of slices = calls of the books", name);
        equate(books, calls, r->books[row].counted, "%s: calls = counted by the terrain", name);
    }
}

static void check_totals(const struct terrain_recording *r, struct terrain_books *books)
{
    struct terrain_slice sum = {0};
    int64_t answered = 0, gaps = 0, unequal = 0;
    for (size_t i = 0; i < r->slice_count; i++) {
        const struct terrain_slice *s = &r->slices[i];
        int64_t n = s->unattributed;
        for (size_t layer = 0; layer < r->layer_count; layer++) {
            n += s->n[layer];
        }
        sum.dropped += s->dropped;
        sum.late += s->late;
        sum.failed += s->failed;
        sum.unattributed += s->unattributed;
        answered += n;
        unequal += n != terrain_started(s);
        gaps += s->end_ns < s->start_ns || (i > 0 && s->start_ns != r->slices[i - 1].end_ns);
    }
    equate(books, (int64_t)r->slice_count, r->end.slices, "slices");
    equate(books, gaps, 0, "slices that do not follow one another");
    equate(books, unequal, 0, "slices whose calls are not asked less dropped");
    equate(books, answered, r->end.calls, "calls of slices = calls of the run");
    equate(books, sum.dropped, r->end.dropped, "dropped");
    equate(books, sum.late, r->end.late, "late");
    equate(books, sum.failed, r->end.failed, "failed");
    equate(books, sum.unattributed, r->end.unattributed, "unattributed");
}

// All answers of a layer, warm-up included: the server does not tell them apart.
static int64_t all_answers(const struct terrain_recording *r, const char *layer)
{
    int row = terrain_row(r, layer);
    return row >= 0 && row < (int)r->layer_count ? row_calls(r, (size_t)row) + r->warmup.n[row] : 0;
}

// The terrain's own books of its second layer: what it asked there, and what became of it.
struct l2_books {
    int64_t hits, misses; // answers of l2; looks that the loader followed, or another look
    int64_t released, spoilt;
    int64_t found, absent;
    int64_t unsure; // questions whose answer nobody has seen, but a server may have counted
};

// False: it does not tell.
static bool read_l2(const struct terrain_recording *r, struct l2_books *l2)
{
    const int64_t again = terrain_count_of(r, "l2_again"), blind = terrain_count_of(r, "l2_blind");
    const int64_t unreleased = terrain_count_of(r, "l2_unreleased");
    *l2 = (struct l2_books){.hits = all_answers(r, "l2"),
                            .misses = all_answers(r, "miss") + again - blind,
                            .released = terrain_count_of(r, "l2_released"),
                            .spoilt = terrain_count_of(r, "l2_spoilt"),
                            .found = terrain_count_of(r, "l2_found"),
                            .absent = terrain_count_of(r, "l2_absent"),
                            .unsure = terrain_count_of(r, "l2_unsure")};
    bool is_told = again >= 0 && blind >= 0 && unreleased >= 0 && l2->released >= 0 &&
                   l2->spoilt >= 0 && l2->found >= 0 && l2->absent >= 0 && l2->unsure >= 0;
    l2->unsure += unreleased;
    return is_told;
}

static void check_l2(const struct terrain_recording *r, struct terrain_books *books)
{
    struct l2_books l2;
    if (read_l2(r, &l2)) {
        equate(books, l2.found, l2.hits + l2.spoilt,
               "l2: looks that found = answers + values that were none");
        equate(books, l2.absent, l2.misses,
               "miss: looks that found nothing = runs + second looks - runs without a look");
    }
}

// As many as are known of, or up to `unsure` more: then nothing is proved.
static void check_count(struct terrain_books *books, int64_t told, int64_t known, int64_t unsure,
                        const char *what)
{
    bool is_open = unsure > 0 && told >= known && told <= known + unsure;
    equate(books, told, is_open ? -1 : known, "%s", what);
}

static void check_server(const struct terrain_recording *r, struct terrain_books *books)
{
    struct l2_books l2;
    bool is_answered = r->before.is_known && r->after.is_known;
    int64_t hits = is_answered ? r->after.hits - r->before.hits : 0;
    int64_t misses = is_answered ? r->after.misses - r->before.misses : 0;
    int64_t gets = is_answered ? r->after.gets - r->before.gets : 0;
    bool is_known = read_l2(r, &l2) && terrain_server_doubt(r) == NULL;
    int64_t unsure = is_known ? l2.unsure : 0, known_hits = l2.hits + l2.released + l2.spoilt;
    check_count(books, hits, is_known ? known_hits : -1, unsure,
                "server: hits = answers of l2 + lock releases + error replies");
    check_count(books, misses, is_known ? l2.misses : -1, unsure,
                "server: misses = runs + second looks - runs without a look");
    check_count(books, gets, is_known && r->after.gets >= 0 ? known_hits + l2.misses : -1, unsure,
                "server: GETs = hits and misses of ours");
}

void terrain_books_check(const struct terrain_recording *recording, struct terrain_books *books)
{
    memset(books, 0, sizeof *books);
    check_totals(recording, books);
    for (size_t row = 0; row <= recording->layer_count; row++) {
        check_row(recording, row, books);
    }
    if (recording->loader.layer[0] != '\0') {
        int row = terrain_row(recording, recording->loader.layer);
        int64_t calls = row >= 0 ? row_calls(recording, (size_t)row) : 0;
        equate(books, calls, recording->loader.calls, "%s: calls = calls the loader knows of",
               recording->loader.layer);
        equate(books, calls, recording->loader.runs, "%s: calls = runs of the loader",
               recording->loader.layer);
    }
    check_l2(recording, books);
    if (recording->has_server) {
        check_server(recording, books);
    }
    books->unattributed = recording->end.unattributed;
}

const char *terrain_books_verdict(const struct terrain_books *books)
{
    return books->wrong > 0          ? "unbalanced"
           : books->unattributed > 0 ? "unattributed"
           : books->unverified > 0   ? "unverified"
                                     : "balanced";
}

bool terrain_books_are_good(const struct terrain_books *books)
{
    return books->wrong == 0 && books->unattributed == 0;
}
