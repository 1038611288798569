// SPDX-License-Identifier: MIT
// Keys of interop/v1. A few scalars are packed in one go on the stack; whatever is not surely
// right there, be it long, nested or wrong, goes to the packer, which knows everything.
#include "key/protocol_key.h"

#include <string.h>

#include "base/copy_ends.h"
#include "base/digest.h"
#include "base/status.h"
#include "key/canon.h"
#include "key/key_hex.h"
#include "key/put.h"

enum { DIGEST_LEN = 32, FLAT_ROOM = 256, FLAT_MAX = 15 };

// Copies a text of up to 16 bytes by two pieces that may overlap. False: not short, or not ASCII.
static inline bool copy_brief(uint8_t *to, const uint8_t *text, size_t len)
{
    if (len >= 8 && len <= 16) {
        CKI_COPY_ENDS(uint64_t, to, text, len);
    }
    if (len >= 4 && len < 8) {
        CKI_COPY_ENDS(uint32_t, to, text, len);
    }
    if (len >= 2 && len < 4) {
        CKI_COPY_ENDS(uint16_t, to, text, len);
    }
    if (len == 1) {
        *to = *text;
    }
    return len == 0 || (len == 1 && *text < 0x80);
}

#undef COPY_ENDS

// Scalars and brief ASCII texts; the length, or 0: let the packer do it.
static size_t pack_flat(const cachekit_arg *args, size_t count, uint8_t room[FLAT_ROOM])
{
    if (count > FLAT_MAX || args == NULL) {
        return 0;
    }
    uint8_t *at = cki_put_byte(room, 0x90 | (unsigned)count);
    for (const cachekit_arg *arg = args, *end = args + count; arg < end; arg++) {
        if (arg->type == CACHEKIT_ARG_I64) {
            at = cki_put_i64(at, arg->as.i64);
        } else if (arg->type == CACHEKIT_ARG_STR) {
            if (arg->as.data == NULL || !copy_brief(at + 1, arg->as.data, arg->len)) {
                return 0;
            }
            *at = (uint8_t)(0xa0 | arg->len);
            at += 1 + arg->len;
        } else if (arg->type == CACHEKIT_ARG_F64) {
            at = cki_put_collapsed(at, arg->as.f64);
        } else if (arg->type < CACHEKIT_ARG_STR) {
            at = cki_put_fixed(&cki_profile_interop, at, arg);
        } else {
            return 0;
        }
        if (at == NULL) {
            return 0;
        }
    }
    return (size_t)(at - room);
}

_Static_assert(1 + FLAT_MAX * 17 <= FLAT_ROOM, "a brief text is the longest");

static cachekit_status hash(const void *data, size_t len, uint8_t digest[DIGEST_LEN],
                            cachekit_error *error)
{
    cachekit_status status = cki_blake2b(data, len, digest, DIGEST_LEN);
    return status == CACHEKIT_OK ? status : cki_fail(error, status, 0, "libsodium does not start");
}

static cachekit_status hash_packed(const cachekit_arg *args, size_t count,
                                   const cachekit_allocator *allocator, uint8_t digest[DIGEST_LEN],
                                   cachekit_error *error)
{
    struct cki_canon c;
    cki_canon_init(&c, &cki_profile_interop, allocator, error);
    cachekit_status status = cki_canon_list(&c, args, count);
    if (status == CACHEKIT_OK) {
        status = hash(c.bytes.data, c.bytes.len, digest, error);
    }
    cki_canon_release(&c);
    return status;
}

// The digits and a NUL at `at`, which is not written before the arguments are read: they may be a
// key that lies there.
static cachekit_status put_digits(const cachekit_arg *args, size_t count,
                                  const cachekit_allocator *allocator, char *at,
                                  cachekit_error *error)
{
    uint8_t flat[FLAT_ROOM], digest[DIGEST_LEN];
    size_t len = pack_flat(args, count, flat);
    cachekit_status status = len > 0 ? hash(flat, len, digest, error)
                                     : hash_packed(args, count, allocator, digest, error);
    if (status == CACHEKIT_OK) {
        *cki_put_hex(at, digest, DIGEST_LEN) = '\0';
    }
    return status;
}

cachekit_status cki_key_interop(cachekit_slice prefix, const cachekit_arg *args, size_t count,
                                const cachekit_allocator *allocator,
                                char out[CACHEKIT_KEY_INTEROP_ROOM], cachekit_error *error)
{
    cachekit_status status = put_digits(args, count, allocator, out + prefix.len, error);
    if (status == CACHEKIT_OK) {
        memcpy(out, prefix.data, prefix.len);
    } else {
        out[0] = '\0';
    }
    return status;
}

cachekit_status cachekit_key_interop(const char *name_space, const char *operation,
                                     const cachekit_arg *args, size_t count,
                                     char out[CACHEKIT_KEY_INTEROP_ROOM], cachekit_error *error)
{
    char prefix[CKI_INTEROP_PREFIX_ROOM];
    size_t len = 0;
    if (out == NULL) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "out is NULL");
    }
    cachekit_status status = cki_interop_prefix(name_space, operation, prefix, &len, error);
    if (status != CACHEKIT_OK) {
        out[0] = '\0';
        return status;
    }
    const cachekit_slice head = {(const uint8_t *)prefix, len};
    return cki_key_interop(head, args, count, NULL, out, error);
}
