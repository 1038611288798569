// SPDX-License-Identifier: MIT
// What cachekit_key_interop() takes for names, and what it does with bad arguments. The digests are
// of Python's hashlib over bytes written by hand.
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include <cachekit/key.h>
#include <cachekit/value.h>

#include "base/digest.h"
#include "fault_allocator.h"
#include "key/canon.h"
#include "key/key_hex.h"
#include "key/protocol_key.h"
#include "same.h"

#define TEXT_64 "a123456789b123456789c123456789d123456789e123456789f123456789-_.x"

static const char NOTHING[] = "8064bf5f945dba521b017bb3f32b31a293a6e16944838d171ea9e77fab085e8e";

static cachekit_status key_of(const char *name_space, const char *operation,
                              char key[CACHEKIT_KEY_INTEROP_ROOM])
{
    cachekit_error error = {CACHEKIT_OK, 0, 0, ""};
    memset(key, 'x', CACHEKIT_KEY_INTEROP_ROOM);
    cachekit_status status = cachekit_key_interop(name_space, operation, NULL, 0, key, &error);
    cr_assert(status == CACHEKIT_OK || (key[0] == '\0' && error.status == status));
    return status;
}

Test(interop_key, takes_names_of_the_protocol)
{
    static const char *const names[] = {
        "a",   "0",    "users",  "get_user", "a.b.c", "a-", "a_", "a.",      "9-_.-_",      TEXT_64,
        "ns1", "nsap", "nsapix", "ckx",      "c",     "n",  "k",  "default", "a.-.b._.c.9",
    };
    char key[CACHEKIT_KEY_INTEROP_ROOM], expected[CACHEKIT_KEY_INTEROP_ROOM + 64];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        cr_assert(key_of(names[i], "op", key) == CACHEKIT_OK, "%s", names[i]);
        snprintf(expected, sizeof expected, "%s:op:%s", names[i], NOTHING);
        SAME(key, expected);
        cr_assert(key_of("t", names[i], key) == CACHEKIT_OK, "%s", names[i]);
        snprintf(expected, sizeof expected, "t:%s:%s", names[i], NOTHING);
        SAME(key, expected);
    }
    cr_assert(key_of(TEXT_64, TEXT_64, key) == CACHEKIT_OK);
    cr_assert(strlen(key) == CACHEKIT_KEY_INTEROP_ROOM - 1);
}

Test(interop_key, refuses_names_that_almost_match)
{
    static const char *const names[] = {
        "",       "..",        "a..b",       "a..",         ".a",       "-a",
        "_a",     "Users",     "uSers",      "users\n",     "\nusers",  "users\r",
        "us ers", " users",    "users ",     "get:user",    "a/b",      "a\tb",
        "a\x7f",  "a\x01",     "a+b",        "us\xc3\xa9r", "\xc3\xa9", "a\xed\xa0\x80",
        "a\xff",  TEXT_64 "y", TEXT_64 "\n", "a...b",       "ns:a",     "ck:a",
        "{a}",    "a*",        "a?",         "a@b",         "`a",       "a[",
        "a\\b",
    };
    char key[CACHEKIT_KEY_INTEROP_ROOM];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        cr_assert(key_of(names[i], "op", key) == CACHEKIT_E_INVALID, "row %zu", i);
        cr_assert(key_of("t", names[i], key) == CACHEKIT_E_INVALID, "row %zu", i);
    }
    cr_assert(key_of(NULL, "op", key) == CACHEKIT_E_INVALID);
    cr_assert(key_of("t", NULL, key) == CACHEKIT_E_INVALID);
}

Test(interop_key, reserves_three_name_spaces_and_no_operation)
{
    static const char *const names[] = {"ns", "nsapi", "ck"};
    char key[CACHEKIT_KEY_INTEROP_ROOM];
    for (size_t i = 0; i < 3; i++) {
        cr_assert(key_of(names[i], "op", key) == CACHEKIT_E_INVALID);
        cr_assert(key_of("t", names[i], key) == CACHEKIT_OK);
    }
}

