// SPDX-License-Identifier: MIT
// Well-known functions, in tables: allocators, readers of clock, entropy and pid, string code and
// its variants per CPU. Names were read from dumps of glibc 2.36 and from the allocators' public
// headers; what is in no table is nothing special.
#include "measure/symbol.h"

#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static bool is_one_of(const char *name, const char *const *table, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, table[i]) == 0) {
            return true;
        }
    }
    return false;
}

// Behind the first of the prefixes that the name starts with, else the name itself.
static const char *skip_prefix(const char *name, const char *const *prefixes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(prefixes[i]);
        if (strncmp(name, prefixes[i], len) == 0) {
            return name + len;
        }
    }
    return name;
}

static bool is_allocator_object(const char *class_name)
{
    return strstr(class_name, "jemalloc") != NULL || strstr(class_name, "mimalloc") != NULL ||
           strstr(class_name, "tcmalloc") != NULL;
}

bool symbol_is_allocator(const char *class_name, const char *name)
{
    static const char *const prefixes[] = {"__libc_", "__wrap_", "je_", "mi_", "tc_", "__"};
    static const char *const entries[] = {
        "malloc",         "calloc", "realloc", "reallocarray", "memalign", "aligned_alloc",
        "posix_memalign", "valloc", "pvalloc", "mallocx",      "rallocx",
    };
    return is_one_of(skip_prefix(name, prefixes, COUNT(prefixes)), entries, COUNT(entries)) ||
           (strncmp(name, "operator new", 12) == 0 && is_allocator_object(class_name));
}

// The C library, or the dynamic linker.
static bool is_libc(const char *class_name)
{
    static const char *const loaders[] = {"ld-linux", "ld64.so", "ld.so", "ld-musl-", "libc.musl-"};
    return strcmp(class_name, "libc.so") == 0 ||
           skip_prefix(class_name, loaders, COUNT(loaders)) != class_name;
}

bool symbol_is_libc_heap(const char *class_name, const char *name)
{
    static const char *const families[] = {"_int_",         "tcache",    "malloc_",  "__malloc_",
                                           "_mid_memalign", "ptmalloc_", "arena_get"};
    static const char *const prefixes[] = {"__libc_", "__posix_", "__glibc_", "__"};
    static const char *const names[] = {
        "malloc",       "calloc",        "realloc",      "reallocarray",   "memalign",
        "free",         "aligned_alloc", "cfree",        "posix_memalign", "valloc",
        "pvalloc",      "sysmalloc",     "systrim",      "unlink_chunk",   "alloc_perturb",
        "free_perturb", "mremap_chunk",  "munmap_chunk", "sysmalloc_mmap", "heap_trim",
        "grow_heap",    "shrink_heap",   "new_heap",     "madvise_thp",    "morecore",
        "sbrk",         "brk",
    };
    return is_libc(class_name) &&
           (skip_prefix(name, families, COUNT(families)) != name ||
            is_one_of(skip_prefix(name, prefixes, COUNT(prefixes)), names, COUNT(names)));
}

static const char *const string_roots[] = {
    "bcmp",      "bzero",   "index",    "memccpy",    "memchr",     "memcmp",      "memcmpeq",
    "memcpy",    "memmem",  "memmove",  "mempcpy",    "memrchr",    "memset",      "rawmemchr",
    "rindex",    "stpcpy",  "stpncpy",  "strcasecmp", "strcasestr", "strcat",      "strchr",
    "strchrnul", "strcmp",  "strcpy",   "strcspn",    "strlen",     "strncasecmp", "strncat",
    "strncmp",   "strncpy", "strnlen",  "strpbrk",    "strrchr",    "strsep",      "strspn",
    "strstr",    "strtok",  "strtok_r", "wcscat",     "wcschr",     "wcscmp",      "wcscpy",
    "wcslen",    "wcsncmp", "wcsnlen",  "wcsrchr",    "wmemchr",    "wmemcmp",     "wmemcpy",
    "wmemmove",  "wmemset",
};

// Words that a variant's name begins with, after an underscore.
static const char *const isa_words[] = {
    "sse2",   "ssse3", "sse4_1", "sse42", "sse41",  "sse4",    "avx",    "avx2",    "avx512",
    "evex",   "fma",   "fma4",   "erms",  "x86_64", "i686",    "ia32",   "generic", "thunderx",
    "falkor", "simd",  "sve",    "mops",  "zva64",  "kunpeng", "a64fx",  "asimd",   "nosimd",
    "emag",   "mte",   "neon",   "vfp",   "power7", "power8",  "power9", "power10",
};

