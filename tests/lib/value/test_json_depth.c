// SPDX-License-Identifier: MIT
// The limit of 1,024 levels, in all shapes that levels can have, on a thread stack of 64 KiB.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <cachekit/json.h>

#include "small_stack.h"

struct text {
    char *data;
    size_t len;
};

static void add(struct text *text, const char *piece)
{
    size_t len = strlen(piece);
    text->data = realloc(text->data, text->len + len + 1);
    memcpy(text->data + text->len, piece, len);
    text->len += len;
}

// `levels` times `open`, then `core`, then as often `end`.
static struct text nested(const char *open, const char *core, const char *end, int levels)
{
    struct text text = {NULL, 0};
    for (int i = 0; i < levels; i++) {
        add(&text, open);
    }
    add(&text, core);
    for (int i = 0; i < levels; i++) {
        add(&text, end);
    }
    return text;
}

// One row is a document of `levels` and what `core` brings.
static const struct row {
    const char *open;
    const char *core;
    const char *end;
    int levels; // the most that is accepted
} rows[] = {
    {"[", "", "]", 1024},
    {"[", "1", "]", 1024},
    {"[1,", "\"a\"", ",2]", 1024},
    {"{\"a\":", "null", "}", 1024},
    {"{\"a\":[],\"b\":", "null", "}", 1023},
    {"{\"a\":[", "", "]}", 512},
    {"{\"$map\":[[1,", "2", "]]}", 1024},
    {"{\"$map\":[[", "1,2", ",3]]}", 0}, // keys that are no values: refused as grammar
    {"[", "{\"$bytes\":\"00\"}", "]", 1024},
    {"[", "{\"$map\":[]}", "]", 1023},
    {"[", "{\"$map\":[[1,2]]}", "]", 1023},
    {"[", "{\"$map\":[[[],2]]}", "]", 1022},
    {"[", "{\"$datetime\":\"2024-01-01T00:00:00Z\"}", "]", 1023},
    {"[", "{\"__date__\":true,\"value\":\"2024-01-01\"}", "]", 1023},
    {"{\"$map\":[[1,", "{\"$bytes\":\"00\"}", "]]}", 1024},
    {"{\"$map\":[[1,", "[]", "]]}", 1023},
    // One pair more, and it is a map under the key "$map" with two arrays in it.
    {"{\"x\":0,\"$map\":[[1,", "2", "]]}", 341},
};

struct job {
    const struct row *row;
    int levels;
    unsigned flags;
    cachekit_status read;
    cachekit_status written;
    bool is_same;
};

static void *read_and_write(void *context)
{
    struct job *job = context;
    struct text text = nested(job->row->open, job->row->core, job->row->end, job->levels);
    cachekit_slice input = {(const uint8_t *)text.data, text.len};
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    cachekit_value root, again;
    job->written = CACHEKIT_E_INVALID;
    job->is_same = false;
    job->read = cachekit_json_decode(input, job->flags & CACHEKIT_JSON_PLAIN, &arena, &root, NULL);
    if (job->read == CACHEKIT_OK) {
        job->written = cachekit_json_encode(&root, job->flags, &out, NULL);
        cachekit_slice back = {out.data, out.len};
        job->is_same = cachekit_json_decode(back, job->flags & CACHEKIT_JSON_PLAIN, &arena, &again,
                                            NULL) == CACHEKIT_OK &&
                       cachekit_value_equal(&root, &again);
    }
    cachekit_buffer_release(&out);
    cachekit_arena_release(&arena);
    free(text.data);
    return NULL;
}

static struct job run(const struct row *row, int levels, unsigned flags)
{
    struct job job = {row, levels, flags, CACHEKIT_E_INVALID, CACHEKIT_E_INVALID, false};
    cr_assert(small_stack_run(read_and_write, &job));
    return job;
}

Test(json_depth, the_limit_is_exact)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].levels > 0) {
            struct job job = run(&rows[i], rows[i].levels, 0);
            cr_expect(eq(int, job.read, CACHEKIT_OK), "row %zu", i);
            cr_expect(eq(int, job.written, CACHEKIT_OK), "row %zu", i);
            cr_expect(job.is_same, "row %zu", i);
            job = run(&rows[i], rows[i].levels, CACHEKIT_JSON_SORTED);
            cr_expect(eq(int, job.written, CACHEKIT_OK), "row %zu", i);
        }
        struct job job = run(&rows[i], rows[i].levels + 1, 0);
        cr_expect(eq(int, job.read, CACHEKIT_E_DECODE), "row %zu", i);
    }
}

Test(json_depth, the_limit_is_exact_without_tags)
{
    static const struct row plain[] = {
        {"[", "", "]", 1024},
        {"{\"a\":", "1", "}", 1024},
        {"[", "{\"$bytes\":\"00\"}", "]", 1023},
        {"{\"$map\":[[1,", "2", "]]}", 341},
    };
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        struct job job = run(&plain[i], plain[i].levels, CACHEKIT_JSON_PLAIN);
        cr_expect(eq(int, job.read, CACHEKIT_OK), "row %zu", i);
        cr_expect(job.is_same, "row %zu", i);
        job = run(&plain[i], plain[i].levels + 1, CACHEKIT_JSON_PLAIN);
        cr_expect(eq(int, job.read, CACHEKIT_E_DECODE), "row %zu", i);
    }
}

Test(json_depth, the_writer_has_the_same_limit)
{
    enum { LEVELS = 1025 };
    static cachekit_value nodes[LEVELS + 1];
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    nodes[LEVELS] = cachekit_value_nil();
    for (int i = LEVELS; i > 0; i--) {
        nodes[i - 1] = cachekit_value_array(&nodes[i], 1);
    }
    cr_assert(eq(int, cachekit_json_encode(&nodes[0], 0, &out, NULL), CACHEKIT_E_VALUE));
    cr_assert(eq(int, cachekit_json_encode(&nodes[1], 0, &out, NULL), CACHEKIT_OK));
    cr_assert(eq(sz, out.len, 2 * 1024 + 4));
    cr_assert(
        eq(int, cachekit_value_date(CACHEKIT_DATE, "2024-01-01", 10, &nodes[LEVELS]), CACHEKIT_OK));
    cr_assert(eq(int, cachekit_json_encode(&nodes[1], 0, &out, NULL), CACHEKIT_E_VALUE));
    cr_assert(eq(int, cachekit_json_encode(&nodes[2], 0, &out, NULL), CACHEKIT_OK));
    cachekit_buffer_release(&out);
}

Test(json_depth, a_million_brackets_are_refused_early)
{
    enum { COUNT = 1000000 };
    static char text[COUNT];
    cachekit_arena arena;
    cachekit_value root;
    cachekit_error error;
    cachekit_arena_init(&arena, NULL, 256 * 1024);
    memset(text, '[', sizeof text);
    cachekit_slice input = {(const uint8_t *)text, sizeof text};
    cr_assert(eq(int, cachekit_json_decode(input, 0, &arena, &root, &error), CACHEKIT_E_DECODE));
    cr_assert(lt(u64, error.position, 4000));
    cr_assert(eq(int, cachekit_json_decode(input, CACHEKIT_JSON_PLAIN, &arena, &root, &error),
                 CACHEKIT_E_DECODE));
    cr_assert(eq(u64, error.position, 1024));
    cachekit_arena_release(&arena);
}
