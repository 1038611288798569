// SPDX-License-Identifier: MIT
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

#include <cachekit/value.h>

#include "value/utf8.h"

// The encoding of a scalar value, by the definition of UTF-8 (RFC 3629, section 3).
static size_t encode(uint32_t scalar, uint8_t out[4])
{
    if (scalar < 0x80) {
        out[0] = (uint8_t)scalar;
        return 1;
    }
    if (scalar < 0x800) {
        out[0] = (uint8_t)(0xc0 | scalar >> 6);
        out[1] = (uint8_t)(0x80 | (scalar & 0x3f));
        return 2;
    }
    if (scalar < 0x10000) {
        out[0] = (uint8_t)(0xe0 | scalar >> 12);
        out[1] = (uint8_t)(0x80 | (scalar >> 6 & 0x3f));
        out[2] = (uint8_t)(0x80 | (scalar & 0x3f));
        return 3;
    }
    out[0] = (uint8_t)(0xf0 | scalar >> 18);
    out[1] = (uint8_t)(0x80 | (scalar >> 12 & 0x3f));
    out[2] = (uint8_t)(0x80 | (scalar >> 6 & 0x3f));
    out[3] = (uint8_t)(0x80 | (scalar & 0x3f));
    return 4;
}

Test(utf8, takes_every_scalar_value)
{
    for (uint32_t scalar = 0; scalar <= 0x10ffff; scalar++) {
        uint8_t text[4];
        if (scalar >= 0xd800 && scalar <= 0xdfff) {
            continue;
        }
        size_t len = encode(scalar, text);
        cr_assert(cki_utf8_valid_len(text, len) == len, "U+%04X", (unsigned)scalar);
        cr_assert(len == 1 || cki_utf8_valid_len(text, len - 1) == 0, "U+%04X cut",
                  (unsigned)scalar);
    }
}

// With all scalar values accepted, the right number of accepted strings means that there is no
// other: 128 characters of one byte, 1,920 of two, 61,440 of three.
Test(utf8, takes_no_other_string_of_up_to_three_bytes)
{
    unsigned long counts[4] = {0};
    for (uint32_t bits = 0; bits < 0x1000000; bits++) {
        const uint8_t text[3] = {(uint8_t)(bits >> 16), (uint8_t)(bits >> 8), (uint8_t)bits};
        size_t valid = cki_utf8_valid_len(text, 3);
        counts[3] += valid == 3;
        counts[2] += text[0] == 0 && cki_utf8_valid_len(text + 1, 2) == 2;
        counts[1] += bits < 0x100 && cki_utf8_valid_len(text + 2, 1) == 1;
    }
    cr_assert(eq(ulong, counts[1], 128));
    cr_assert(eq(ulong, counts[2], 128ul * 128 + 1920));
    cr_assert(eq(ulong, counts[3], 128ul * 128 * 128 + 2ul * 128 * 1920 + 61440));
}

// Behind lead bytes from f0, all second bytes and the edges of the others: 256 pairs are right.
Test(utf8, takes_no_other_string_of_four_bytes)
{
    static const uint8_t edges[] = {0x00, 0x7f, 0x80, 0xbf, 0xc0, 0xff};
    unsigned long count = 0;
    for (unsigned i = 0; i < 16u * 256 * 36; i++) {
        const uint8_t text[4] = {(uint8_t)(0xf0 + i / 9216), (uint8_t)(i / 36), edges[i / 6 % 6],
                                 edges[i % 6]};
        count += cki_utf8_valid_len(text, 4) == 4;
    }
    cr_assert(eq(ulong, count, 256ul * 4));
}

static const struct {
    const char *text;
    int bad; // index of the first byte of what is malformed
} malformed[] = {
    {"\x80", 0},
    {"\xbf", 0},
    {"\xc0\x80", 0},
    {"\xc1\xbf", 0},
    {"\xc2", 0},
    {"\xc2 ", 0},
    {"\xc2\xc2\x80", 0},
    {"\xe0\x9f\xbf", 0},
    {"\xe0\xa0", 0},
    {"\xe1\x80 ", 0},
    {"\xed\xa0\x80", 0},
    {"\xed\xbf\xbf", 0},
    {"\xf0\x8f\xbf\xbf", 0},
    {"\xf0\x90\x80", 0},
    {"\xf4\x90\x80\x80", 0},
    {"\xf5\x80\x80\x80", 0},
    {"\xf8\x88\x80\x80\x80", 0},
    {"\xfe", 0},
    {"\xff", 0},
    {"\xc3\xa9\xc3", 2},
    {"\xed\xa0\xbd\xed\xb8\x80", 0},
    {"\xe2\x82\xac\x80", 3},
};

// The text behind `before` bytes of ASCII and in front of `after`: reaches the window for short
// texts, the loop for long ones, and the end of the input.
static void read_at(const char *bad, int index, size_t before, size_t after)
{
    uint8_t document[512] = {0xdc, 0, 2, 0xda};
    size_t len = before + strlen(bad) + after;
    document[4] = (uint8_t)(len >> 8);
    document[5] = (uint8_t)len;
    size_t head = 6;
    if (len < 32) {
        document[0] = 0x92;
        document[1] = (uint8_t)(0xa0 | len);
        head = 2;
    }
    memset(document + head, 'a', before);
    memcpy(document + head + before, bad, strlen(bad));
    memset(document + head + before + strlen(bad), 'z', after);
    for (size_t tail = 0; tail <= 40; tail += 20) { // how far the input goes on
        document[head + len] = tail == 0 ? 0xc0 : 0xc4;
        document[head + len + 1] = (uint8_t)tail;
        cachekit_arena arena = CACHEKIT_ARENA_INIT;
        cachekit_value root;
        cachekit_error error;
        cachekit_slice input = {document, head + len + (tail == 0 ? 1 : 2 + tail)};
        cr_assert(
            eq(int, cachekit_value_decode(input, 0, &arena, &root, &error), CACHEKIT_E_DECODE));
        cr_assert(eq(u64, error.position, head + before + (size_t)index));
        cr_assert_not_null(strstr(error.text, "UTF-8"));
        document[head + before + (size_t)index] = 'b';
        cr_assert(strlen(bad) > 1 ||
                  cachekit_value_decode(input, 0, &arena, &root, &error) == CACHEKIT_OK);
        document[head + before + (size_t)index] = (uint8_t)bad[index];
        cachekit_arena_release(&arena);
    }
}

Test(utf8, is_checked_wherever_the_text_stands)
{
    for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++) {
        for (size_t before = 0; before <= 40; before++) {
            for (size_t after = 0; after <= 20; after += 5) {
                // A cut character may only stand at the end of its text.
                read_at(malformed[i].text, malformed[i].bad, before, after);
            }
        }
    }
}

Test(utf8, is_not_asked_of_bytes)
{
    static const uint8_t document[] = {0xc4, 0x03, 0xff, 0x80, 0xc0};
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    cachekit_value root;
    cr_assert(eq(
        int,
        cachekit_value_decode((cachekit_slice){document, sizeof document}, 0, &arena, &root, NULL),
        CACHEKIT_OK));
}
