// SPDX-License-Identifier: MIT
// What all functions with a backend of one cache share: bytes in memory, and what is counted.
#ifndef CKI_BACKING_H
#define CKI_BACKING_H

#include <stdatomic.h>

#include "call/metrics.h"
#include "memory/byte_cache.h"

struct cachekit_cache;

struct cki_backing {
    struct cki_byte_cache bytes;
    struct cki_metrics metrics;
    atomic_bool is_rotation_told; // that a key is due
    char name_space[CKI_NAMESPACE_MAX + 1];
    struct cki_named_owner *owners; // under the cache's lock
};

// What functions of one name have written and read; lives as long as the bytes.
struct cki_named_owner {
    struct cki_owner owner;
    struct cki_named_owner *next;
    size_t size;
    char name[];
};

// For a cache that has a backend, from its options, whose name space becomes the copy.
CACHEKIT_MUST_CHECK cachekit_status cki_backing_new(struct cachekit_cache *cache);
// The owner of that name, made if need be; NULL: no memory.
struct cki_owner *cki_backing_owner(struct cachekit_cache *cache, const char *name);
// False: bytes are out. NULL: nothing.
bool cki_backing_free(struct cachekit_cache *cache);

#endif
