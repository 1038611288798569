// SPDX-License-Identifier: MIT
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <cachekit/bytes.h>

#include "fault_allocator.h"

Test(bytes, append_keeps_all_bytes_over_growth)
{
    cachekit_buffer buffer = CACHEKIT_BUFFER_INIT;
    for (unsigned i = 0; i < 1000; i++) {
        uint8_t byte = (uint8_t)i;
        cr_assert(eq(int, cachekit_buffer_append(&buffer, &byte, 1), CACHEKIT_OK));
    }
    cr_assert(eq(sz, buffer.len, 1000));
    for (unsigned i = 0; i < 1000; i++) {
        cr_assert(eq(u8, buffer.data[i], (uint8_t)i));
    }
    cachekit_buffer_release(&buffer);
    cr_assert(eq(sz, buffer.room, 0));
}

Test(bytes, refused_memory_changes_nothing)
{
    struct fault_allocator none;
    fault_allocator_init(&none);
    none.fail_at = 0;
    cachekit_buffer buffer;
    cachekit_buffer_init(&buffer, &none.hooks);
    cr_assert(eq(int, cachekit_buffer_append(&buffer, "x", 1), CACHEKIT_E_NOMEM));
    cr_assert(eq(sz, buffer.len, 0));
    cr_assert(eq(sz, buffer.room, 0));
    cachekit_buffer_release(&buffer);
}

Test(bytes, a_sum_over_size_max_is_refused)
{
    cachekit_buffer buffer = CACHEKIT_BUFFER_INIT;
    cr_assert(eq(int, cachekit_buffer_append(&buffer, "x", 1), CACHEKIT_OK));
    cr_assert(eq(int, cachekit_buffer_reserve(&buffer, SIZE_MAX), CACHEKIT_E_NOMEM));
    cr_assert(eq(sz, buffer.len, 1));
    cachekit_buffer_release(&buffer);
}
