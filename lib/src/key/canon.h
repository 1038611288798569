// SPDX-License-Identifier: MIT
// The one packer of arguments: canonical MessagePack under a profile, to any allowed depth.
#ifndef CKI_CANON_H
#define CKI_CANON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cachekit/arg.h>
#include <cachekit/status.h>

#include "key/key_profile.h"
#include "key/key_scratch.h"
#include "key/spans.h"

// An open collection.
struct cki_level {
    const void *items; // arguments or, of a value tree, nodes; of a map: key, value, key, value
    size_t count, next;
    size_t begin; // of its bytes
    size_t spans; // how many there were before its own
    uint32_t type;
    bool is_tree;
};

// Some two KiB: what small collections need besides the bytes. Not to be moved.
struct cki_canon {
    const struct cki_profile *profile;
    cachekit_error *error;
    const char *what; // an item of the root is called, in errors
    size_t position;  // of it, from 1
    struct cki_scratch bytes, levels, spans, ordered;
    struct cki_level level_room[8];
    struct cki_span span_room[16];
    uint8_t byte_room[256], ordered_room[256];
};

void cki_canon_init(struct cki_canon *c, const struct cki_profile *profile,
                    const cachekit_allocator *allocator, cachekit_error *error);
void cki_canon_release(struct cki_canon *c);

// Each appends one object to c->bytes: the array of the arguments; the map of named ones, `pairs`
// pairs of name and value. CACHEKIT_OK; the profile's refusal; CACHEKIT_E_INVALID: NULL, an unknown
// type, 2 GiB and more in all; CACHEKIT_E_NOMEM.
CACHEKIT_MUST_CHECK cachekit_status cki_canon_list(struct cki_canon *c, const cachekit_arg *args,
                                                   size_t count);
CACHEKIT_MUST_CHECK cachekit_status cki_canon_named(struct cki_canon *c, const cachekit_arg *args,
                                                    size_t pairs);

#endif
