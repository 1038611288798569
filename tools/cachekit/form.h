// SPDX-License-Identifier: MIT
// JSON to stored bytes and back: the one pipeline behind encode, decode, put and get.
#ifndef CACHEKIT_COMMAND_FORM_H
#define CACHEKIT_COMMAND_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include <cachekit/bytes.h>
#include <cachekit/envelope.h>
#include <cachekit/seal.h>
#include <cachekit/status.h>

#include "cli/opt.h"

enum form_format { FORM_INTEROP, FORM_ENVELOPE, FORM_MSGPACK, FORM_RAW };

// Words of enum form_format in its order, ended by NULL; with FORM_RAW, and without.
extern const char *const form_words_raw[];
extern const char *const form_words[];

struct form {
    int format; // enum form_format
    bool encrypt;
    const char *tenant;
    const char *cache_key;
    bool allow_unlocked;
};

// Option rows for an options struct whose first member is a struct form.
#define FORM_FORMAT(words)                                                                         \
    OPT_CHOICE(struct form, format, "format", 'f', words, "NAME", "what the bytes are")
#define FORM_ROWS(bound_to)                                                                        \
    OPT_FLAG(struct form, encrypt, "encrypt", 'e',                                                 \
             "the bytes are sealed, under CACHEKIT_MASTER_KEY"),                                   \
        OPT_TEXT(struct form, tenant, "tenant", 0, "NAME",                                         \
                 "whose key seals; \"default\" if it is not given"),                               \
        OPT_TEXT(struct form, cache_key, "cache-key", 'k', "KEY", bound_to),                       \
        OPT_FLAG(struct form, allow_unlocked, "allow-unlocked", 0,                                 \
                 "go on where the system does not let keys be locked in memory")

// The longest input that form_decode() may be given.
enum { FORM_INPUT_MAX_BYTES = (int)CACHEKIT_ENVELOPE_MAX_BYTES + CACHEKIT_SEAL_OVERHEAD_BYTES };

// What a tree may take of memory.
size_t form_tree_budget(void);

// Options that belong together; NULL, or what is wrong with them, for a usage complaint.
const char *form_check(const struct form *form);

// `json` into `out`, both owned by the caller.
cachekit_status form_encode(const struct form *form, cachekit_slice json, cachekit_buffer *out,
                            cachekit_error *error);

// Stored bytes into one line of JSON with its newline; of FORM_RAW into the bytes themselves.
cachekit_status form_decode(const struct form *form, cachekit_slice bytes, cachekit_buffer *out,
                            cachekit_error *error);

#endif