Test(interop_key, errors_do_not_repeat_what_was_given)
{
    char key[CACHEKIT_KEY_INTEROP_ROOM];
    cachekit_error error;
    cr_assert(cachekit_key_interop("Secret", "op", NULL, 0, key, &error) == CACHEKIT_E_INVALID);
    cr_assert(strstr(error.text, "ecret") == NULL && strstr(error.text, "name space") != NULL);
    cr_assert(cachekit_key_interop("t", "Secret", NULL, 0, key, &error) == CACHEKIT_E_INVALID);
    cr_assert(strstr(error.text, "ecret") == NULL && strstr(error.text, "operation") != NULL);
    const cachekit_arg args[] = {cachekit_str("ok"), cachekit_str("Secret\xff")};
    cr_assert(cachekit_key_interop("t", "op", args, 2, key, &error) == CACHEKIT_E_VALUE);
    SAME(error.text, "argument 2: text that is not UTF-8");
}

Test(interop_key, refuses_what_is_no_argument)
{
    static const cachekit_value bad_node = {12, 0, {0}};
    static const cachekit_value null_text = {CACHEKIT_STR, 3, {0}};
    const cachekit_arg none = {14, 0, {0}};
    cachekit_arg short_uuid = cachekit_arg_uuid((const uint8_t *)"0123456789abcdef");
    short_uuid.len = 15;
    const cachekit_arg bad[] = {
        none,
        {UINT32_MAX, 0, {0}},
        cachekit_str(NULL),
        cachekit_str_len(NULL, 1),
        cachekit_bytes(NULL, 1),
        cachekit_str_len("", UINT32_MAX),
        cachekit_list(NULL, 1),
        cachekit_map(NULL, 1),
        cachekit_set(NULL, 1),
        cachekit_list(&none, 1),
        cachekit_list(&none, UINT32_MAX),
        cachekit_arg_datetime_text(NULL, 20),
        cachekit_arg_uuid(NULL),
        short_uuid,
        cachekit_arg_value(NULL),
        cachekit_arg_value(&bad_node),
        cachekit_arg_value(&null_text),
    };
    char key[CACHEKIT_KEY_INTEROP_ROOM] = "x";
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cachekit_error error = {CACHEKIT_OK, 0, 0, ""};
        const cachekit_arg args[] = {cachekit_null(), cachekit_null(), bad[i]};
        cr_assert(cachekit_key_interop("t", "o", args, 3, key, &error) == CACHEKIT_E_INVALID,
                  "row %zu", i);
        cr_assert(strncmp(error.text, "argument 3: ", 12) == 0, "%s", error.text);
        SAME(key, "");
    }
    cr_assert(cachekit_key_interop("t", "o", NULL, 1, key, NULL) == CACHEKIT_E_INVALID);
    cr_assert(cachekit_key_interop("t", "o", bad, UINT32_MAX, key, NULL) == CACHEKIT_E_INVALID);
    cr_assert(cachekit_key_interop("t", "o", NULL, 0, NULL, NULL) == CACHEKIT_E_INVALID);
}

static void expect_packed(const cachekit_arg *args, size_t count)
{
    char key[CACHEKIT_KEY_INTEROP_ROOM], expected[65];
    uint8_t digest[32];
    struct cki_canon c;
    cki_canon_init(&c, &cki_profile_interop, NULL, NULL);
    cr_assert(cki_canon_list(&c, args, count) == CACHEKIT_OK);
    cr_assert(cki_blake2b(c.bytes.data, c.bytes.len, digest, sizeof digest) == CACHEKIT_OK);
    cki_canon_release(&c);
    *cki_put_hex(expected, digest, sizeof digest) = '\0';
    cr_assert(cachekit_key_interop("t", "op", args, count, key, NULL) == CACHEKIT_OK);
    SAME(key + 5, expected);
}

