// SPDX-License-Identifier: MIT
// Two builds of one source differ in clone suffixes, symbol versions and library versions; these
// are cut off here so that a function meets itself. Cutting is by closed lists: an unknown suffix
// stays part of the name.
#include "measure/symbol.h"

#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f');
}

static bool ends_with(const char *name, size_t len, const char *tail)
{
    size_t tail_len = strlen(tail);
    return len > tail_len && memcmp(name + len - tail_len, tail, tail_len) == 0;
}

static size_t cut_recursion(const char *name, size_t len)
{
    size_t at = len;
    while (at > 0 && is_digit(name[at - 1])) {
        at--;
    }
    return at < len && at > 1 && name[at - 1] == '\'' ? at - 1 : len;
}

static size_t cut_clone_remark(const char *name, size_t len)
{
    static const char mark[] = " [clone ";
    if (len == 0 || name[len - 1] != ']') {
        return len;
    }
    for (size_t at = len; at-- > 1;) {
        if (len - at > sizeof mark - 1 && memcmp(name + at, mark, sizeof mark - 1) == 0) {
            return at;
        }
    }
    return len;
}

static size_t cut_clone_suffix(const char *name, size_t len)
{
    static const char *const words[] = {".constprop", ".isra",     ".part",
                                        ".cold",      ".lto_priv", ".llvm"};
    size_t end = len;
    while (end > 0 && is_digit(name[end - 1])) {
        end--;
    }
    if (end < len && (end == 0 || name[--end] != '.')) {
        return len;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (ends_with(name, end, words[i])) {
            return end - strlen(words[i]);
        }
    }
    return len;
}

static size_t cut_version(const char *name, size_t len)
{
    const char *at = memchr(name, '@', len);
    return at != NULL && at != name ? (size_t)(at - name) : len;
}

static size_t cut_rust_hash(const char *name, size_t len)
{
    enum { DIGITS = 16, TAIL = DIGITS + 3 };
    if (len <= TAIL || memcmp(name + len - TAIL, "::h", 3) != 0) {
        return len;
    }
    for (size_t at = len - DIGITS; at < len; at++) {
        if (!is_hex(name[at])) {
            return len;
        }
    }
    return len - TAIL;
}

size_t symbol_clean_len(const char *name, size_t len)
{
    size_t before = 0;
    do {
        before = len;
        len = cut_recursion(name, len);
        len = cut_clone_remark(name, len);
        len = cut_clone_suffix(name, len);
        len = cut_version(name, len);
        len = cut_rust_hash(name, len);
    } while (len != before);
    return len;
}

bool symbol_is_unresolved(const char *name, size_t len)
{
    if (len == 3 && memcmp(name, "???", 3) == 0) {
        return true;
    }
    if (len < 3 || memcmp(name, "0x", 2) != 0) {
        return false;
    }
    for (size_t i = 2; i < len; i++) {
        if (!is_hex(name[i])) {
            return false;
        }
    }
    return true;
}

const char *symbol_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

const char *symbol_class_of_path(const char *path, size_t *len)
{
    const char *base = symbol_file_name(path);
    *len = strlen(base);
    for (const char *so = strstr(base, ".so"); so != NULL; so = strstr(so + 1, ".so")) {
        if (so != base && (so[3] == '\0' || so[3] == '.')) {
            *len = (size_t)(so - base) + 3;
            break;
        }
    }
    return base;
}

bool symbol_is_kit(const char *name)
{
    return strncmp(name, "ckbench_", 8) == 0;
}
