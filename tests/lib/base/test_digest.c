// SPDX-License-Identifier: MIT
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

#include <sodium.h>

#include "base/digest.h"
#include "hex.h"

// 64 bytes of "abc": RFC 7693, appendix A. The others: Python's hashlib.blake2b(digest_size=...).
static const struct {
    const char *data;
    const char *digest;
} rows[] = {
    {"", "b1fe"},
    {"", "e4a6a0577479b2b4"},
    {"", "cae66941d9efbd404e4d88758ea67670"},
    {"", "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"},
    {"abc", "6b"},
    {"abc", "ae1e"},
    {"abc", "d8bb14d833d59559"},
    {"abc", "cf4ab791c62b8d2b2109c90275287816"},
    {"abc", "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"},
    {"abc", "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
            "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"},
    {"users:get_user", "f6d8"},
    {"users:get_user", "897f0c9ebf639d5d"},
    {"users:get_user", "97a90aa0cad618382b8898aa5f878071"},
    {"users:get_user", "13be5f1d7a27805aa06fc772bf0d9bae6bc180f0e41468c4db15aad60d6e221e"},
};

Test(digest, agrees_with_other_programs_at_every_length_we_use)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t expected[CKI_DIGEST_MAX], digest[CKI_DIGEST_MAX + 1];
        size_t len = hex_append(expected, 0, sizeof expected, rows[i].digest);
        memset(digest, 0xee, sizeof digest);
        cr_assert(
            eq(int, cki_blake2b(rows[i].data, strlen(rows[i].data), digest, len), CACHEKIT_OK));
        cr_assert(memcmp(digest, expected, len) == 0, "row %zu", i);
        cr_assert(eq(u8, digest[len], 0xee));
    }
}

Test(digest, covers_more_than_one_block)
{
    static const char expected_hex[] =
        "39a7eb9fedc19aabc83425c6755dd90e6f9d0c804964a1f4aaeea3b9fb599835";
    uint8_t data[256], expected[32], digest[32];
    for (unsigned i = 0; i < sizeof data; i++) {
        data[i] = (uint8_t)i;
    }
    (void)hex_append(expected, 0, sizeof expected, expected_hex);
    cr_assert(eq(int, cki_blake2b(data, sizeof data, digest, sizeof digest), CACHEKIT_OK));
    cr_assert(memcmp(digest, expected, sizeof digest) == 0);
}

Test(digest, refuses_lengths_that_the_hash_lacks)
{
    uint8_t digest[CKI_DIGEST_MAX];
    cr_assert(eq(int, cki_blake2b("", 0, digest, 0), CACHEKIT_E_INVALID));
    cr_assert(eq(int, cki_blake2b(NULL, 0, digest, CKI_DIGEST_MAX + 1), CACHEKIT_E_INVALID));
    cr_assert(eq(int, cki_blake2b(NULL, 0, digest, 2), CACHEKIT_OK));
}

// sodium_init() says 1 when it was started before. A lock that it takes only at first use may be
// held by another thread when a process forks, and nobody would let it go in the child.
Test(digest, libsodium_is_started_before_there_can_be_threads)
{
    cr_assert(eq(int, sodium_init(), 1));
}