static bool starts_isa_word(const char *text)
{
    for (size_t i = 0; i < COUNT(isa_words); i++) {
        size_t len = strlen(isa_words[i]);
        if (strncmp(text, isa_words[i], len) == 0 && (text[len] == '\0' || text[len] == '_')) {
            return true;
        }
    }
    // One word with a number behind it: evex256, avx512, thunderx2.
    return strncmp(text, "evex", 4) == 0 || strncmp(text, "avx512", 6) == 0 ||
           strncmp(text, "thunderx", 8) == 0;
}

// The variant within a name, or NULL.
static const char *variant_of(const char *name)
{
    for (const char *at = strchr(name, '_'); at != NULL; at = strchr(at + 1, '_')) {
        if (at != name && starts_isa_word(at + 1)) {
            return at + 1;
        }
    }
    return NULL;
}

static bool is_string_root(const char *name, size_t len)
{
    for (size_t i = 0; i < COUNT(string_roots); i++) {
        if (strlen(string_roots[i]) == len && memcmp(string_roots[i], name, len) == 0) {
            return true;
        }
    }
    return false;
}

static const char *skip_underscores(const char *name)
{
    return name + strspn(name, "_");
}

// Without the locale and the fortified forms' suffix.
static size_t root_len_of(const char *name, size_t len)
{
    static const char *const tails[] = {"_chk", "_l", "_nocancel"};
    for (size_t i = 0; i < COUNT(tails); i++) {
        size_t tail = strlen(tails[i]);
        if (len > tail && memcmp(name + len - tail, tails[i], tail) == 0) {
            return len - tail;
        }
    }
    return len;
}

bool symbol_is_libc_string(const char *class_name, const char *name)
{
    const char *root = skip_underscores(name);
    const char *variant = variant_of(root);
    size_t len = variant != NULL ? (size_t)(variant - root) - 1 : strlen(root);
    return is_libc(class_name) &&
           (is_string_root(root, len) || is_string_root(root, root_len_of(root, len)));
}

bool symbol_ifunc(const char *class_name, const char *name, const char **root, size_t *root_len,
                  const char **variant)
{
    if (strncmp(name, "__", 2) != 0) {
        return false;
    }
    *root = skip_underscores(name);
    *variant = variant_of(*root);
    if (*variant == NULL) {
        return false;
    }
    *root_len = (size_t)(*variant - *root) - 1;
    // A static subject has the C library inside; there only string code is taken at its word.
    return is_libc(class_name) || strcmp(class_name, "libm.so") == 0 ||
           (strcmp(class_name, SYMBOL_EXE) == 0 &&
            is_string_root(*root, root_len_of(*root, *root_len)));
}

enum symbol_input symbol_input(const char *name)
{
    static const char *const prefixes[] = {"__vdso_", "__wrap_", "__libc_", "__"};
    static const struct {
        const char *name;
        enum symbol_input input;
    } readers[] = {
        {"clock_gettime", SYMBOL_INPUT_CLOCK},
        {"clock_gettime64", SYMBOL_INPUT_CLOCK},
        {"gettimeofday", SYMBOL_INPUT_CLOCK},
        {"time", SYMBOL_INPUT_CLOCK},
        {"timespec_get", SYMBOL_INPUT_CLOCK},
        {"clock", SYMBOL_INPUT_CLOCK},
        {"times", SYMBOL_INPUT_CLOCK},
        {"ftime", SYMBOL_INPUT_CLOCK},
        {"getrandom", SYMBOL_INPUT_ENTROPY},
        {"getentropy", SYMBOL_INPUT_ENTROPY},
        {"arc4random", SYMBOL_INPUT_ENTROPY},
        {"arc4random_buf", SYMBOL_INPUT_ENTROPY},
        {"arc4random_uniform", SYMBOL_INPUT_ENTROPY},
        {"getpid", SYMBOL_INPUT_PID},
        {"gettid", SYMBOL_INPUT_PID},
        {"getppid", SYMBOL_INPUT_PID},
    };
    const char *bare = skip_prefix(name, prefixes, COUNT(prefixes));
    for (size_t i = 0; i < COUNT(readers); i++) {
        if (strcmp(readers[i].name, bare) == 0) {
            return readers[i].input;
        }
    }
    return SYMBOL_INPUT_NONE;
}
