// SPDX-License-Identifier: MIT
// Every allocation refused in turn: the right status, nothing lost, and the next call works.
#include "seal_kit.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>

#include "fault_allocator.h"

// The one allocation that is not a keyring's: the count. The linker puts this before malloc().
void *__wrap_malloc(size_t size);
void *__real_malloc(size_t size);
static bool no_malloc;

void *__wrap_malloc(size_t size)
{
    return no_malloc ? NULL : __real_malloc(size);
}

// The kernel's random bytes, with what it may do about them.
ssize_t __wrap_getrandom(void *out, size_t len, unsigned flags);
ssize_t __real_getrandom(void *out, size_t len, unsigned flags);
static int random_errno;   // 0: it works
static int random_signals; // calls that a signal ends
static size_t random_most = 256;
static int random_calls;

ssize_t __wrap_getrandom(void *out, size_t len, unsigned flags)
{
    random_calls++;
    if (random_errno != 0 || random_signals > 0) {
        errno = random_signals-- > 0 ? EINTR : random_errno;
        return -1;
    }
    return __real_getrandom(out, len < random_most ? len : random_most, flags);
}

static cachekit_status new_ring(const cachekit_allocator *allocator, cachekit_keyring **keyring)
{
    const char *const retired[] = {MASTER_11, MASTER_22};
    cachekit_keyring_options options = CACHEKIT_KEYRING_OPTIONS_INIT;
    options.master_key = MASTER_61;
    options.retired_keys = retired;
    options.retired_count = 2;
    options.allocator = allocator;
    return cachekit_keyring_new(&options, keyring, NULL);
}

Test(seal_faults, a_keyring_that_cannot_be_made_leaves_nothing)
{
    struct fault_allocator fault;
    fault_allocator_init(&fault);
    int failures = 0;
    for (fault.fail_at = 0;; fault.fail_at++) {
        fault.calls = 0;
        cachekit_keyring *keyring = (cachekit_keyring *)&fault;
        cachekit_status status = new_ring(&fault.hooks, &keyring);
        if (status == CACHEKIT_OK) {
            cr_assert(le(int, fault.calls, fault.fail_at));
            cachekit_keyring_free(keyring);
            break;
        }
        cr_assert(eq(int, status, CACHEKIT_E_NOMEM));
        cr_assert(eq(ptr, keyring, NULL));
        cr_assert(eq(sz, fault.live_blocks, 0));
        failures++;
    }
    cr_assert(ge(int, failures, 1));
    cr_assert(eq(sz, fault.live_blocks, 0));
    cr_assert(eq(sz, fault.live_bytes, 0));
}

static void *static_alloc(void *context, size_t size)
{
    static uint64_t memory[512];
    *(int *)context += 1;
    return size <= sizeof memory ? memory : NULL;
}

static void static_free(void *context, void *block, size_t size)
{
    (void)block, (void)size;
    *(int *)context -= 1;
}

Test(seal_faults, no_room_for_the_count_is_no_keyring)
{
    int live = 0;
    const cachekit_allocator allocator = {static_alloc, NULL, static_free, &live};
    cachekit_keyring *keyring = (cachekit_keyring *)&live;
    no_malloc = true;
    cachekit_status status = new_ring(&allocator, &keyring);
    no_malloc = false;
    cr_assert(eq(int, status, CACHEKIT_E_NOMEM));
    cr_assert(eq(ptr, keyring, NULL));
    cr_assert(eq(int, live, 0));
    cr_assert(eq(int, new_ring(&allocator, &keyring), CACHEKIT_OK));
    cachekit_keyring_free(keyring);
    cr_assert(eq(int, live, 0));
}

struct messages {
    cachekit_keyring *keyring;
    cachekit_binding binding;
    cachekit_buffer sealed, out;
};

static cachekit_status exchange(struct messages *m)
{
    cachekit_status status =
        cachekit_seal(m->keyring, &m->binding, text_slice("value"), &m->sealed, NULL);
    if (status == CACHEKIT_OK) {
        status = cachekit_open(m->keyring, &m->binding, whole(&m->sealed), &m->out, NULL, NULL);
    }
    if (status != CACHEKIT_OK) {
        cr_assert(eq(int, status, CACHEKIT_E_NOMEM));
        cr_assert(m->sealed.len == 0 || m->out.len == 0);
    }
    cachekit_buffer_release(&m->sealed);
    cachekit_buffer_release(&m->out);
    return status;
}

