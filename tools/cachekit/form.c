// SPDX-License-Identifier: MIT
// A format is a row of two functions between a tree and bytes; sealing goes around it. What sealed
// bytes are bound to follows from the format, as in the protocol: envelopes say compressed.
#include "form.h"

#include <string.h>

#include <cachekit/arena.h>
#include <cachekit/interop.h>
#include <cachekit/json.h>
#include <cachekit/value.h>

#include "complain.h"
#include "keys_env.h"

const char *const form_words_raw[] = {"interop", "envelope", "msgpack", "raw", NULL};
const char *const form_words[] = {"interop", "envelope", "msgpack", NULL};

// A tree may be some ten times its text. Beyond this the system would end the program instead.
static const uint64_t tree_budget_bytes = (uint64_t)4 << 30;

size_t form_tree_budget(void)
{
    return tree_budget_bytes < SIZE_MAX ? (size_t)tree_budget_bytes : SIZE_MAX;
}

static cachekit_slice all_of(const cachekit_buffer *buffer)
{
    return (cachekit_slice){buffer->data, buffer->len};
}

static cachekit_status encode_envelope(const cachekit_value *value, cachekit_buffer *out,
                                       cachekit_error *error)
{
    cachekit_buffer payload = CACHEKIT_BUFFER_INIT;
    cachekit_status status = cachekit_value_encode(value, &payload, error);
    if (status >= 0) {
        status = cachekit_envelope_encode(all_of(&payload), CACHEKIT_FORMAT_MSGPACK, out, error);
    }
    cachekit_buffer_release(&payload);
    return status;
}

static cachekit_status decode_interop(cachekit_slice bytes, cachekit_arena *arena,
                                      cachekit_value *value, cachekit_error *error)
{
    return cachekit_interop_decode(bytes, CACHEKIT_DECODE_KEEP_SENTINELS, arena, value, error);
}

static cachekit_status decode_msgpack(cachekit_slice bytes, cachekit_arena *arena,
                                      cachekit_value *value, cachekit_error *error)
{
    return cachekit_value_decode(bytes, CACHEKIT_DECODE_KEEP_SENTINELS, arena, value, error);
}

// What an envelope's own format text says of its payload.
static cachekit_status decode_payload(cachekit_slice payload, const char *format,
                                      cachekit_arena *arena, cachekit_value *value,
                                      cachekit_error *error)
{
    if (strcmp(format, CACHEKIT_FORMAT_MSGPACK) == 0) {
        return decode_msgpack(payload, arena, value, error);
    }
    if (strcmp(format, CACHEKIT_FORMAT_ORJSON) == 0) {
        return cachekit_json_decode(payload, CACHEKIT_JSON_PLAIN, arena, value, error);
    }
    if (strcmp(format, CACHEKIT_FORMAT_BYTES) == 0) {
        *value = cachekit_value_bin(payload.data, payload.len);
        return CACHEKIT_OK;
    }
    return complaint_set(error, CACHEKIT_E_VALUE,
                         "the envelope holds %s, which has no JSON (see cachekit inspect)", format);
}

// The tree points into the payload: a copy in the arena lives as long.
static cachekit_status decode_envelope(cachekit_slice bytes, cachekit_arena *arena,
                                       cachekit_value *value, cachekit_error *error)
{
    const char *format = NULL;
    cachekit_buffer payload = CACHEKIT_BUFFER_INIT;
    cachekit_status status = cachekit_envelope_decode(bytes, 0, &payload, &format, error);
    if (status >= 0) {
        const char *copy = cachekit_arena_copy(arena, payload.data, payload.len);
        status = copy != NULL ? decode_payload((cachekit_slice){(const uint8_t *)copy, payload.len},
                                               format, arena, value, error)
                              : complaint_set(error, CACHEKIT_E_NOMEM, "no memory for the payload");
    }
    cachekit_buffer_release(&payload);
    return status;
}

static const struct format {
    cachekit_status (*encode)(const cachekit_value *, cachekit_buffer *, cachekit_error *);
    cachekit_status (*decode)(cachekit_slice, cachekit_arena *, cachekit_value *, cachekit_error *);
    bool compressed; // as sealed bytes say it
} formats[] = {
    [FORM_INTEROP] = {cachekit_interop_encode, decode_interop, false},
    [FORM_ENVELOPE] = {encode_envelope, decode_envelope, true},
    [FORM_MSGPACK] = {cachekit_value_encode, decode_msgpack, false},
};

