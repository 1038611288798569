// SPDX-License-Identifier: MIT
// The additional data of a message, version 3: 03, then for each of tenant, cache key, format,
// compression and (where there is one) original type its length in four bytes, big-endian, and
// itself.
#ifndef CKI_BIND_H
#define CKI_BIND_H

#include <stddef.h>
#include <stdint.h>

#include <cachekit/seal.h>

enum { CKI_BIND_ROOM = 512 };

// Most additional data fit into `room`; longer ones are allocated.
struct cki_bind {
    cachekit_slice aad;
    const cachekit_allocator *allocator;
    uint8_t *block; // NULL: nothing to free
    uint8_t room[CKI_BIND_ROOM];
};

// CACHEKIT_E_INVALID: a NULL, an empty or endless key, an unknown format. CACHEKIT_E_NOMEM. After
// CACHEKIT_OK to be released, and to stay where it is until then.
CACHEKIT_MUST_CHECK cachekit_status cki_bind_init(struct cki_bind *bind, cachekit_slice tenant,
                                                  const cachekit_binding *binding,
                                                  const cachekit_allocator *allocator,
                                                  cachekit_error *error);
void cki_bind_release(struct cki_bind *bind);

#endif
