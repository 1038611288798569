// SPDX-License-Identifier: MIT
// The layers of stored bytes, innermost first:
//
//   codec  wire     integrity  bytes
//   VALUE  AUTO     yes        envelope of MessagePack
//   VALUE  AUTO     no         MessagePack
//   VALUE  INTEROP             one canonical MessagePack document
//   JSON   AUTO     yes        XXH3-64 of the text, most significant byte first; the text
//   JSON   AUTO     no         the text
//   BYTES  AUTO     yes        envelope of the bytes
//   BYTES  AUTO     no         the bytes
//
// and around each of them, if the function encrypts, a seal.
#include "call/codec.h"

#include <string.h>

#include <cachekit/envelope.h>
#include <cachekit/interop.h>
#include <cachekit/json.h>
#include <cachekit/key.h>
#include <cachekit/seal.h>

#include "base/hash.h"
#include "base/status.h"
#include "wire/packed.h"

enum { SUM_BYTES = 8 };

static const struct {
    const char *serializer;
    const char *format;
} codecs[] = {
    [CACHEKIT_CODEC_VALUE] = {"default", CACHEKIT_FORMAT_MSGPACK},
    [CACHEKIT_CODEC_JSON] = {"orjson", CACHEKIT_FORMAT_ORJSON},
    [CACHEKIT_CODEC_BYTES] = {"bytes", CACHEKIT_FORMAT_BYTES},
};

static bool has_envelope(const struct cki_codec *codec)
{
    return codec->wire == CACHEKIT_WIRE_AUTO && codec->has_integrity &&
           codec->codec != CACHEKIT_CODEC_JSON;
}

static bool has_sum(const struct cki_codec *codec)
{
    return codec->wire == CACHEKIT_WIRE_AUTO && codec->has_integrity &&
           codec->codec == CACHEKIT_CODEC_JSON;
}

static cachekit_slice slice_of(const cachekit_buffer *buffer)
{
    return (cachekit_slice){buffer->data, buffer->len};
}

cachekit_status cki_codec_code(cachekit_codec codec, char *out)
{
    return cachekit_serializer_code(codecs[codec].serializer, out);
}

static void put_sum(uint8_t *out, const void *text, size_t len)
{
    uint64_t sum = cki_xxh3(text, len);
    for (int i = 0; i < SUM_BYTES; i++) {
        out[i] = (uint8_t)(sum >> (56 - 8 * i));
    }
}

static cachekit_status encode_json(const struct cki_codec *codec, const cachekit_value *value,
                                   struct cki_reply *reply, cachekit_error *error)
{
    cachekit_buffer *out = &reply->plain;
    cachekit_status status =
        cachekit_json_encode(value, CACHEKIT_JSON_PLAIN | CACHEKIT_JSON_SORTED, out, error);
    if (status != CACHEKIT_OK || !has_sum(codec)) {
        return status;
    }
    status = cachekit_buffer_reserve(out, SUM_BYTES);
    if (status == CACHEKIT_OK) {
        memmove(out->data + SUM_BYTES, out->data, out->len);
        put_sum(out->data, out->data + SUM_BYTES, out->len);
        out->len += SUM_BYTES;
    }
    return status;
}

// The object in `reply->plain`, or bytes where they lie.
static cachekit_status encode_object(const struct cki_codec *codec, const cachekit_result *result,
                                     struct cki_reply *reply, cachekit_slice *out,
                                     cachekit_error *error)
{
    static const cachekit_value nil = {.type = CACHEKIT_NIL};
    const cachekit_value *value = result->object != NULL ? result->object : &nil;
    cachekit_status status;
    if (codec->codec == CACHEKIT_CODEC_BYTES) {
        *out = (cachekit_slice){result->object, result->size_bytes};
        return result->object != NULL
                   ? CACHEKIT_OK
                   : cki_fail(error, CACHEKIT_E_VALUE, 0, "the codec `bytes` has no NULL");
    }
    if (codec->codec == CACHEKIT_CODEC_JSON) {
        status = encode_json(codec, value, reply, error);
    } else if (codec->wire == CACHEKIT_WIRE_INTEROP) {
        status = cachekit_interop_encode(value, &reply->plain, error);
    } else {
        status = cachekit_value_encode(value, &reply->plain, error);
    }
    *out = slice_of(&reply->plain);
    return status;
}

static cachekit_binding binding_of(const struct cki_codec *codec, cachekit_slice key)
{
    return (cachekit_binding){key, codecs[codec->codec].format, has_envelope(codec), NULL};
}

static cachekit_status seal(const struct cki_codec *codec, cachekit_slice key, cachekit_slice plain,
                            cachekit_buffer *out, cachekit_error *error)
{
    const cachekit_binding binding = binding_of(codec, key);
    return cachekit_seal(codec->keyring, &binding, plain, out, error);
}

static cachekit_status unseal(const struct cki_codec *codec, cachekit_slice key,
                              cachekit_slice stored, cachekit_buffer *out, cachekit_error *error)
{
    const cachekit_binding binding = binding_of(codec, key);
    return cachekit_open(codec->keyring, &binding, stored, out, NULL, error);
}