const char *form_check(const struct form *form)
{
    if (form->encrypt && form->format == FORM_RAW) {
        return "--encrypt wants to know what the bytes are: raw is no answer";
    }
    if (form->encrypt && form->cache_key == NULL) {
        return "--encrypt needs --cache-key, the key that the bytes are bound to";
    }
    if (!form->encrypt && (form->tenant != NULL || form->allow_unlocked)) {
        return "--tenant and --allow-unlocked mean nothing without --encrypt";
    }
    return NULL;
}

static cachekit_binding binding_of(const struct form *form)
{
    return (cachekit_binding){
        .cache_key = {(const uint8_t *)form->cache_key, strlen(form->cache_key)},
        .format = CACHEKIT_FORMAT_MSGPACK,
        .compressed = formats[form->format].compressed};
}

static cachekit_status seal(const struct form *form, cachekit_slice plain, cachekit_buffer *out,
                            cachekit_error *error)
{
    cachekit_keyring *keyring = NULL;
    cachekit_binding binding = binding_of(form);
    cachekit_status status = keys_env_open(form->tenant, form->allow_unlocked, &keyring, error);
    if (status >= 0) {
        status = cachekit_seal(keyring, &binding, plain, out, error);
    }
    cachekit_keyring_free(keyring);
    return status;
}

static cachekit_status unseal(const struct form *form, cachekit_slice sealed, cachekit_buffer *out,
                              cachekit_error *error)
{
    cachekit_keyring *keyring = NULL;
    cachekit_binding binding = binding_of(form);
    cachekit_status status = keys_env_open(form->tenant, form->allow_unlocked, &keyring, error);
    if (status >= 0) {
        status = cachekit_open(keyring, &binding, sealed, out, NULL, error);
    }
    cachekit_keyring_free(keyring);
    return status;
}

cachekit_status form_encode(const struct form *form, cachekit_slice json, cachekit_buffer *out,
                            cachekit_error *error)
{
    cachekit_arena arena;
    cachekit_value value;
    cachekit_buffer plain = CACHEKIT_BUFFER_INIT;
    if (form->format == FORM_RAW) {
        return cachekit_buffer_append(out, json.data, json.len);
    }
    cachekit_arena_init(&arena, NULL, form_tree_budget());
    cachekit_status status =
        cachekit_json_decode(json, CACHEKIT_JSON_BORROW, &arena, &value, error);
    if (status >= 0) {
        status = formats[form->format].encode(&value, form->encrypt ? &plain : out, error);
    }
    if (status >= 0 && form->encrypt) {
        status = seal(form, all_of(&plain), out, error);
    }
    cachekit_buffer_release(&plain);
    cachekit_arena_release(&arena);
    return status;
}

static cachekit_status decode_plain(const struct form *form, cachekit_slice bytes,
                                    cachekit_buffer *out, cachekit_error *error)
{
    cachekit_arena arena;
    cachekit_value value;
    cachekit_arena_init(&arena, NULL, form_tree_budget());
    cachekit_status status = formats[form->format].decode(bytes, &arena, &value, error);
    if (status >= 0) {
        status = cachekit_json_encode(&value, 0, out, error);
    }
    if (status >= 0 && cachekit_buffer_append(out, "\n", 1) < 0) {
        status = complaint_set(error, CACHEKIT_E_NOMEM, "no memory for the result");
    }
    cachekit_arena_release(&arena);
    return status;
}

cachekit_status form_decode(const struct form *form, cachekit_slice bytes, cachekit_buffer *out,
                            cachekit_error *error)
{
    cachekit_buffer plain = CACHEKIT_BUFFER_INIT;
    cachekit_status status = CACHEKIT_OK;
    if (form->format == FORM_RAW) {
        return cachekit_buffer_append(out, bytes.data, bytes.len);
    }
    if (form->encrypt) {
        status = unseal(form, bytes, &plain, error);
        bytes = all_of(&plain);
    }
    if (status >= 0) {
        status = decode_plain(form, bytes, out, error);
    }
    cachekit_buffer_release(&plain);
    return status;
}
