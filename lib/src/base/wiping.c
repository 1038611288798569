// SPDX-License-Identifier: MIT
// Growing is taking, copying, wiping and giving back: what realloc() leaves behind nobody could
// reach any more.
#include "base/wiping.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/wipe.h"

static void *take(void *context, size_t size)
{
    const struct cki_wiping *wiping = context;
    return cki_alloc(wiping->inner, size);
}

static void give(void *context, void *block, size_t size)
{
    const struct cki_wiping *wiping = context;
    cki_wipe(block, size);
    cki_free(wiping->inner, block, size);
}

static void *move(void *context, void *block, size_t old_size, size_t size)
{
    void *other = take(context, size);
    if (other != NULL && block != NULL) {
        memcpy(other, block, old_size < size ? old_size : size);
        give(context, block, old_size);
    }
    return other;
}

void cki_wiping_init(struct cki_wiping *wiping, const cachekit_allocator *inner)
{
    *wiping = (struct cki_wiping){{take, move, give, wiping}, inner};
}

// One frame below the other, as many as it takes.
// NOLINTNEXTLINE(misc-no-recursion): the caller's number is its depth
__attribute__((noinline)) void cki_stack_wipe(unsigned pages)
{
    uint8_t frame[CKI_STACK_PAGE];
    size_t len = sizeof frame;
    __asm__("" : "+r"(len)); // a length that is known becomes a slower loop of its own
    cki_wipe(frame, len);
    if (pages > 1) {
        cki_stack_wipe(pages - 1);
    }
    __asm__ volatile("" : : "r"(frame) : "memory"); // not in this frame's place
}
