// SPDX-License-Identifier: MIT
// Keyrings and messages for tests: one line each where nothing about them matters.
#ifndef TESTS_SEAL_KIT_H
#define TESTS_SEAL_KIT_H

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

#include <cachekit/seal.h>

#include "hex.h"

#define MASTER_61 "6161616161616161616161616161616161616161616161616161616161616161"
#define MASTER_11 "1111111111111111111111111111111111111111111111111111111111111111"
#define MASTER_22 "2222222222222222222222222222222222222222222222222222222222222222"
#define MASTER_33 "3333333333333333333333333333333333333333333333333333333333333333"
#define MASTER_44 "4444444444444444444444444444444444444444444444444444444444444444"

// An entropy hook that hands out the same bytes each time: for tests that compare ciphertexts.
struct fixed_entropy {
    cachekit_entropy hook;
    uint8_t bytes[12];
    int calls;
    cachekit_status answer;
};

static inline cachekit_status fixed_fill(void *context, void *out, size_t len)
{
    struct fixed_entropy *self = context;
    self->calls++;
    memcpy(out, self->bytes, len < sizeof self->bytes ? len : sizeof self->bytes);
    return self->answer;
}

static inline void fixed_init(struct fixed_entropy *self, const uint8_t *bytes)
{
    *self = (struct fixed_entropy){.hook = {fixed_fill, self}, .answer = CACHEKIT_OK};
    if (bytes != NULL) {
        memcpy(self->bytes, bytes, sizeof self->bytes);
    }
}

static inline cachekit_keyring *ring_of(const char *master, const char *const *retired,
                                        size_t retired_count, const char *tenant,
                                        const cachekit_entropy *entropy)
{
    cachekit_keyring_options options = CACHEKIT_KEYRING_OPTIONS_INIT;
    options.master_key = master;
    options.retired_keys = retired;
    options.retired_count = retired_count;
    options.tenant = tenant;
    options.entropy = entropy;
    cachekit_keyring *keyring = NULL;
    cachekit_error error = {0};
    cachekit_status status = cachekit_keyring_new(&options, &keyring, &error);
    cr_assert(eq(int, status, CACHEKIT_OK), "%s", error.text);
    return keyring;
}

static inline cachekit_keyring *simple_ring(void)
{
    return ring_of(MASTER_61, NULL, 0, "cross-sdk-test", NULL);
}

static inline cachekit_slice text_slice(const char *text)
{
    return (cachekit_slice){(const uint8_t *)text, strlen(text)};
}

static inline cachekit_slice whole(const cachekit_buffer *buffer)
{
    return (cachekit_slice){buffer->data, buffer->len};
}

static inline cachekit_binding binding_of(const char *cache_key)
{
    return (cachekit_binding){text_slice(cache_key), "msgpack", false, NULL};
}

static inline bool same_bytes(cachekit_slice a, cachekit_slice b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

static inline bool all_zero(const cachekit_buffer *buffer)
{
    for (size_t i = 0; i < buffer->room; i++) {
        if (buffer->data[i] != 0) {
            return false;
        }
    }
    return true;
}

#endif
