// SPDX-License-Identifier: MIT
// Where keys lie: locked, left out of dumps, wiped; and what happens where that cannot be had.
#include "seal_kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "seal/vault.h"

// Sanitizers answer mlock() themselves and lock nothing.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { LOCKS_ARE_REAL = 0 };
#elif defined(__has_feature)
#    if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { LOCKS_ARE_REAL = 0 };
#    else
enum { LOCKS_ARE_REAL = 1 };
#    endif
#else
enum { LOCKS_ARE_REAL = 1 };
#endif

// The linker puts these before the C library's own, for what the machine cannot be made to do.
int __wrap_mlock(const void *start, size_t len);
int __real_mlock(const void *start, size_t len);
int __wrap_madvise(void *start, size_t len, int advice);
int __real_madvise(void *start, size_t len, int advice);
// With and without _FILE_OFFSET_BITS the library's calls have different names.
void *__wrap_mmap(void *start, size_t len, int access, int flags, int file, off_t offset);
void *__wrap_mmap64(void *start, size_t len, int access, int flags, int file, off_t offset);
void *__real_mmap64(void *start, size_t len, int access, int flags, int file, off_t offset);
static bool no_lock, no_dump_advice, no_fork_advice;
static int maps_left = -1; // -1: any number

int __wrap_mlock(const void *start, size_t len)
{
    return no_lock ? -1 : __real_mlock(start, len);
}

int __wrap_madvise(void *start, size_t len, int advice)
{
    bool is_refused = (advice == MADV_DONTDUMP && no_dump_advice) ||
                      (advice == MADV_WIPEONFORK && no_fork_advice);
    return is_refused ? -1 : __real_madvise(start, len, advice);
}

void *__wrap_mmap64(void *start, size_t len, int access, int flags, int file, off_t offset)
{
    if (maps_left == 0) {
        return MAP_FAILED;
    }
    maps_left -= maps_left > 0;
    return __real_mmap64(start, len, access, flags, file, offset);
}

void *__wrap_mmap(void *start, size_t len, int access, int flags, int file, off_t offset)
{
    return __wrap_mmap64(start, len, access, flags, file, offset);
}

static long locked_kb(void)
{
    char line[256];
    long kb = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "VmLck: %ld", &kb) == 1) {
            break;
        }
    }
    (void)fclose(file);
    return kb;
}

static cachekit_status new_ring(bool allow_unlocked, cachekit_keyring **keyring,
                                cachekit_error *error)
{
    cachekit_keyring_options options = CACHEKIT_KEYRING_OPTIONS_INIT;
    options.master_key = MASTER_61;
    options.allow_unlocked = allow_unlocked;
    return cachekit_keyring_new(&options, keyring, error);
}

static cachekit_status seal_and_open(cachekit_keyring *keyring)
{
    cachekit_binding binding = binding_of("k");
    cachekit_buffer sealed = CACHEKIT_BUFFER_INIT;
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    cachekit_status status = cachekit_seal(keyring, &binding, text_slice("v"), &sealed, NULL);
    if (status == CACHEKIT_OK) {
        status = cachekit_open(keyring, &binding, whole(&sealed), &out, NULL, NULL);
    }
    cachekit_buffer_release(&sealed);
    cachekit_buffer_release(&out);
    return status;
}

Test(vault, slots_are_zero_aligned_apart_and_used_again)
{
    enum { SLOTS = 100 };
    static void *slots[SLOTS];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < SLOTS; i++) {
            cr_assert(eq(int, cki_vault_take(false, &slots[i], NULL), CACHEKIT_OK));
            cr_assert(eq(sz, (uintptr_t)slots[i] % CKI_VAULT_ALIGN, 0));
            for (size_t k = 0; k < CKI_VAULT_SLOT_BYTES; k++) {
                cr_assert(eq(int, ((uint8_t *)slots[i])[k], 0));
            }
            memset(slots[i], i + 1, CKI_VAULT_SLOT_BYTES);
        }
        for (int i = 0; i < SLOTS; i++) {
            const uint8_t *slot = slots[i];
            cr_assert(eq(int, slot[0], i + 1));
            cr_assert(eq(int, slot[CKI_VAULT_SLOT_BYTES - 1], i + 1));
            cki_vault_give(slots[i]);
            cr_assert(eq(int, slot[0], 0));
        }
    }
    cki_vault_give(NULL);
    // 7 slots of a page of 4 KiB, and the pages of the first round again in the second.
    cr_assert(LOCKS_ARE_REAL == 0 || sysconf(_SC_PAGESIZE) != 4096 || locked_kb() == 15 * 4);
}

Test(vault, keyrings_of_many_tenants_share_pages_and_give_them_back)
{
    for (int round = 0; round < 3; round++) {
        cachekit_keyring *rings[14];
        for (int i = 0; i < 14; i++) {
            cr_assert(eq(int, new_ring(false, &rings[i], NULL), CACHEKIT_OK));
        }
        for (int i = 0; i < 14; i++) {
            cr_assert(eq(int, seal_and_open(rings[i]), CACHEKIT_OK));
            cachekit_keyring_free(rings[i]);
        }
    }
    cr_assert(LOCKS_ARE_REAL == 0 || locked_kb() <= 12);
}

