// SPDX-License-Identifier: MIT
// What cachekit_key_auto() and cachekit_serializer_code() take for names, and what they refuse.
#include <criterion/criterion.h>

#include <string.h>

#include <cachekit/key.h>

#include "fault_allocator.h"
#include "key/protocol_key.h"
#include "same.h"

static cachekit_status key_of(cachekit_key_auto_parts parts, char key[CACHEKIT_KEY_AUTO_ROOM])
{
    cachekit_error error = {CACHEKIT_OK, 0, 0, ""};
    memset(key, 'x', CACHEKIT_KEY_AUTO_ROOM);
    cachekit_status status = cachekit_key_auto(&parts, NULL, 0, NULL, 0, key, &error);
    cr_assert(status == CACHEKIT_OK || (key[0] == '\0' && error.status == status));
    return status;
}

Test(auto_key, refuses_parts_that_cannot_be)
{
    static const cachekit_key_auto_parts bad[] = {
        {NULL, NULL, NULL, false},
        {NULL, "", NULL, false},
        {NULL, "f\xff", NULL, false},
        {NULL, "f\xed\xa0\x80", NULL, false},
        {"ck", "f", NULL, false},
        {"ck:", "f", NULL, false},
        {"ck:x", "f", NULL, false},
        {"n\xff", "f", NULL, false},
        {"n\xed\xa0\x80", "f", NULL, false},
        {NULL, "f", "", false},
        {NULL, "f", "sixsix", false},
        {NULL, "f", "S", false},
        {NULL, "f", "a b", false},
        {NULL, "f", "s\n", false},
        {NULL, "f", "a:", false},
    };
    char key[CACHEKIT_KEY_AUTO_ROOM];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cr_assert(key_of(bad[i], key) == CACHEKIT_E_INVALID, "row %zu", i);
    }
    cr_assert(cachekit_key_auto(NULL, NULL, 0, NULL, 0, key, NULL) == CACHEKIT_E_INVALID);
    cr_assert(cachekit_key_auto(&bad[0], NULL, 0, NULL, 0, NULL, NULL) == CACHEKIT_E_INVALID);
    const cachekit_key_auto_parts good = {NULL, "f", NULL, false};
    cr_assert(cachekit_key_auto(&good, NULL, 1, NULL, 0, key, NULL) == CACHEKIT_E_INVALID);
    cr_assert(cachekit_key_auto(&good, NULL, 0, NULL, 1, key, NULL) == CACHEKIT_E_INVALID);
}

// Digest of 92 90 80: behaviour of Python, in the protocol's vectors.
Test(auto_key, no_name_space_and_an_empty_one_are_the_same)
{
    static const char expected[] =
        "func:f:args:f9cf3864b6e929eb73f84cf6d69409e0bd7575f8cf6feafe3a543b0f7267b2b2:1s";
    char key[CACHEKIT_KEY_AUTO_ROOM];
    cr_assert(key_of((cachekit_key_auto_parts){NULL, "f", NULL, false}, key) == CACHEKIT_OK);
    SAME(key, expected);
    cr_assert(key_of((cachekit_key_auto_parts){"", "f", "s", false}, key) == CACHEKIT_OK);
    SAME(key, expected);
}

Test(auto_key, names_of_keyword_arguments_are_text_and_each_there_once)
{
    const cachekit_key_auto_parts parts = {NULL, "f", NULL, false};
    char key[CACHEKIT_KEY_AUTO_ROOM];
    cachekit_error error;
    const cachekit_arg wrong[] = {cachekit_str("a"), cachekit_i64(1), cachekit_i64(7),
                                  cachekit_i64(1)};
    cr_assert(cachekit_key_auto(&parts, NULL, 0, wrong, 2, key, &error) == CACHEKIT_E_VALUE);
    SAME(error.text, "keyword argument 2: its name is no text");
    const cachekit_arg numbers[] = {cachekit_i64(1), cachekit_i64(1)};
    cr_assert(cachekit_key_auto(&parts, NULL, 0, numbers, 1, key, &error) == CACHEKIT_E_VALUE);
    const cachekit_arg twice[] = {cachekit_str("a"), cachekit_i64(1), cachekit_str("a"),
                                  cachekit_i64(1)};
    cr_assert(cachekit_key_auto(&parts, NULL, 0, twice, 2, key, &error) == CACHEKIT_E_VALUE);
    SAME(key, "");
}

Test(auto_key, a_serializer_without_a_name_has_no_code)
{
    char code[CACHEKIT_SERIALIZER_CODE_ROOM] = "x";
    cr_assert(cachekit_serializer_code(NULL, code) == CACHEKIT_E_INVALID);
    SAME(code, "");
    cr_assert(cachekit_serializer_code("", code) == CACHEKIT_E_INVALID);
    cr_assert(cachekit_serializer_code("std", NULL) == CACHEKIT_E_INVALID);
}

Test(auto_key, every_allocation_may_fail)
{
    struct fault_allocator allocator;
    char long_space[600];
    uint8_t bytes[400] = {0};
    const cachekit_arg arg = cachekit_bytes(bytes, sizeof bytes);
    const struct cki_auto_args args = {&arg, 1, NULL, 0};
    int sites = 0;
    memset(long_space, 'n', sizeof long_space - 1);
    long_space[sizeof long_space - 1] = '\0';
    const cachekit_key_auto_parts parts = {long_space, "f", NULL, false};
    for (bool fired = true; fired; sites++) {
        char key[CACHEKIT_KEY_AUTO_ROOM] = "x";
        struct cki_auto_name name;
        fault_allocator_init(&allocator);
        allocator.fail_at = sites;
        cachekit_status status = cki_auto_name_init(&name, &parts, &allocator.hooks, NULL);
        if (status == CACHEKIT_OK) {
            status = cki_key_auto(&name, &args, &allocator.hooks, key, NULL);
            cr_assert((key[0] == '\0') == (status != CACHEKIT_OK));
            cki_auto_name_release(&name);
        }
        fired = allocator.calls > sites;
        cr_assert(status == (fired ? CACHEKIT_E_NOMEM : CACHEKIT_OK));
        cr_assert(allocator.live_blocks == 0);
    }
    cr_assert(sites == 4); // the head, the arguments, the whole key, none
}
