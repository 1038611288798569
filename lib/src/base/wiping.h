// SPDX-License-Identifier: MIT
// An allocator behind which nothing is left: what goes back to another one, and what a block that
// grows leaves where it was, is zeroes.
#ifndef CKI_WIPING_H
#define CKI_WIPING_H

#include <cachekit/allocator.h>

struct cki_wiping {
    cachekit_allocator hooks; // give this to who shall use it
    const cachekit_allocator *inner;
};

// The struct must stay where it is. `inner` may be NULL, as everywhere.
void cki_wiping_init(struct cki_wiping *wiping, const cachekit_allocator *inner);

// Wipes so many times 4 KiB of stack below the caller's frame, where the frames of its other calls
// were.
enum { CKI_STACK_PAGE = 4096 };
void cki_stack_wipe(unsigned pages);

#endif