// The short way ends at 16 bytes of text, at 15 arguments and at ASCII. The packer, which the
// vectors hold, must agree with it everywhere.
Test(interop_key, the_short_way_agrees_with_the_packer)
{
    char text[64];
    cachekit_arg args[20];
    for (size_t len = 0; len <= 40; len++) {
        for (size_t odd = 0; odd + 2 <= len + 2; odd++) { // where a two-byte character stands
            memset(text, 'a', sizeof text);
            if (odd + 2 <= len) {
                memcpy(text + odd, "\xc3\xa9", 2);
            }
            args[0] = cachekit_str_len(text, len);
            args[1] = cachekit_f64((double)len / 2);
            expect_packed(args, 2);
        }
    }
    for (size_t count = 0; count <= 20; count++) {
        expect_packed(args, count);
        if (count < 20) {
            args[count] = count % 3 == 0 ? cachekit_str("sixteen bytes ..")
                                         : cachekit_i64(INT64_MIN >> count * 3);
        }
    }
}

Test(interop_key, a_bad_byte_is_seen_wherever_it_stands)
{
    char text[40], key[CACHEKIT_KEY_INTEROP_ROOM];
    for (size_t len = 1; len <= sizeof text; len++) {
        for (size_t bad = 0; bad < len; bad++) {
            memset(text, 'a', len);
            text[bad] = '\xff';
            const cachekit_arg arg = cachekit_str_len(text, len);
            cr_assert(cachekit_key_interop("t", "op", &arg, 1, key, NULL) == CACHEKIT_E_VALUE,
                      "byte %zu of %zu", bad, len);
        }
    }
}

Test(interop_key, a_key_may_take_the_place_of_what_it_is_made_of)
{
    char key[CACHEKIT_KEY_INTEROP_ROOM] = "in place", expected[CACHEKIT_KEY_INTEROP_ROOM];
    const cachekit_arg arg = cachekit_str(key), apart = cachekit_str("in place");
    cr_assert(cachekit_key_interop("t", "op", &apart, 1, expected, NULL) == CACHEKIT_OK);
    cr_assert(cachekit_key_interop("t", "op", &arg, 1, key, NULL) == CACHEKIT_OK);
    SAME(key, expected);
}

Test(interop_key, needs_no_memory_for_what_is_small)
{
    struct fault_allocator allocator;
    static const char prefix[] = "t:op:";
    const cachekit_slice head = {(const uint8_t *)prefix, sizeof prefix - 1};
    const cachekit_arg pairs[] = {cachekit_str("b"), cachekit_i64(1), cachekit_str("a"),
                                  cachekit_f64(2.5)};
    const cachekit_arg args[] = {cachekit_i64(42), cachekit_map(pairs, 2), cachekit_set(pairs, 4),
                                 cachekit_list(pairs, 4)};
    char key[CACHEKIT_KEY_INTEROP_ROOM];
    fault_allocator_init(&allocator);
    cr_assert(cki_key_interop(head, args, 4, &allocator.hooks, key, NULL) == CACHEKIT_OK);
    cr_assert(allocator.calls == 0);
}

Test(interop_key, every_allocation_may_fail)
{
    enum { MANY = 40, NESTED = 12 };
    static const char prefix[] = "t:op:";
    const cachekit_slice head = {(const uint8_t *)prefix, sizeof prefix - 1};
    cachekit_arg items[MANY], nest[NESTED];
    struct fault_allocator allocator;
    int sites = 0;
    for (int i = 0; i < MANY; i++) {
        items[i] = cachekit_f64(0.3 * (MANY - i));
    }
    nest[0] = cachekit_set(items, MANY);
    for (int i = 1; i < NESTED; i++) {
        nest[i] = cachekit_list(&nest[i - 1], 1);
    }
    for (bool fired = true; fired; sites++) {
        char key[CACHEKIT_KEY_INTEROP_ROOM] = "x";
        cachekit_error error = {CACHEKIT_OK, 0, 0, ""};
        fault_allocator_init(&allocator);
        allocator.fail_at = sites;
        cachekit_status status =
            cki_key_interop(head, &nest[NESTED - 1], 1, &allocator.hooks, key, &error);
        fired = allocator.calls > sites;
        cr_assert(status == (fired ? CACHEKIT_E_NOMEM : CACHEKIT_OK));
        cr_assert(error.status == status && (key[0] == '\0') == fired);
        cr_assert(allocator.live_blocks == 0);
    }
    cr_assert(sites >= 6);
}
