// SPDX-License-Identifier: MIT
// Names of interop keys: a table of characters, in which the NUL is no character of a name,
// so that the first one that is none ends the walk.
#include "key/key_segment.h"

#include <string.h>

#include "base/status.h"

enum { PLAIN = 1, MARK = 2, DOT = 4 }; // a name begins with a plain one

static const uint8_t kinds[256] = {
    ['.'] = DOT,   ['-'] = MARK,  ['_'] = MARK,  ['0'] = PLAIN, ['1'] = PLAIN, ['2'] = PLAIN,
    ['3'] = PLAIN, ['4'] = PLAIN, ['5'] = PLAIN, ['6'] = PLAIN, ['7'] = PLAIN, ['8'] = PLAIN,
    ['9'] = PLAIN, ['a'] = PLAIN, ['b'] = PLAIN, ['c'] = PLAIN, ['d'] = PLAIN, ['e'] = PLAIN,
    ['f'] = PLAIN, ['g'] = PLAIN, ['h'] = PLAIN, ['i'] = PLAIN, ['j'] = PLAIN, ['k'] = PLAIN,
    ['l'] = PLAIN, ['m'] = PLAIN, ['n'] = PLAIN, ['o'] = PLAIN, ['p'] = PLAIN, ['q'] = PLAIN,
    ['r'] = PLAIN, ['s'] = PLAIN, ['t'] = PLAIN, ['u'] = PLAIN, ['v'] = PLAIN, ['w'] = PLAIN,
    ['x'] = PLAIN, ['y'] = PLAIN, ['z'] = PLAIN,
};

// Copies a name, which `to` must hold if it is one; its length, or 0.
static size_t copy_segment(const char *name, char *to)
{
    unsigned kind, seen = 0;
    size_t len = 0;
    if (name == NULL || kinds[(uint8_t)name[0]] != PLAIN) {
        return 0;
    }
    for (; (kind = kinds[(uint8_t)name[len]]) != 0; len++) {
        if (len == CKI_SEGMENT_MAX) {
            return 0;
        }
        to[len] = name[len];
        seen |= kind;
    }
    return name[len] == '\0' && ((seen & DOT) == 0 || strstr(name, "..") == NULL) ? len : 0;
}

static bool is_reserved(const char *name, size_t len)
{
    return (len == 2 && (memcmp(name, "ns", 2) == 0 || memcmp(name, "ck", 2) == 0)) ||
           (len == 5 && memcmp(name, "nsapi", 5) == 0);
}

cachekit_status cki_interop_prefix(const char *name_space, const char *operation,
                                   char prefix[CKI_INTEROP_PREFIX_ROOM], size_t *len,
                                   cachekit_error *error)
{
    static const char form[] =
        "must be 1 to 64 of a-z, 0-9, '.', '_', '-', begin with a letter or digit and have no '..'";
    size_t first = copy_segment(name_space, prefix), second = 0;
    if (first > 0) {
        prefix[first] = ':';
        second = copy_segment(operation, prefix + first + 1);
    }
    if (second == 0) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "the %s %s",
                        first == 0 ? "name space" : "operation", form);
    }
    if (is_reserved(name_space, first)) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "the name spaces ns, nsapi, ck are reserved");
    }
    *len = first + second + 2;
    prefix[*len - 1] = ':';
    prefix[*len] = '\0';
    return CACHEKIT_OK;
}
