// SPDX-License-Identifier: MIT
#include "call/long_key.h"

#include "base/hash.h"
#include "base/status.h"
#include "value/writer.h"

static cachekit_status pack(cachekit_buffer *buffer, const cachekit_arg *arg)
{
    switch ((cachekit_arg_type)arg->type) {
    case CACHEKIT_ARG_NULL:
        return cki_pack_nil(buffer);
    case CACHEKIT_ARG_BOOL:
        return cki_pack_bool(buffer, arg->as.bits != 0);
    case CACHEKIT_ARG_I64:
        return cki_pack_i64(buffer, arg->as.i64);
    case CACHEKIT_ARG_U64:
        return cki_pack_u64(buffer, arg->as.u64);
    case CACHEKIT_ARG_F64:
        return cki_pack_f64(buffer, arg->as.f64);
    case CACHEKIT_ARG_STR:
        return cki_pack_str(buffer, arg->as.data, arg->len);
    default:
        return cki_pack_bin(buffer, arg->as.data, arg->len);
    }
}

cachekit_status cki_long_key(const struct cki_args *args, uint64_t seed, cachekit_buffer *buffer,
                             struct cki_key *key, cachekit_error *error)
{
    if (args->count > UINT32_MAX) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "too many arguments");
    }
    cachekit_status status = cki_pack_array(buffer, (uint32_t)args->count);
    for (size_t i = 0; status == CACHEKIT_OK && i < args->count; i++) {
        status = pack(buffer, &args->args[i]);
    }
    if (status != CACHEKIT_OK) {
        return cki_fail(error, status, 0, "no memory for a key");
    }
    if (buffer->len > UINT32_MAX / 2) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "arguments are too long for a key");
    }
    *key = (struct cki_key){cki_xxh3_seeded(buffer->data, buffer->len, seed), CKI_KEY_MSGPACK,
                            (uint32_t)buffer->len, buffer->data};
    return CACHEKIT_OK;
}
