// SPDX-License-Identifier: MIT
// The server as a witness: fewer hits than answers of l2, or fewer misses than runs of the loader,
// and somebody lies; a server that was not alone or not the same proves nothing.
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
}

static const char *verdict_of(struct terrain_recording *r)
{
    struct terrain_books books;
    terrain_books_check(r, &books);
    terrain_recording_release(r);
    return terrain_books_verdict(&books);
}

Test(terrain_books, a_server_knows_of_as_many_at_least)
{
    static const struct {
        int64_t hits, misses;
        const char *verdict;
    } rows[] = {{10, 5, "balanced"},
                {12, 7, "balanced"}, // released locks, second looks
                {9, 5, "unbalanced"},
                {12, 3, "balanced"}, // an answer that came too late
                {10, 4, "unbalanced"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct terrain_recording r;
        make(&r, rows[i].hits, rows[i].misses);
        cr_assert_str_eq(verdict_of(&r), rows[i].verdict, "row %zu", i);
    }
}

Test(terrain_books, a_server_that_is_another_or_not_alone_proves_nothing)
{
    for (int doubt = 0; doubt < 5; doubt++) {
        struct terrain_recording r;
        make(&r, 0, 0);
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
        default:
            r.after.clients = 2;
        }
        cr_assert_str_eq(verdict_of(&r), "unverified", "doubt %d", doubt);
    }
}

Test(terrain_books, calls_without_a_layer_are_not_good)
{
    struct terrain_recording r;
    make(&r, 10, 5);
    r.end.unattributed = 1;
    r.slices[0].unattributed = 1;
    r.slices[0].asked++;
    r.end.calls++;
    r.exact[2][0].n = 1;
    cr_assert(terrain_add_cell(&r, &(struct terrain_cell){0, 2, 0, 1}));
    cr_assert_str_eq(verdict_of(&r), "unattributed");
}
