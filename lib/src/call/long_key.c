// SPDX-License-Identifier: MIT
// The packer of keys, working in the buffer of a call.
#include "call/long_key.h"

#include "base/hash.h"
#include "base/status.h"
#include "key/canon.h"
#include "key/key_item.h"

cachekit_status cki_arg_check(const cachekit_arg *arg, cachekit_error *error)
{
    const char *fault = cki_arg_fault(arg);
    return fault == NULL ? CACHEKIT_OK
                         : cki_fail(error, CACHEKIT_E_INVALID, 0, "an argument: %s", fault);
}

cachekit_status cki_long_key(const struct cki_args *args, uint64_t seed, cachekit_buffer *buffer,
                             struct cki_key *key, cachekit_error *error)
{
    struct cki_canon c;
    cki_canon_init(&c, &cki_profile_local, buffer->allocator, error);
    cki_scratch_take(&c.bytes, buffer);
    cachekit_status status = cki_canon_list(&c, args->args, args->count);
    cki_scratch_give(&c.bytes, buffer);
    c.bytes.is_owned = false; // the buffer's again
    cki_canon_release(&c);
    if (status == CACHEKIT_OK) {
        *key = (struct cki_key){cki_xxh3_seeded(buffer->data, buffer->len, seed), CKI_KEY_MSGPACK,
                                (uint32_t)buffer->len, buffer->data};
    }
    return status;
}
