// SPDX-License-Identifier: MIT
// A compiler that makes debug information leaves its name, version and options there as one string
// (DW_AT_producer). Reading the strings without the DWARF that points to them needs no DWARF
// reader: such a string starts with the compiler's name, which other strings do not.
#include "measure/producers.h"

#include <stdlib.h>
#include <string.h>

#include "measure/checked.h"

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool is_producer(const char *text)
{
    static const char *const starts[] = {
        "GNU C",  "GNU AS ",    "GNU GIMPLE ", "GNU Ada",       "GNU Fortran",     "GNU Go ",
        "GNU D ", "GNU Rust",   "clang ",      "Debian clang ", "Ubuntu clang ",   "Apple clang ",
        "rustc ", "AMD clang ", "Intel(R) ",   "zig ",          "Go cmd/compile ",
    };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        if (starts_with(text, starts[i])) {
            return true;
        }
    }
    return false;
}

// Options that say where files lie, or which, and nothing of the code. `takes_next`: the path is
// the next word.
static const struct place_option {
    const char *start;
    bool takes_next;
} place_options[] = {
    {"-fdebug-prefix-map", false},
    {"-ffile-prefix-map", false},
    {"-fmacro-prefix-map", false},
    {"-fcoverage-prefix-map", false},
    {"-fprofile-prefix-map", false},
    {"-fdebug-compilation-dir", false},
    {"-ffile-compilation-dir", false},
    {"-frandom-seed", false},
    {"-dumpdir", true},
    {"-dumpbase-ext", true},
    {"-dumpbase", true},
    {"-main-file-name", true},
    {"-auxbase-strip", true},
    {"-auxbase", true},
    {"-isystem", true},
    {"-iquote", true},
    {"-idirafter", true},
    {"-internal-isystem", true},
    {"-internal-externc-isystem", true},
    {"-isysroot", true},
    {"-resource-dir", true},
    {"-imultiarch", true},
    {"--sysroot", false},
    {"-I", false},
    {"-L", false},
};

// Is the word to be dropped? `*drop_next`: and the one behind it.
static bool is_place(const char *word, size_t len, bool *drop_next)
{
    for (size_t i = 0; i < sizeof place_options / sizeof *place_options; i++) {
        size_t start = strlen(place_options[i].start);
        if (len >= start && memcmp(word, place_options[i].start, start) == 0) {
            bool is_alone = len == start;
            *drop_next = is_alone && (place_options[i].takes_next || start == 2);
            return true;
        }
    }
    if (len == 2 && memcmp(word, "-o", 2) == 0) {
        *drop_next = true;
        return true;
    }
    // -DX="/a/b", --param=x=/a, /a/b.c
    return word[0] == '/' || memchr(word, '/', len) != NULL;
}

// Copies the words that are no places, one blank between them.
static char *without_places(const char *text)
{
    char *out = malloc(strlen(text) + 1);
    size_t used = 0;
    bool drop = false;
    if (out == NULL) {
        return NULL;
    }
    for (const char *word = text + strspn(text, " "); *word != '\0';) {
        size_t len = strcspn(word, " ");
        bool drop_next = false;
        if (!drop && !is_place(word, len, &drop_next)) {
            if (used > 0) {
                out[used++] = ' ';
            }
            memcpy(out + used, word, len);
            used += len;
        }
        drop = drop_next;
        word += len;
        word += strspn(word, " ");
    }
    out[used] = '\0';
    return out;
}

static bool add_line(struct producers *producers, char *line)
{
    void *lines =
        checked_room(producers->lines, producers->count, &producers->cap, sizeof *producers->lines);
    if (lines != NULL) {
        producers->lines = lines;
    }
    if (lines == NULL || line == NULL) {
        free(line);
        return false;
    }
    producers->lines[producers->count++] = line;
    return true;
}

bool producers_add(struct producers *producers, const char *bytes, size_t size, bool all)
{
    for (const char *text = bytes; text < bytes + size; text += strlen(text) + 1) {
        if (*text != '\0' && (all || is_producer(text)) &&
            !add_line(producers, without_places(text))) {
            return false;
        }
    }
    return true;
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void producers_finish(struct producers *producers)
{
    size_t kept = 0;
    if (producers->count > 1) {
        qsort(producers->lines, producers->count, sizeof *producers->lines, compare_lines);
    }
    for (size_t i = 0; i < producers->count; i++) {
        if (kept > 0 && strcmp(producers->lines[kept - 1], producers->lines[i]) == 0) {
            free(producers->lines[i]);
        } else {
            producers->lines[kept++] = producers->lines[i];
        }
    }
    producers->count = kept;
}

void producers_free(struct producers *producers)
{
    for (size_t i = 0; i < producers->count; i++) {
        free(producers->lines[i]);
    }
    free(producers->lines);
    *producers = (struct producers){0};
}
