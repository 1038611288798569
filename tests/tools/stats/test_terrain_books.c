// SPDX-License-Identifier: MIT
// The server as a witness: its hits and misses are the terrain's to the last one, or somebody lies;
// a server that was not alone or not the same, or questions without an answer, prove nothing.
#include <criterion/criterion.h>

#include <string.h>

#include "stats/terrain_books.h"

// Ten answers of l2 (one in the warm-up), five of miss; nothing else is wrong.
static void make(struct terrain_recording *r, int64_t hits, int64_t misses)
{
    const struct terrain_slice slice = {.end_ns = 1, .asked = 14, .n = {9, 5}};
    terrain_recording_init(r);
    r->layer_count = 2;
    strcpy(r->layers[0], "l2");
    strcpy(r->layers[1], "miss");
    strcpy(r->regime, "saturated");
    r->warmup.n[0] = 1;
    r->end.slices = 1;
    r->end.calls = 14;
    r->books[0].calls = r->books[0].counted = r->exact[0][0].n = 9;
    r->books[1].calls = r->books[1].counted = r->exact[1][0].n = 5;
    cr_assert_not_null(terrain_add_slice(r, &slice));
    cr_assert(terrain_add_cell(r, &(struct terrain_cell){0, 0, 0, 9}));
    cr_assert(terrain_add_cell(r, &(struct terrain_cell){0, 1, 0, 5}));
    r->has_server = true;
    r->before = (struct terrain_server_info){
        .is_known = true, .run_id = "a", .clients = 1, .hits = 100, .misses = 50};
    r->after = r->before;
    r->after.hits += hits;
    r->after.misses += misses;
    r->after.gets += hits + misses;
}

// What the terrain of make() tells: two locks released, three second looks, a value that was none,
// a run of the loader without a look.
static void tell(struct terrain_recording *r, int64_t unsure)
{
    static const struct terrain_count counts[] = {
        {"l2_found", 11},   {"l2_absent", 7},     {"l2_again", 3}, {"l2_blind", 1},
        {"l2_released", 2}, {"l2_unreleased", 0}, {"l2_spoilt", 1}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        cr_assert(terrain_add_count(r, counts[i].name, counts[i].count));
    }
    cr_assert(terrain_add_count(r, "l2_unsure", unsure));
    cr_assert_not(terrain_add_count(r, "l2_unsure", unsure));
}

static const char *verdict_of(struct terrain_recording *r)
{
    struct terrain_books books;
    terrain_books_check(r, &books);
    terrain_recording_release(r);
    return terrain_books_verdict(&books);
}

Test(terrain_books, a_server_knows_of_as_many)
{
    static const struct {
        int64_t hits, misses, gets, unsure;
        const char *verdict;
    } rows[] = {{13, 7, 20, 0, "balanced"},   {12, 7, 20, 0, "unbalanced"},
                {13, 6, 20, 0, "unbalanced"}, {13, 7, 19, 0, "unbalanced"},
                {12, 8, 20, 0, "unbalanced"}, {13, 7, 20, 1, "unverified"},
                {14, 7, 21, 1, "unverified"}, {13, 8, 21, 1, "unverified"},
                {12, 7, 20, 1, "unbalanced"}, {13, 6, 20, 1, "unbalanced"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct terrain_recording r;
        make(&r, rows[i].hits, rows[i].misses);
        r.after.gets = rows[i].gets;
        tell(&r, rows[i].unsure);
        cr_assert_str_eq(verdict_of(&r), rows[i].verdict, "row %zu", i);
    }
}

Test(terrain_books, looks_are_held_against_answers_without_a_server_too)
{
    for (int lie = 0; lie < 2; lie++) {
        struct terrain_recording r;
        make(&r, 0, 0);
        tell(&r, 0);
        r.has_server = false;
        r.counts[0].count += lie;
        cr_assert_str_eq(verdict_of(&r), lie == 0 ? "balanced" : "unbalanced");
    }
}

Test(terrain_books, a_server_that_is_another_or_not_alone_proves_nothing)
{
    for (int doubt = 0; doubt < 8; doubt++) {
        struct terrain_recording r;
        make(&r, 0, 0);
        if (doubt != 5) {
            tell(&r, 0);
        }
        switch (doubt) {
        case 0:
            r.before.is_known = false;
            break;
        case 1:
            r.after.is_known = false;
            break;
        case 2:
            strcpy(r.after.run_id, "b");
            break;
        case 3:
            r.before.clients = 2;
            break;
        case 4:
            r.after.clients = 2;
            break;
        case 5: // the terrain tells nothing
            break;
        case 6:
            r.after.strangers = 1;
            break;
        default:
            r.after.gets = r.before.gets + 21; // one more than it tells
        }
        cr_assert_not_null(terrain_server_doubt(&r));
        cr_assert_str_eq(verdict_of(&r), "unverified", "doubt %d", doubt);
    }
}

Test(terrain_books, calls_without_a_layer_are_not_good)
{
    struct terrain_recording r;
    make(&r, 13, 7);
    tell(&r, 0);
    r.end.unattributed = 1;
    r.slices[0].unattributed = 1;
    r.slices[0].asked++;
    r.end.calls++;
    r.exact[2][0].n = 1;
    cr_assert(terrain_add_cell(&r, &(struct terrain_cell){0, 2, 0, 1}));
    cr_assert_str_eq(verdict_of(&r), "unattributed");
}