// In a child, because a process cannot have its limits back.
static int in_child(int (*act)(cachekit_keyring *keyring), cachekit_keyring *keyring)
{
    pid_t pid = fork();
    if (pid == 0) {
        _exit(act(keyring));
    }
    int status = 0;
    cr_assert(eq(int, waitpid(pid, &status, 0), pid));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// root may lock whatever the limit says.
static bool give_up_locking(void)
{
    const struct rlimit none = {0, 0};
    return setrlimit(RLIMIT_MEMLOCK, &none) == 0 && (geteuid() != 0 || setuid(65534) == 0);
}

static int make_without_limit(cachekit_keyring *unused)
{
    (void)unused;
    cachekit_keyring *keyring = NULL;
    cachekit_error error = {0};
    if (!give_up_locking()) {
        return 1;
    }
    if (new_ring(false, &keyring, &error) != CACHEKIT_E_CONFIG || keyring != NULL ||
        error.foreign == 0 || strstr(error.text, "allow_unlocked") == NULL) {
        return 2;
    }
    if (new_ring(true, &keyring, &error) != CACHEKIT_OK) {
        return 3;
    }
    return seal_and_open(keyring) == CACHEKIT_OK && locked_kb() == 0 ? 0 : 4;
}

Test(vault, where_memory_cannot_be_locked_keys_need_leave)
{
    cr_assert(LOCKS_ARE_REAL == 0 || in_child(make_without_limit, NULL) == 0);
}

static int use_and_see_locks(cachekit_keyring *keyring)
{
    if (LOCKS_ARE_REAL && locked_kb() != 0) {
        return 1; // the kernel takes no lock across a fork
    }
    if (seal_and_open(keyring) != CACHEKIT_OK) {
        return 2;
    }
    return !LOCKS_ARE_REAL || locked_kb() > 0 ? 0 : 3;
}

static int use_without_limit(cachekit_keyring *keyring)
{
    if (!give_up_locking()) {
        return 1;
    }
    cachekit_keyring *another = NULL;
    return seal_and_open(keyring) == CACHEKIT_E_CONFIG &&
                   seal_and_open(keyring) == CACHEKIT_E_CONFIG &&
                   new_ring(false, &another, NULL) == CACHEKIT_E_CONFIG
               ? 0
               : 2;
}

static int use_lax_without_limit(cachekit_keyring *keyring)
{
    if (!give_up_locking()) {
        return 1;
    }
    return seal_and_open(keyring) == CACHEKIT_OK && seal_and_open(keyring) == CACHEKIT_OK ? 0 : 2;
}

Test(vault, the_first_use_in_a_child_of_fork_locks_again_or_refuses)
{
    cachekit_keyring *strict = NULL;
    cachekit_keyring *lax = NULL;
    cr_assert(eq(int, new_ring(false, &strict, NULL), CACHEKIT_OK));
    cr_assert(eq(int, new_ring(true, &lax, NULL), CACHEKIT_OK));
    cr_assert(LOCKS_ARE_REAL == 0 || locked_kb() > 0);
    cr_expect(eq(int, in_child(use_and_see_locks, strict), 0));
    cr_expect(eq(int, in_child(use_and_see_locks, lax), 0));
    if (LOCKS_ARE_REAL) {
        cr_expect(eq(int, in_child(use_without_limit, strict), 0));
        cr_expect(eq(int, in_child(use_lax_without_limit, lax), 0));
    }
    cachekit_keyring_free(strict);
    cachekit_keyring_free(lax);
}

Test(vault, a_page_that_would_be_dumped_counts_as_not_locked)
{
    cachekit_keyring *keyring = NULL;
    no_dump_advice = true;
    cr_assert(eq(int, new_ring(false, &keyring, NULL), CACHEKIT_E_CONFIG));
    cr_assert(eq(int, new_ring(true, &keyring, NULL), CACHEKIT_OK));
    cachekit_keyring_free(keyring);
}

// Two pages are there, one locked and one not: strict keyrings fill the first and are then refused,
// each needing one slot and one more while it is made.
Test(vault, strict_keyrings_take_locked_slots_only)
{
    cachekit_keyring *rings[70] = {NULL};
    no_lock = true;
    cr_assert(eq(int, new_ring(true, &rings[0], NULL), CACHEKIT_OK));
    cr_assert(eq(int, new_ring(false, &rings[1], NULL), CACHEKIT_E_CONFIG));
    no_lock = false;
    cr_assert(eq(int, new_ring(false, &rings[1], NULL), CACHEKIT_OK));
    no_lock = true;
    int made = 1;
    while (new_ring(false, &rings[made + 1], NULL) == CACHEKIT_OK) {
        cr_assert(lt(int, ++made, 68));
    }
    cr_assert(sysconf(_SC_PAGESIZE) != 4096 || made == 6, "%d", made);
    for (int i = 0; i <= made; i++) {
        cachekit_keyring_free(rings[i]);
    }
}

// Kernels before 4.14: children keep the keys and do not lock again.
Test(vault, a_kernel_that_cannot_tell_of_forks_is_enough)
{
    no_fork_advice = true;
    cachekit_keyring *keyring = NULL;
    cr_assert(eq(int, new_ring(false, &keyring, NULL), CACHEKIT_OK));
    cr_assert(eq(int, seal_and_open(keyring), CACHEKIT_OK));
    cachekit_keyring_free(keyring);
}

Test(vault, no_memory_is_told_as_that)
{
    cachekit_keyring *keyring = (cachekit_keyring *)&maps_left;
    cachekit_error error = {0};
    maps_left = 0;
    cr_assert(eq(int, new_ring(true, &keyring, &error), CACHEKIT_E_NOMEM));
    cr_assert(eq(int, error.status, CACHEKIT_E_NOMEM));
    cr_assert(eq(ptr, keyring, NULL));
    maps_left = -1;
    cr_assert(eq(int, new_ring(false, &keyring, NULL), CACHEKIT_OK));
    cachekit_keyring_free(keyring);
}
