// SPDX-License-Identifier: MIT
// Makes bad files out of a good one and hands each to a reader that must refuse it with one line
// that names the file.
#ifndef TESTS_SPOIL_H
#define TESTS_SPOIL_H

#include <criterion/criterion.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fault.h"

// The file that a test writes and spoils. Criterion gives each test a process, and so a name, of
// its own: TestSuite(..., .init = spoil_open, .fini = spoil_close).
static char spoil_path[] = "/tmp/test_store.XXXXXX";

static inline void spoil_open(void)
{
    int fd = mkstemp(spoil_path);
    cr_assert(fd >= 0);
    (void)close(fd);
}

static inline void spoil_close(void)
{
    (void)unlink(spoil_path);
}

static inline const char *spoil_content(void)
{
    static char text[8192];
    FILE *file = fopen(spoil_path, "r");
    cr_assert(file != NULL);
    size_t len = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[len] = '\0';
    return text;
}

// Reads the file at `path`, frees what it read, and says whether it was taken.
typedef bool spoil_reader(const char *path, struct fault *fault);

static inline void spoil_write(const char *path, const char *text, size_t len)
{
    FILE *file = fopen(path, "w");
    cr_assert(file != NULL);
    cr_assert(fwrite(text, 1, len, file) == len);
    cr_assert(fclose(file) == 0);
}

static inline void spoil_expect_refused(spoil_reader *reader, const char *path, const char *text,
                                        size_t len, const char *wanted)
{
    struct fault fault = {""};
    spoil_write(path, text, len);
    cr_assert_not(reader(path, &fault), "accepted: %.*s", (int)len, text);
    cr_assert(strncmp(fault.text, path, strlen(path)) == 0, "no file in: %s", fault.text);
    cr_assert(strchr(fault.text, '\n') == NULL);
    cr_assert(wanted == NULL || strstr(fault.text, wanted) != NULL, "wanted %s\nin %s", wanted,
              fault.text);
}

// The good text, with the first `from` replaced by `to`. The caller frees it.
static inline char *spoil_replace(const char *good, const char *from, const char *to)
{
    const char *at = strstr(good, from);
    cr_assert(at != NULL, "%s is not in the text", from);
    size_t size = strlen(good) + strlen(to) + 1;
    char *text = malloc(size);
    cr_assert(text != NULL);
    (void)snprintf(text, size, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
    return text;
}

struct spoil_case {
    const char *from, *to, *wanted;
};

static inline void spoil_table(spoil_reader *reader, const char *path, const char *good,
                               const struct spoil_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *text = spoil_replace(good, cases[i].from, cases[i].to);
        spoil_expect_refused(reader, path, text, strlen(text), cases[i].wanted);
        free(text);
    }
}

// Every proper beginning of a file is refused. `good` has no white space at its end.
static inline void spoil_cuts(spoil_reader *reader, const char *path, const char *good)
{
    for (size_t len = 0; len < strlen(good); len++) {
        spoil_expect_refused(reader, path, good, len, NULL);
    }
}

// Each byte replaced by ones that break JSON wherever they stand.
static inline void spoil_bytes(spoil_reader *reader, const char *path, const char *good)
{
    static const char bad[] = {'\0', '\x01', '\xff', '\x80'};
    size_t len = strlen(good);
    char *text = strdup(good);
    for (size_t i = 0; i < len; i++) {
        for (size_t j = 0; j < sizeof bad; j++) {
            text[i] = bad[j];
            spoil_expect_refused(reader, path, text, len, NULL);
        }
        text[i] = good[i];
    }
    free(text);
}

// What is wrong with a file whatever it is about.
static inline void spoil_any(spoil_reader *reader, const char *path, const char *good)
{
    static const char *const tails[] = {"x", "{}", ",", "null", "\0", "]", "// remark"};
    static const char *const whole[] = {"",      " \n",     "[]",         "null", "1",
                                        "\"x\"", "{",       "}",          "{,}",  "{\"a\"}",
                                        "{a:1}", "{'a':1}", "{\"a\":1,}", "nope"};
    size_t len = strlen(good);
    char *text = malloc(len + 32);
    for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
        size_t tail_len = tails[i][0] == '\0' ? 1 : strlen(tails[i]);
        memcpy(text, good, len);
        memcpy(text + len, tails[i], tail_len);
        spoil_expect_refused(reader, path, text, len + tail_len, "something follows");
    }
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++) {
        spoil_expect_refused(reader, path, whole[i], strlen(whole[i]), NULL);
    }
    memcpy(text, "\xef\xbb\xbf", 3);
    memcpy(text + 3, good, len);
    spoil_expect_refused(reader, path, text, len + 3, "byte order mark");
    free(text);
}

#endif
