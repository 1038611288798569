// SPDX-License-Identifier: MIT
// The round trip of a cached value: tree to MessagePack to envelope, and all the way back. Four
// documents through one and the same code, from a small map to 500 earthquakes.

#include <ckbench/subject.h>

#include <cachekit/envelope.h>
#include <cachekit/json.h>

#include "paths/path_document.h"
#include "paths/hostile_input.h"

static cachekit_slice whole(const cachekit_buffer *buffer)
{
    return (cachekit_slice){buffer->data, buffer->len};
}

static cachekit_status write_envelope(document *d)
{
    cachekit_status status = cachekit_value_encode(&d->tree, &d->text, NULL);
    if (status == CACHEKIT_OK) {
        status = cachekit_envelope_encode(whole(&d->text), NULL, &d->envelope, NULL);
    }
    return status;
}

static cachekit_status read_envelope(document *d)
{
    cachekit_status status =
        cachekit_envelope_decode(whole(&d->envelope), 0, &d->payload, NULL, NULL);
    if (status == CACHEKIT_OK) {
        cachekit_arena_reset(&d->arena);
        status = cachekit_value_decode(whole(&d->payload), CACHEKIT_DECODE_BORROW, &d->arena,
                                       &d->result, NULL);
    }
    return status;
}

static void round_trip(void *state)
{
    document *d = state;
    d->calls++;
    d->good += write_envelope(d) == CACHEKIT_OK && read_envelope(d) == CACHEKIT_OK;
}

/* What the read half makes of a document that someone else put into a sound envelope. */
static cachekit_status read_foreign(void *state, cachekit_slice document_bytes)
{
    document *d = state;
    cachekit_status status = cachekit_envelope_encode(document_bytes, NULL, &d->envelope, NULL);
    return status == CACHEKIT_OK ? read_envelope(d) : status;
}

static int verify_with(document *d, bool (*is_right)(document *d))
{
    document_forget(d);
    round_trip(d);
    if (!document_calls_good(d)) {
        return VERDICT_CALL_FAILED;
    }
    if (!cachekit_value_equal(&d->result, &d->tree) || !is_right(d)) {
        return VERDICT_WRONG_OUTPUT;
    }
    return hostile_refused(read_foreign, d) ? VERDICT_OK : VERDICT_READ_HOSTILE;
}

static int verify(void *state)
{
    return verify_with(state, document_result_is_input);
}

/* The committed file is what any writer of JSON makes of the tree, but for its line ends. */
static bool is_usgs(document *d)
{
    cachekit_buffer text = CACHEKIT_BUFFER_INIT;
    bool same = cachekit_json_encode(&d->result, CACHEKIT_JSON_PLAIN, &text, NULL) == CACHEKIT_OK;
    size_t at = 0;
    for (size_t i = 0; same && i < d->input.len; i++) {
        if (d->input.bytes[i] != '\n') {
            same = at < text.len && text.data[at++] == d->input.bytes[i];
        }
    }
    same = same && at == text.len && at > 0;
    cachekit_buffer_release(&text);
    return same;
}

static int verify_usgs(void *state)
{
    return verify_with(state, is_usgs);
}

static void *setup_small(void)
{
    return document_settled(document_new("small"), round_trip);
}

static void *setup_records(void)
{
    return document_settled(document_new("records_100"), round_trip);
}

static void *setup_users(void)
{
    return document_settled(document_new("users_100"), round_trip);
}

static void *setup_usgs(void)
{
    return document_settled(document_new_json("usgs"), round_trip);
}

static const struct ckbench_extra extra = {.digest = document_digest};

CKBENCH_PATH_EX(serializer_default,
                "round trip of a small map: tree, MessagePack, envelope and back", setup_small,
                round_trip, verify, document_free, &extra)
CKBENCH_PATH_EX(serializer_default_records, "round trip of 100 records of six fields",
                setup_records, round_trip, verify, document_free, &extra)
CKBENCH_PATH_EX(serializer_default_users, "round trip of the 100-user document", setup_users,
                round_trip, verify, document_free, &extra)
CKBENCH_PATH_EX(serializer_usgs, "round trip of 500 earthquakes", setup_usgs, round_trip,
                verify_usgs, document_free, &extra)
