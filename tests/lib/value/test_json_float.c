// SPDX-License-Identifier: MIT
// Floats against tables of Python's repr() and float(), against strtod(), and in a locale that
// writes a comma.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cachekit/json.h>

#include "value/json_float.h"

static double as_double(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static uint64_t as_bits(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

// Calls `check` for each line of a table with the text before the blank and the text behind it.
static size_t each_line(const char *name, void (*check)(const char *bits, const char *text))
{
    static char line[1 << 14];
    char path[512];
    snprintf(path, sizeof path, "%s/vectors/%s", CACHEKIT_TEST_DIR, name);
    FILE *file = fopen(path, "r");
    cr_assert(ne(ptr, file, NULL), "%s", path);
    size_t count = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        char *blank = strchr(line, ' ');
        cr_assert(ne(ptr, blank, NULL));
        *blank = '\0';
        blank[1 + strcspn(blank + 1, "\n")] = '\0';
        check(line, blank + 1);
        count++;
    }
    cr_assert(eq(int, fclose(file), 0));
    return count;
}

static void check_repr(const char *bits, const char *text)
{
    char out[CKI_FLOAT_TEXT_MAX + 1];
    double number = as_double(strtoull(bits, NULL, 16));
    size_t len = cki_float_write(number, out);
    out[len] = '\0';
    cr_expect(eq(str, out, (char *)text), "%s", bits);
    double back;
    cr_expect(cki_float_read((const uint8_t *)text, strlen(text), &back), "%s", text);
    cr_expect(eq(u64, as_bits(back), as_bits(number)), "%s", text);
}

Test(json_float, shortest_text_is_pythons)
{
    cr_assert(gt(sz, each_line("float-repr.txt", check_repr), 4000));
}

static void check_read(const char *bits, const char *text)
{
    double number;
    bool is_finite = cki_float_read((const uint8_t *)text, strlen(text), &number);
    cr_expect(eq(int, is_finite, strcmp(bits, "inf") != 0), "%s", text);
    if (is_finite) {
        cr_expect(eq(u64, as_bits(number), strtoull(bits, NULL, 16)), "%s", text);
    }
}

Test(json_float, hard_texts_round_as_in_python)
{
    cr_assert(gt(sz, each_line("float-read.txt", check_read), 300));
}

Test(json_float, strtod_reads_back_the_same_bits)
{
    uint64_t state = 20261130;
    for (int i = 0; i < 60000; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        uint64_t bits = i % 2 == 0 ? state : state & UINT64_C(0xbfffffffff000000);
        if ((bits >> 52 & 0x7ff) == 0x7ff) {
            continue;
        }
        char out[CKI_FLOAT_TEXT_MAX + 1];
        size_t len = cki_float_write(as_double(bits), out);
        out[len] = '\0';
        double back;
        cr_assert(eq(u64, as_bits(strtod(out, NULL)), bits), "%s", out);
        cr_assert(cki_float_read((const uint8_t *)out, len, &back));
        cr_assert(eq(u64, as_bits(back), bits), "%s", out);
        cr_assert(ne(sz, strcspn(out, ".e"), len), "%s looks like an integer", out);
    }
}

// Digits beyond those kept still count: they break ties, and nothing else.
Test(json_float, a_tail_of_any_length_breaks_ties)
{
    static const char half[] = "9007199254740993"; // midway between two doubles
    static char text[100000];
    memset(text, '0', sizeof text);
    memcpy(text, half, sizeof half - 1);
    text[sizeof half - 1] = '.';
    double number;
    cr_assert(cki_float_read((const uint8_t *)text, sizeof text, &number));
    cr_assert(eq(dbl, number, 9007199254740992.0));
    text[sizeof text - 1] = '1';
    cr_assert(cki_float_read((const uint8_t *)text, sizeof text, &number));
    cr_assert(eq(dbl, number, 9007199254740994.0));
}

// Compiles a locale whose decimal point is a comma, since a bare system has none.
static bool enter_comma_locale(char *dir)
{
    char command[1024];
    snprintf(command, sizeof command,
             "localedef --force -c -i %s/lib/value/locale/comma.locale"
             " -f %s/lib/value/locale/ascii.charmap %s/comma >/dev/null 2>&1",
             CACHEKIT_TEST_DIR, CACHEKIT_TEST_DIR, dir);
    return system(command) >= 0 && setenv("LOCPATH", dir, 1) == 0 &&
           setlocale(LC_ALL, "comma") != NULL;
}

Test(json_float, no_locale_changes_a_digit)
{
    char dir[] = P_tmpdir "/cachekit-locale.XXXXXX";
    cr_assert(ne(ptr, mkdtemp(dir), NULL));
    bool entered = enter_comma_locale(dir);
    char command[256];
    snprintf(command, sizeof command, "rm -rf %s", dir);
    cr_assert(eq(int, system(command), 0));
    cr_assert(entered, "localedef made no locale with a comma");
    char text[32];
    snprintf(text, sizeof text, "%.1f", 1.5);
    cr_assert(eq(str, text, (char *)"1,5"), "the C library does write commas here");

    static const char json[] = "[1.5,0.1,1e-7,1.2345678901234567e300,123456.789]";
    cachekit_slice input = {(const uint8_t *)json, sizeof json - 1};
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    cachekit_value root;
    cr_assert(eq(int, cachekit_json_decode(input, 0, &arena, &root, NULL), CACHEKIT_OK));
    cr_assert(eq(u64, as_bits(root.as.items[0].as.f64), UINT64_C(0x3ff8000000000000)));
    cr_assert(eq(u64, as_bits(root.as.items[1].as.f64), UINT64_C(0x3fb999999999999a)));
    cr_assert(eq(int, cachekit_json_encode(&root, 0, &out, NULL), CACHEKIT_OK));
    cr_assert(eq(sz, out.len, input.len));
    cr_assert(eq(int, memcmp(out.data, json, out.len), 0));
    cachekit_arena_release(&arena);
    cachekit_buffer_release(&out);
}