cachekit_status cki_codec_encode(const struct cki_codec *codec, cachekit_slice key,
                                 const cachekit_result *result, struct cki_reply *reply,
                                 cachekit_error *error)
{
    cachekit_slice bytes;
    bool is_sealed = codec->keyring != NULL;
    cachekit_status status = encode_object(codec, result, reply, &bytes, error);
    if (status == CACHEKIT_OK && has_envelope(codec)) {
        cachekit_buffer *out = is_sealed ? &reply->opened : &reply->stored;
        status = cachekit_envelope_encode(bytes, codecs[codec->codec].format, out, error);
        bytes = slice_of(out);
    }
    if (status == CACHEKIT_OK && is_sealed) {
        return seal(codec, key, bytes, &reply->stored, error);
    }
    if (status == CACHEKIT_OK && bytes.data != reply->stored.data) {
        reply->stored.len = 0;
        status = cachekit_buffer_append(&reply->stored, bytes.data, bytes.len);
    }
    return status;
}

static cachekit_status check_sum(cachekit_slice *bytes, cachekit_error *error)
{
    uint8_t sum[SUM_BYTES];
    if (bytes->len < SUM_BYTES) {
        return cki_fail(error, CACHEKIT_E_DECODE, 0, "shorter than its checksum");
    }
    put_sum(sum, bytes->data + SUM_BYTES, bytes->len - SUM_BYTES);
    if (memcmp(sum, bytes->data, SUM_BYTES) != 0) {
        return cki_fail(error, CACHEKIT_E_CHECKSUM, 0, "the checksum does not match");
    }
    *bytes = (cachekit_slice){bytes->data + SUM_BYTES, bytes->len - SUM_BYTES};
    return CACHEKIT_OK;
}

static cachekit_status open_envelope(const struct cki_codec *codec, cachekit_slice *bytes,
                                     struct cki_reply *reply, cachekit_error *error)
{
    const char *format;
    cachekit_status status = cachekit_envelope_decode(*bytes, 0, &reply->plain, &format, error);
    if (status == CACHEKIT_OK && strcmp(format, codecs[codec->codec].format) != 0) {
        return cki_fail(error, CACHEKIT_E_DECODE, 0, "an envelope of another format");
    }
    *bytes = slice_of(&reply->plain);
    return status;
}

// What may stay in memory of bytes that were found sound: the shorter of two forms, both of which
// save the next reader the checksum.
static void choose_held(const struct cki_codec *codec, cachekit_slice stored, cachekit_slice bytes,
                        struct cki_reply *reply, struct cki_held *held)
{
    if (bytes.data == stored.data || codec->keyring != NULL) {
        return;
    }
    if (bytes.len <= stored.len) {
        *held = (struct cki_held){bytes, CKI_BLOCK_HELD};
    } else if (cki_packed_from(stored, &reply->opened) == CACHEKIT_OK) {
        *held = (struct cki_held){slice_of(&reply->opened), CKI_BLOCK_PACKED};
    }
}

static cachekit_status unwrap(const struct cki_codec *codec, enum cki_block_kind kind,
                              cachekit_slice *bytes, struct cki_reply *reply, cachekit_error *error)
{
    if (kind == CKI_BLOCK_PACKED) {
        cachekit_status status = cki_packed_open(*bytes, &reply->plain, error);
        *bytes = slice_of(&reply->plain);
        return status;
    }
    if (kind == CKI_BLOCK_STORED && has_envelope(codec)) {
        return open_envelope(codec, bytes, reply, error);
    }
    return kind == CKI_BLOCK_STORED && has_sum(codec) ? check_sum(bytes, error) : CACHEKIT_OK;
}

static cachekit_status decode_object(const struct cki_codec *codec, cachekit_slice bytes,
                                     struct cki_reply *reply, cachekit_error *error)
{
    cachekit_status status;
    if (codec->codec == CACHEKIT_CODEC_BYTES) {
        static const uint8_t none[1];
        reply->object = bytes.data != NULL ? bytes.data : none;
        reply->size_bytes = bytes.len;
        return CACHEKIT_OK;
    }
    if (codec->codec == CACHEKIT_CODEC_JSON) {
        status =
            cachekit_json_decode(bytes, CACHEKIT_JSON_PLAIN, &reply->arena, &reply->root, error);
    } else if (codec->wire == CACHEKIT_WIRE_INTEROP) {
        status = cachekit_interop_decode(bytes, CACHEKIT_DECODE_BORROW, &reply->arena, &reply->root,
                                         error);
    } else {
        status = cachekit_value_decode(bytes, CACHEKIT_DECODE_BORROW, &reply->arena, &reply->root,
                                       error);
    }
    reply->object = &reply->root;
    reply->size_bytes = bytes.len;
    return status;
}

// NOLINTNEXTLINE(readability-function-size): a struct for one call would be more to read.
cachekit_status cki_codec_decode(const struct cki_codec *codec, cachekit_slice key,
                                 cachekit_slice stored, enum cki_block_kind kind,
                                 struct cki_reply *reply, struct cki_held *held,
                                 cachekit_error *error)
{
    cachekit_slice bytes = stored;
    cachekit_status status = CACHEKIT_OK;
    held->bytes.data = NULL;
    if (codec->keyring != NULL) {
        status = unseal(codec, key, stored, &reply->opened, error);
        bytes = slice_of(&reply->opened);
    }
    if (status == CACHEKIT_OK) {
        status = unwrap(codec, kind, &bytes, reply, error);
    }
    if (status == CACHEKIT_OK) {
        status = decode_object(codec, bytes, reply, error);
    }
    if (status == CACHEKIT_OK && kind == CKI_BLOCK_STORED) {
        choose_held(codec, stored, bytes, reply, held);
    }
    return status;
}
