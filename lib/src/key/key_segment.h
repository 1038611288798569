// SPDX-License-Identifier: MIT
// The parts of a key besides its arguments: judged and normalised once for many keys.
#ifndef CKI_KEY_SEGMENT_H
#define CKI_KEY_SEGMENT_H

#include <stddef.h>

#include <cachekit/key.h>

enum { CKI_SEGMENT_MAX = 64, CKI_INTEROP_PREFIX_ROOM = 2 * CKI_SEGMENT_MAX + 3 };

// `{name_space}:{operation}:` and a NUL; `*len` without it. CACHEKIT_E_INVALID otherwise.
CACHEKIT_MUST_CHECK cachekit_status cki_interop_prefix(const char *name_space,
                                                       const char *operation,
                                                       char prefix[CKI_INTEROP_PREFIX_ROOM],
                                                       size_t *len, cachekit_error *error);

#endif
