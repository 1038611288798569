// SPDX-License-Identifier: MIT
// JSON text out of a tree and back. The document is serializer_default's, so that the two codecs
// can be set side by side; no envelope, for JSON is stored without one.

#include <string.h>

#include <ckbench/subject.h>

#include <cachekit/json.h>

#include "paths/path_document.h"
#include "paths/hostile_input.h"

/* The small map as any other JSON writer has it. */
static const char expected[] =
    "{\"id\":123456789,\"name\":\"Zo\xc3\xab \\\"Z\\\" M\xc3\xbcller\",\"active\":true,"
    "\"balance\":-1234.56,\"referrer\":null,\"tags\":[\"admin\",\"author\",\"tester\"],"
    "\"limits\":{\"low\":-300,\"high\":90000}}";

static cachekit_status read_text(void *state, cachekit_slice text)
{
    document *d = state;
    cachekit_arena_reset(&d->arena);
    return cachekit_json_decode(text, CACHEKIT_JSON_BORROW, &d->arena, &d->result, NULL);
}

static void round_trip(void *state)
{
    document *d = state;
    d->calls++;
    d->good += cachekit_json_encode(&d->tree, 0, &d->text, NULL) == CACHEKIT_OK &&
               read_text(d, (cachekit_slice){d->text.data, d->text.len}) == CACHEKIT_OK;
}

static void *setup(void)
{
    return document_settled(document_new("small"), round_trip);
}

static bool is_expected(const cachekit_buffer *text)
{
    return text->len == sizeof expected - 1 && memcmp(text->data, expected, text->len) == 0;
}

static int verify(void *state)
{
    document *d = state;
    document_forget(d);
    round_trip(d);
    if (!document_calls_good(d)) {
        return VERDICT_CALL_FAILED;
    }
    if (!is_expected(&d->text) || !document_result_is_input(d)) {
        return VERDICT_WRONG_OUTPUT;
    }
    return hostile_json_refused(read_text, d) ? VERDICT_OK : VERDICT_READ_HOSTILE;
}

static const struct ckbench_extra extra = {.digest = document_digest};

CKBENCH_PATH_EX(serializer_json, "round trip of a small map: tree, JSON text and back", setup,
                round_trip, verify, document_free, &extra)