// A binding of 600 bytes is one that is allocated, twice.
Test(seal_faults, a_message_that_finds_no_memory_is_none)
{
    static char key[600];
    memset(key, 'k', sizeof key - 1);
    struct fault_allocator fault;
    fault_allocator_init(&fault);
    struct messages m = {.binding = binding_of(key)};
    cr_assert(eq(int, new_ring(&fault.hooks, &m.keyring), CACHEKIT_OK));
    cachekit_buffer_init(&m.sealed, &fault.hooks);
    cachekit_buffer_init(&m.out, &fault.hooks);
    size_t live = fault.live_blocks;
    int failures = 0;
    fault.calls = 0;
    for (fault.fail_at = 0; exchange(&m) != CACHEKIT_OK; fault.fail_at++) {
        cr_assert(eq(sz, fault.live_blocks, live));
        fault.calls = 0;
        failures++;
    }
    cr_assert(eq(int, failures, 4));
    uint64_t sealed = cachekit_keyring_sealed(m.keyring);
    fault.calls = 0;
    fault.fail_at = 1; // the buffer of the first message
    cr_assert(lt(int, exchange(&m), 0));
    cr_assert(eq(u64, cachekit_keyring_sealed(m.keyring), sealed), "and was not counted");
    cachekit_keyring_free(m.keyring);
    cr_assert(eq(sz, fault.live_blocks, 0));
}

Test(seal_faults, short_bindings_and_used_buffers_allocate_nothing)
{
    struct fault_allocator fault;
    fault_allocator_init(&fault);
    cachekit_binding binding = binding_of("namespace:operation:0123456789abcdef0123456789abcdef");
    cachekit_buffer sealed = CACHEKIT_BUFFER_INIT;
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    cachekit_keyring *keyring = NULL;
    cr_assert(eq(int, new_ring(&fault.hooks, &keyring), CACHEKIT_OK));
    cachekit_buffer_init(&sealed, &fault.hooks);
    cachekit_buffer_init(&out, &fault.hooks);
    for (int i = 0; i < 3; i++) {
        if (i == 1) {
            fault.calls = 0;
        }
        cr_assert(eq(int, cachekit_seal(keyring, &binding, text_slice("v"), &sealed, NULL), 0));
        cr_assert(eq(int, cachekit_open(keyring, &binding, whole(&sealed), &out, NULL, NULL), 0));
    }
    cr_assert(eq(int, fault.calls, 0));
    cachekit_buffer_release(&sealed);
    cachekit_buffer_release(&out);
    cachekit_keyring_free(keyring);
    cr_assert(eq(sz, fault.live_blocks, 0));
}

Test(seal_faults, a_kernel_without_random_bytes_is_an_error_and_no_message)
{
    cachekit_binding binding = binding_of("k");
    cachekit_buffer sealed = CACHEKIT_BUFFER_INIT;
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    cachekit_error error = {0};
    cachekit_keyring *keyring = NULL;
    cr_assert(eq(int, new_ring(NULL, &keyring), CACHEKIT_OK));
    uint64_t counted = cachekit_keyring_sealed(keyring);
    random_errno = EIO;
    cr_assert(eq(int, cachekit_seal(keyring, &binding, text_slice("v"), &sealed, &error),
                 CACHEKIT_E_ENTROPY));
    cr_assert(eq(int, error.status, CACHEKIT_E_ENTROPY));
    cr_assert(eq(sz, sealed.len, 0));
    cr_assert(eq(u64, cachekit_keyring_sealed(keyring), counted));
    random_errno = 0;
    random_signals = 3;
    random_most = 5;
    random_calls = 0;
    cr_assert(eq(int, cachekit_seal(keyring, &binding, text_slice("v"), &sealed, NULL), 0));
    cr_assert(eq(int, random_calls, 3 + 3), "three signals, 5 and 5 and 2 bytes");
    cr_assert(eq(int, cachekit_open(keyring, &binding, whole(&sealed), &out, NULL, NULL), 0));
    cachekit_keyring_free(keyring);
    cachekit_buffer_release(&sealed);
    cachekit_buffer_release(&out);
}
