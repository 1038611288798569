// SPDX-License-Identifier: MIT
// Random bytes through the caller's hook. A NULL source is the kernel's.
#ifndef CKI_ENTROPY_H
#define CKI_ENTROPY_H

#include <cachekit/entropy.h>

// CACHEKIT_OK or CACHEKIT_E_ENTROPY; after a failure the bytes are unusable, not random.
CACHEKIT_MUST_CHECK cachekit_status cki_random(const cachekit_entropy *entropy, void *out,
                                               size_t len);

#endif
