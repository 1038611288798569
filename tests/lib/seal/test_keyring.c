// SPDX-License-Identifier: MIT
// What a keyring is made of and what is refused at construction.
#include "seal_kit.h"

#include <ctype.h>

#define ZEROS_62 "00000000000000000000000000000000000000000000000000000000000000"

static const char GOOD[] = "007f80ffa55ac33c1ee12dd24bb469968778f00f01102332455467768998abba";

// Holds 6 or more digits of `key` in one piece.
static bool tells_of(const char *text, const char *key)
{
    char piece[7] = "";
    for (size_t i = 0; i + 6 <= strlen(key); i++) {
        memcpy(piece, key + i, 6);
        if (strstr(text, piece) != NULL) {
            return true;
        }
    }
    return false;
}

static cachekit_status try_ring(const cachekit_keyring_options *options, cachekit_error *error)
{
    cachekit_keyring *keyring = (cachekit_keyring *)options; // must be overwritten
    memset(error, 0, sizeof *error);
    cachekit_status status = cachekit_keyring_new(options, &keyring, error);
    if (status == CACHEKIT_OK) {
        cr_assert(ne(ptr, keyring, NULL));
        cachekit_keyring_free(keyring);
    } else {
        cr_assert(eq(ptr, keyring, NULL), "a failure hands out nothing");
        cr_assert(eq(int, error->status, status));
        cr_assert(gt(sz, strlen(error->text), 10));
        cr_assert(eq(ptr, strchr(error->text, '\n'), NULL));
    }
    return status;
}

static const char *const refused_keys[] = {
    "",
    "0",
    "6161616161616161616161616161616161616161616161616161616161616161"
    "6", // 65
    "6161616161616161616161616161616161616161616161616161616161616161"
    "61",                                                              // 33 bytes
    "616161616161616161616161616161616161616161616161616161616161616", // 63
    "616161616161616161616161616161616161616161616161616161616161616g",
    "6161616161616161616161616161616161616161616161616161616161616161gg",
    "61616161616161616161616161616161616161616161616161616161616161gg",
    "g161616161616161616161616161616161616161616161616161616161616161",
    "+061616161616161616161616161616161616161616161616161616161616161",
    "-061616161616161616161616161616161616161616161616161616161616161",
    "61616161616161616161616161616161616161616161616161616161616161",     // 31 bytes
    "616161616161616161616161616161616161616161616161",                   // 24
    "61616161616161616161616161616161",                                   // 16
    "61616161616161616161616161616161616161616161616161616161616161\r\n", // 31 and CR LF
    "6161616161616161616161616161616161616161616161616161616161616161\n",
    "61 61616161616161616161616161616161616161616161616161616161616 1",
    " 616161616161616161616161616161616161616161616161616161616161616",
    "616161616161616161616161616161616161616161616161616161616161616 ",
    "61:61:61:61:61:61:61:61:61:61:61:61:61:61:61:61:61:61:61:61:61:61",
    "0x61616161616161616161616161616161616161616161616161616161616161", // 0x and 31 bytes
    "0x6161616161616161616161616161616161616161616161616161616161616161",
    "\xef\xbc\x90"
    "1616161616161616161616161616161616161616161616161616161616161", // wide digit
    ZEROS_62 "00",
};

enum { REFUSED_KEYS = sizeof refused_keys / sizeof refused_keys[0] };

Test(keyring, refuses_whatever_is_not_64_hex_digits_in_every_place)
{
    for (size_t place = 0; place < 4; place++) {
        for (size_t i = 0; i < REFUSED_KEYS; i++) {
            const char *keys[] = {MASTER_11, MASTER_22, MASTER_33, MASTER_44};
            keys[place] = refused_keys[i];
            cachekit_keyring_options options = CACHEKIT_KEYRING_OPTIONS_INIT;
            options.master_key = keys[0];
            options.retired_keys = keys + 1;
            options.retired_count = 3;
            cachekit_error error;
            cr_assert(eq(int, try_ring(&options, &error), CACHEKIT_E_CONFIG), "row %zu", i);
            cr_assert(not(tells_of(error.text, refused_keys[i])), "%s", error.text);
            cr_assert(strstr(error.text, place == 0 ? "master key" : "retired key") != NULL);
            char number[2] = {(char)('0' + (int)place), '\0'};
            cr_assert(place == 0 || strstr(error.text, number) != NULL, "%s", error.text);
        }
    }
}

