// SPDX-License-Identifier: MIT
// RFC 5869, appendix A: all cases with SHA-256.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "hex.h"
#include "seal/hkdf.h"

static const struct {
    const char *key, *salt, *info, *prk, *okm;
} rows[] = {
    {"0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "000102030405060708090a0b0c",
     "f0f1f2f3f4f5f6f7f8f9", "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5",
     "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"},
    {"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20212223242526272829"
     "2a2b2c2d2e2f303132333435363738393a3b3c3d3e3f404142434445464748494a4b4c4d4e4f",
     "606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f80818283848586878889"
     "8a8b8c8d8e8f909192939495969798999a9b9c9d9e9fa0a1a2a3a4a5a6a7a8a9aaabacadaeaf",
     "b0b1b2b3b4b5b6b7b8b9babbbcbdbebfc0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9"
     "dadbdcdddedfe0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
     "06a6b88c5853361a06104c9ceb35b45cef760014904671014a193f40c15fc244",
     "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb"
     "41c65e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"},
    {"0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "", "",
     "19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04",
     "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"},
};

Test(hkdf, gives_the_three_published_outputs)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t key[96], salt[96], info[96], prk[32], okm[96], out[96];
        size_t key_len = hex_append(key, 0, sizeof key, rows[i].key);
        size_t salt_len = hex_append(salt, 0, sizeof salt, rows[i].salt);
        size_t info_len = hex_append(info, 0, sizeof info, rows[i].info);
        size_t okm_len = hex_append(okm, 0, sizeof okm, rows[i].okm);
        cr_assert(eq(sz, hex_append(prk, 0, sizeof prk, rows[i].prk), sizeof prk));
        struct cki_hkdf work;
        cki_hkdf_extract(&work, (cachekit_slice){salt, salt_len}, (cachekit_slice){key, key_len});
        cr_expect(eq(int, memcmp(work.prk, prk, sizeof prk), 0), "row %zu", i);
        cr_assert(cki_hkdf_expand(&work, (cachekit_slice){info, info_len}, out, okm_len));
        cr_expect(eq(int, memcmp(out, okm, okm_len), 0), "row %zu", i);
    }
}

// A counter of one byte numbers the blocks.
Test(hkdf, ends_at_255_blocks)
{
    static uint8_t out[CKI_HKDF_OUTPUT_MAX + 1];
    struct cki_hkdf work;
    cki_hkdf_extract(&work, (cachekit_slice){NULL, 0}, (cachekit_slice){out, 1});
    out[CKI_HKDF_OUTPUT_MAX] = 0x5a;
    cr_assert(cki_hkdf_expand(&work, (cachekit_slice){NULL, 0}, out, CKI_HKDF_OUTPUT_MAX));
    cr_assert(eq(int, out[CKI_HKDF_OUTPUT_MAX], 0x5a));
    cr_assert(not(cki_hkdf_expand(&work, (cachekit_slice){NULL, 0}, out, sizeof out)));
}
