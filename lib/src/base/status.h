// SPDX-License-Identifier: MIT
#ifndef CKI_STATUS_H
#define CKI_STATUS_H

#include <cachekit/status.h>

// Fills `error` (NULL allowed) and returns `status`, so that a failure is one line.
__attribute__((format(printf, 4, 5))) cachekit_status
cki_fail(cachekit_error *error, cachekit_status status, uint64_t position, const char *format, ...);

#endif