Test(keyring, takes_digits_of_either_case_and_one_single_bit)
{
    char upper[sizeof GOOD];
    for (size_t i = 0; i < sizeof GOOD; i++) {
        upper[i] = (char)toupper(GOOD[i]);
    }
    const char *const keys[] = {GOOD, upper, ZEROS_62 "01"};
    for (size_t i = 0; i < 3; i++) {
        cachekit_keyring *keyring = ring_of(keys[i], NULL, 0, NULL, NULL);
        char fingerprint[CACHEKIT_FINGERPRINT_ROOM];
        cr_assert(eq(int, cachekit_keyring_fingerprint(keyring, 0, fingerprint), CACHEKIT_OK));
        cr_assert(i == 2 || strcmp(fingerprint, "f3b07cd5f8ffa96a55243a22fc252200") == 0);
        cachekit_keyring_free(keyring);
    }
}

Test(keyring, fingerprints_are_the_protocols)
{
    static const struct {
        const char *master, *tenant, *fingerprint;
    } rows[] = {
        {MASTER_61, "cross-sdk-test", "96179a9bc881aa7ca83f04b78a66afd3"},
        {MASTER_61, "default", "52d54c97f8e5efaa5bdf58a301f92726"},
        {MASTER_61, NULL, "52d54c97f8e5efaa5bdf58a301f92726"},
        {MASTER_11, "keyring-conformance", "b6bfaa4119e9d72c87a393b17f1e117b"},
        {MASTER_22, "keyring-conformance", "e066ffdacfb5fb11a6ecc44c7a0ecb4e"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cachekit_keyring *keyring = ring_of(rows[i].master, NULL, 0, rows[i].tenant, NULL);
        char fingerprint[CACHEKIT_FINGERPRINT_ROOM];
        cr_assert(eq(int, cachekit_keyring_fingerprint(keyring, 0, fingerprint), CACHEKIT_OK));
        cr_expect(eq(str, fingerprint, (char *)rows[i].fingerprint));
        cr_assert(
            eq(int, cachekit_keyring_fingerprint(keyring, 1, fingerprint), CACHEKIT_E_INVALID));
        cr_assert(eq(int, fingerprint[0], 0));
        cachekit_keyring_free(keyring);
    }
}

static cachekit_status with_retired(const char *master, const char *const *retired, size_t count,
                                    size_t *keys)
{
    cachekit_keyring_options options = CACHEKIT_KEYRING_OPTIONS_INIT;
    options.master_key = master;
    options.retired_keys = retired;
    options.retired_count = count;
    cachekit_keyring *keyring = NULL;
    cachekit_status status = cachekit_keyring_new(&options, &keyring, NULL);
    *keys = status == CACHEKIT_OK ? cachekit_keyring_count(keyring) : 0;
    cachekit_keyring_free(keyring);
    return status;
}

Test(keyring, holds_up_to_three_retired_keys_each_once)
{
    static const char upper_aa[] =
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    static const char lower_aa[] =
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const char *const four[] = {MASTER_11, MASTER_22, MASTER_33, MASTER_44};
    const char *const current[] = {MASTER_11, MASTER_61};
    const char *const twice[] = {MASTER_22, MASTER_22};
    const char *const same[] = {upper_aa};
    const char *const hole[] = {MASTER_11, NULL};
    size_t keys;
    for (size_t count = 0; count <= 3; count++) {
        cr_assert(eq(int, with_retired(MASTER_61, four, count, &keys), CACHEKIT_OK));
        cr_assert(eq(sz, keys, count + 1));
    }
    cr_expect(eq(int, with_retired(MASTER_61, four, 4, &keys), CACHEKIT_E_CONFIG));
    cr_expect(eq(int, with_retired(MASTER_61, four, SIZE_MAX, &keys), CACHEKIT_E_CONFIG));
    cr_expect(eq(int, with_retired(MASTER_61, current, 2, &keys), CACHEKIT_E_CONFIG));
    cr_expect(eq(int, with_retired(MASTER_61, twice, 2, &keys), CACHEKIT_E_CONFIG));
    cr_expect(eq(int, with_retired(lower_aa, same, 1, &keys), CACHEKIT_E_CONFIG), "decoded bytes");
    cr_expect(eq(int, with_retired(MASTER_61, hole, 2, &keys), CACHEKIT_E_INVALID));
    cr_expect(eq(int, with_retired(MASTER_61, NULL, 1, &keys), CACHEKIT_E_INVALID));
    cr_expect(eq(int, with_retired(NULL, NULL, 0, &keys), CACHEKIT_E_INVALID));
}

Test(keyring, tenants_are_1_to_1024_bytes_of_utf8)
{
    static char longest[1026];
    memset(longest, 't', 1025);
    static const struct {
        const char *tenant;
        bool is_good;
    } rows[] = {
        {"t", true},
        {"", false},
        {"\xc3\xa9", true},
        {"\xe2\x82\xac", true},
        {"\xf0\x9f\x98\x80", true},
        {"\xf4\x8f\xbf\xbf", true},
        {"\xed\x9f\xbf", true},
        {"\xc3", false},
        {"a\xff", false},
        {"\x80", false},
        {"\xc1\xbf", false},         // overlong
        {"\xe0\x9f\xbf", false},     // overlong
        {"\xf0\x8f\xbf\xbf", false}, // overlong
        {"\xed\xa0\x80", false},     // surrogate
        {"\xf4\x90\x80\x80", false}, // over U+10FFFF
        {"\xf5\x80\x80\x80", false},
        {"\xe2\x82", false},
        {"\xe2\x82z", false},
        {"\xf0\x9f\x98", false},
        {longest, false},
        {longest + 1, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cachekit_keyring_options options = CACHEKIT_KEYRING_OPTIONS_INIT;
        options.master_key = MASTER_61;
        options.tenant = rows[i].tenant;
        cachekit_error error;
        cr_expect(
            eq(int, try_ring(&options, &error), rows[i].is_good ? CACHEKIT_OK : CACHEKIT_E_INVALID),
            "row %zu", i);
    }
}

Test(keyring, options_of_another_size_are_refused)
{
    cachekit_keyring_options options = CACHEKIT_KEYRING_OPTIONS_INIT;
    options.master_key = MASTER_61;
    cachekit_error error;
    const size_t sizes[] = {0, sizeof(size_t) - 1, sizeof options + 1};
    for (size_t i = 0; i < 3; i++) {
        options.size = sizes[i];
        cr_assert(eq(int, try_ring(&options, &error), CACHEKIT_E_INVALID));
    }
    options.size = offsetof(cachekit_keyring_options, retired_keys);
    options.retired_count = 99; // not seen: the caller knows a shorter struct
    cr_assert(eq(int, try_ring(&options, &error), CACHEKIT_OK));
    cachekit_keyring *keyring;
    cr_assert(eq(int, cachekit_keyring_new(NULL, &keyring, NULL), CACHEKIT_E_INVALID));
    cr_assert(eq(int, cachekit_keyring_new(&options, NULL, NULL), CACHEKIT_E_INVALID));
    cachekit_keyring_free(NULL);
}

// The linker puts this before libsodium's own.
int __wrap_crypto_aead_aes256gcm_is_available(void);
int __real_crypto_aead_aes256gcm_is_available(void);
static bool cpu_is_old;

int __wrap_crypto_aead_aes256gcm_is_available(void)
{
    return cpu_is_old ? 0 : __real_crypto_aead_aes256gcm_is_available();
}

Test(keyring, without_aes_instructions_there_is_no_keyring)
{
    cachekit_keyring_options options = CACHEKIT_KEYRING_OPTIONS_INIT;
    options.master_key = MASTER_61;
    cachekit_error error;
    cpu_is_old = true;
    cr_assert(eq(int, try_ring(&options, &error), CACHEKIT_E_CONFIG));
    cr_assert(ne(ptr, strstr(error.text, "AES instructions"), NULL), "%s", error.text);
    options.allow_unlocked = true;
    cr_assert(eq(int, try_ring(&options, &error), CACHEKIT_E_CONFIG));
    cpu_is_old = false;
    cr_assert(eq(int, try_ring(&options, &error), CACHEKIT_OK));
}
