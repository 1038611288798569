// SPDX-License-Identifier: MIT
// A library built without encryption refuses; it never hands plaintext through.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

#include <cachekit/seal.h>

Test(seal_absent, no_keyring_and_no_plaintext_passes)
{
    cachekit_keyring_options options = CACHEKIT_KEYRING_OPTIONS_INIT;
    cachekit_keyring *keyring = (cachekit_keyring *)&options;
    cachekit_error error;
    uint8_t bytes[64] = "plain";
    cachekit_buffer out = {bytes, 5, sizeof bytes, NULL};
    cachekit_slice input = {(const uint8_t *)"text", 4};
    cr_assert(eq(int, cachekit_keyring_new(&options, &keyring, &error), CACHEKIT_E_CONFIG));
    cr_assert(eq(ptr, keyring, NULL));
    cr_assert(ne(ptr, strstr(error.text, "no encryption"), NULL));
    cr_assert(eq(int, cachekit_seal(NULL, NULL, input, &out, NULL), CACHEKIT_E_CONFIG));
    cr_assert(eq(sz, out.len, 0));
    out.len = 5;
    cr_assert(eq(int, cachekit_open(NULL, NULL, input, &out, NULL, NULL), CACHEKIT_E_CONFIG));
    cr_assert(eq(sz, out.len, 0));
}
