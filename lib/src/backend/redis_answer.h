// SPDX-License-Identifier: MIT
// One reply of a server, built by hiredis's reader straight into the place where it is wanted.
#ifndef CKI_REDIS_ANSWER_H
#define CKI_REDIS_ANSWER_H

#include <stdbool.h>

#include <cachekit/bytes.h>

enum cki_answer_kind {
    CKI_ANSWER_NONE = 0,
    CKI_ANSWER_STATUS = 1,
    CKI_ANSWER_ERROR = 2,
    CKI_ANSWER_INTEGER = 4,
    CKI_ANSWER_NIL = 8,
    CKI_ANSWER_BULK = 16,
    CKI_ANSWER_ARRAY = 32
};

// One element of an array, in the order of the bytes; an array stands before its elements.
struct cki_answer_item {
    enum cki_answer_kind kind;
    int64_t number; // the integer, or how many elements
    size_t offset;  // a text's place in `bulk`
    size_t len;
};

enum { CKI_ANSWER_LINE_ROOM = 320, CKI_ANSWER_ITEMS_MAX = 1 << 20 };

struct cki_answer {
    enum cki_answer_kind kind;
    int64_t number;         // the integer, or how many elements
    cachekit_buffer *bulk;  // the bytes go there; NULL: no bytes are wanted
    cachekit_buffer *items; // elements go there; NULL: no array is wanted
    size_t item_count;
    cachekit_status refused;         // why it was not built
    char line[CKI_ANSWER_LINE_ROOM]; // status or error, cut to fit
};

// Forgets the reply, keeps where the next one goes.
void cki_answer_reset(struct cki_answer *answer);

// A reader that builds the `struct cki_answer` its privdata points to; NULL without memory.
struct redisReader *cki_answer_reader_new(void);

#endif
