// SPDX-License-Identifier: MIT
// Built twice: with the vector instructions of the machine, and without.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "value/ascii.h"

Test(ascii, window_judges_the_first_bytes_and_no_other)
{
    for (size_t len = 0; len <= CKI_ASCII_WINDOW; len++) {
        for (size_t bad = 0; bad < CKI_ASCII_WINDOW; bad++) {
            uint8_t text[CKI_ASCII_WINDOW];
            memset(text, 0x7f, sizeof text);
            cr_assert(cki_is_ascii_window(text, len), "%zu", len);
            text[bad] = 0x80;
            cr_assert(cki_is_ascii_window(text, len) == (bad >= len), "%zu of %zu", bad, len);
        }
    }
}

Test(ascii, long_texts_are_judged_whole)
{
    uint8_t text[80];
    for (size_t len = 0; len < sizeof text; len++) {
        memset(text, 'a', sizeof text);
        text[len] = 0xff; // behind the text
        cr_assert(cki_is_ascii(text, len) == (len >= CKI_ASCII_WINDOW), "%zu", len);
        for (size_t bad = 0; bad < len; bad++) {
            text[bad] = 0xc3;
            cr_assert(cki_is_ascii(text, len) == false, "%zu of %zu", bad, len);
            text[bad] = 'a';
        }
    }
}
