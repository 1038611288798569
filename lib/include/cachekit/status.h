// SPDX-License-Identifier: MIT
#ifndef CACHEKIT_STATUS_H
#define CACHEKIT_STATUS_H

#include <stdint.h>

#include <cachekit/export.h>

CACHEKIT_BEGIN_DECLS

/**
 * What a function has to say. 0 is success, a positive value an outcome that is no failure, a
 * negative one a failure: test failure by `< 0`. Numbers are never reused.
 */
typedef enum cachekit_status {
    CACHEKIT_OK = 0,
    CACHEKIT_MISS = 1,   /* no live entry */
    CACHEKIT_ROTATE = 2, /* done; the key has sealed so much that it should be replaced */

    CACHEKIT_E_INVALID = -1,    /* an argument or option outside its contract */
    CACHEKIT_E_NOMEM = -2,      /* the allocator said no; nothing was changed */
    CACHEKIT_E_TOO_LARGE = -3,  /* input over a size limit of the format */
    CACHEKIT_E_DECODE = -4,     /* bytes that are no well-formed document */
    CACHEKIT_E_BOMB = -5,       /* a claimed expansion that the input cannot back */
    CACHEKIT_E_DECOMPRESS = -6, /* a compressed block that does not decompress */
    CACHEKIT_E_CHECKSUM = -7,   /* decompressed bytes are not those that were stored */
    CACHEKIT_E_SIZE = -8,       /* decompressed length is not the stored one */
    CACHEKIT_E_VALUE = -9,      /* a value that the target format cannot say */
    CACHEKIT_E_ENTROPY = -10,   /* the entropy source failed */
    CACHEKIT_E_BUSY = -11,      /* handles are out */
    CACHEKIT_E_AUTH = -12,      /* sealed bytes, key, tenant and binding do not belong together */
    CACHEKIT_E_CONFIG = -13,    /* keys or options that cannot work on this machine or at all */
    CACHEKIT_E_EXHAUSTED = -14, /* the key has sealed all that it may */

    /* What a backend may say; behaviour by class: backend.h. */
    CACHEKIT_E_TIMEOUT = -15,     /* no answer before the deadline */
    CACHEKIT_E_TRANSIENT = -16,   /* not reachable or not ready now */
    CACHEKIT_E_REMOTE_AUTH = -17, /* the server wants other credentials */
    CACHEKIT_E_FULL = -18,        /* no room; nothing was stored */
    CACHEKIT_E_WRONG_TYPE = -19,  /* under the key lies something that is no cache entry */
    CACHEKIT_E_UNKNOWN = -20      /* a failure of no known class */
} cachekit_status;

/** The enumerator's name without its prefix ("E_DECODE"), or "?": static storage, any thread. */
CACHEKIT_API const char *cachekit_status_name(cachekit_status status);

/** One sentence for people, without a full stop: static storage, any thread. */
CACHEKIT_API const char *cachekit_status_text(cachekit_status status);

/**
 * Detail of a failure, in storage of the caller. Functions that take one accept NULL, and write
 * it only when they fail. The text is one line, names what was wrong and where, and never
 * repeats bytes of a key or a value.
 */
typedef struct cachekit_error {
    cachekit_status status;
    int foreign;       /* errno or a library's own code, 0 if there is none */
    uint64_t position; /* byte offset in the input that was read, where there is one */
    char text[160];
} cachekit_error;

CACHEKIT_END_DECLS

#endif
