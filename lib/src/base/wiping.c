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

__attribute__((noinline)) void cki_stack_wipe(void)
{
    uint8_t frames[CKI_STACK_BYTES];
    cki_wipe(frames, sizeof frames);
}
