// SPDX-License-Identifier: MIT
// Zeroes that no optimiser leaves out.
#ifndef CKI_WIPE_H
#define CKI_WIPE_H

#include <stddef.h>
#include <string.h>

static inline void cki_wipe(void *data, size_t len)
{
    if (len > 0) {
        memset(data, 0, len);
        __asm__ volatile("" : : "r"(data) : "memory");
    }
}

#endif
