// SPDX-License-Identifier: MIT
// Reading MessagePack, nothing else: all bounds on, the arena used again. Borrowed texts point
// into the input; copied ones are what a caller pays who must let go of it.

#include <ckbench/subject.h>

#include "paths/path_document.h"
#include "paths/hostile_input.h"

static cachekit_status borrow(void *state, cachekit_slice input)
{
    document *d = state;
    cachekit_arena_reset(&d->arena);
    return cachekit_value_decode(input, CACHEKIT_DECODE_BORROW, &d->arena, &d->result, NULL);
}

static cachekit_status copy(void *state, cachekit_slice input)
{
    document *d = state;
    cachekit_arena_reset(&d->arena);
    return cachekit_value_decode(input, CACHEKIT_DECODE_COPY, &d->arena, &d->result, NULL);
}

static void decode_borrowed(void *state)
{
    document *d = state;
    d->calls++;
    d->good += borrow(d, (cachekit_slice){d->input.bytes, d->input.len}) == CACHEKIT_OK;
}

static void decode_copied(void *state)
{
    document *d = state;
    d->calls++;
    d->good += copy(d, (cachekit_slice){d->input.bytes, d->input.len}) == CACHEKIT_OK;
}

static void *setup_borrowed(void)
{
    return document_settled(document_new("users_100"), decode_borrowed);
}

static void *setup_copied(void)
{
    return document_settled(document_new("users_100"), decode_copied);
}

static void *setup_4(void)
{
    return document_settled(document_new("users_4"), decode_borrowed);
}

/* Where the text of the first pair lies tells the two modes apart. */
static bool borrows(const document *d)
{
    const uint8_t *text = (const uint8_t *)cachekit_value_get(&d->result, "status")->as.text;
    return text >= d->input.bytes && text < d->input.bytes + d->input.len;
}

static int verify_with(document *d, void (*op)(void *state), hostile_entry entry, bool borrowed)
{
    document_forget(d);
    op(d);
    if (!document_calls_good(d)) {
        return VERDICT_CALL_FAILED;
    }
    if (!document_result_is_input(d) || borrows(d) != borrowed) {
        return VERDICT_WRONG_OUTPUT;
    }
    return hostile_refused(entry, d) ? VERDICT_OK : VERDICT_READ_HOSTILE;
}

static int verify_borrowed(void *state)
{
    return verify_with(state, decode_borrowed, borrow, true);
}

static int verify_copied(void *state)
{
    return verify_with(state, decode_copied, copy, false);
}

static const struct ckbench_extra extra = {.digest = document_digest};

CKBENCH_PATH_EX(decode_users, "read 100 users (23,547 bytes) into an arena, texts borrowed",
                setup_borrowed, decode_borrowed, verify_borrowed, document_free, &extra)
CKBENCH_PATH_EX(decode_users_copied, "read 100 users (23,547 bytes) into an arena, texts copied",
                setup_copied, decode_copied, verify_copied, document_free, &extra)
CKBENCH_PATH_EX(decode_users_4, "read 4 users (1,090 bytes) into an arena, texts borrowed", setup_4,
                decode_borrowed, verify_borrowed, document_free, &extra)
