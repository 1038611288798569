// SPDX-License-Identifier: MIT
// Pages of slots on a list that only grows, and a bit for each slot: nothing here takes a lock, so
// a child of fork or raw clone finds the pool usable whatever other threads were doing.
#define _DEFAULT_SOURCE // MADV_DONTDUMP, MADV_WIPEONFORK, MAP_ANONYMOUS
#include "seal/vault.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <sodium.h>

#include "base/status.h"

enum { SLOTS_MAX = 63 };

// Stands in the place of a page's first slot.
struct page {
    struct page *next;
    size_t bytes;
    unsigned slots;
    bool is_locked; // by the process that made the page
    _Atomic uint64_t used;
};

_Static_assert(sizeof(struct page) <= CKI_VAULT_SLOT_BYTES, "a page's head takes one slot");
_Static_assert(CKI_VAULT_SLOT_BYTES % CKI_VAULT_ALIGN == 0, "slots are aligned");

enum { UNSEEN = 0, LOCKED = 1, REFUSED = 2 }; // a child of fork reads 0

static struct {
    _Atomic(struct page *) first;
    _Atomic(_Atomic int *) mark; // one of the above; NULL: not yet, or not in this kernel
} vault;

static void *map(size_t bytes)
{
    void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page != MAP_FAILED ? page : NULL;
}

// Where the kernel has no page that a fork empties, locks are not renewed in children.
static void make_mark(size_t bytes)
{
#ifdef MADV_WIPEONFORK
    _Atomic int *none = NULL;
    _Atomic int *mark = atomic_load(&vault.mark) == NULL ? map(bytes) : NULL;
    if (mark == NULL) {
        return;
    }
    atomic_store(mark, LOCKED);
    if (madvise(mark, bytes, MADV_WIPEONFORK) != 0 ||
        !atomic_compare_exchange_strong(&vault.mark, &none, mark)) {
        (void)munmap(mark, bytes);
    }
#endif
}

static bool lock(void *page, size_t bytes)
{
    return mlock(page, bytes) == 0 && madvise(page, bytes, MADV_DONTDUMP) == 0;
}

static cachekit_status cannot_lock(cachekit_error *error)
{
    int code = errno;
    cki_fail(error, CACHEKIT_E_CONFIG, 0,
             "memory for keys cannot be locked (errno %d): raise RLIMIT_MEMLOCK or set "
             "allow_unlocked",
             code);
    if (error != NULL) {
        error->foreign = code;
    }
    return CACHEKIT_E_CONFIG;
}

static void *slot_at(struct page *page, unsigned index)
{
    return (unsigned char *)page + (size_t)(index + 1) * CKI_VAULT_SLOT_BYTES;
}

static void *take_from(struct page *page)
{
    uint64_t used = atomic_load(&page->used);
    for (unsigned i = 0; i < page->slots;) {
        uint64_t bit = (uint64_t)1 << i;
        if ((used & bit) != 0) {
            i++;
        } else if (atomic_compare_exchange_weak(&page->used, &used, used | bit)) {
            return slot_at(page, i);
        }
    }
    return NULL;
}

// A page with its first slot taken.
static cachekit_status add_page(bool may_be_unlocked, void **slot, cachekit_error *error)
{
    size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    make_mark(bytes);
    struct page *page = map(bytes);
    if (page == NULL) {
        return cki_fail(error, CACHEKIT_E_NOMEM, 0, "no memory for keys");
    }
    page->is_locked = lock(page, bytes);
    if (!page->is_locked && !may_be_unlocked) {
        cachekit_status status = cannot_lock(error);
        (void)munmap(page, bytes);
        return status;
    }
    size_t slots = bytes / CKI_VAULT_SLOT_BYTES - 1;
    page->bytes = bytes;
    page->slots = slots < SLOTS_MAX ? (unsigned)slots : SLOTS_MAX;
    atomic_init(&page->used, 1);
    *slot = slot_at(page, 0);
    page->next = atomic_load(&vault.first);
    while (!atomic_compare_exchange_weak(&vault.first, &page->next, page)) {
    }
    return CACHEKIT_OK;
}

cachekit_status cki_vault_take(bool may_be_unlocked, void **slot, cachekit_error *error)
{
    *slot = NULL;
    cachekit_status status = cki_vault_check(may_be_unlocked, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    for (struct page *p = atomic_load(&vault.first); p != NULL && *slot == NULL; p = p->next) {
        if (p->is_locked || may_be_unlocked) {
            *slot = take_from(p);
        }
    }
    return *slot != NULL ? CACHEKIT_OK : add_page(may_be_unlocked, slot, error);
}

void cki_vault_give(void *slot)
{
    if (slot == NULL) {
        return;
    }
    sodium_memzero(slot, CKI_VAULT_SLOT_BYTES);
    for (struct page *p = atomic_load(&vault.first); p != NULL; p = p->next) {
        uintptr_t offset = (uintptr_t)slot - (uintptr_t)p;
        if (offset < p->bytes) {
            uint64_t bit = (uint64_t)1 << (offset / CKI_VAULT_SLOT_BYTES - 1);
            atomic_fetch_and(&p->used, ~bit);
            return;
        }
    }
}

static bool relock(void)
{
    for (struct page *p = atomic_load(&vault.first); p != NULL; p = p->next) {
        if (p->is_locked && mlock(p, p->bytes) != 0) {
            return false;
        }
    }
    return true;
}

// Several threads of a child may lock at once; that does no harm.
cachekit_status cki_vault_check(bool may_be_unlocked, cachekit_error *error)
{
    _Atomic int *mark = atomic_load_explicit(&vault.mark, memory_order_acquire);
    int state = mark != NULL ? atomic_load_explicit(mark, memory_order_relaxed) : LOCKED;
    if (state == LOCKED || (state == REFUSED && may_be_unlocked)) {
        return CACHEKIT_OK;
    }
    bool is_locked = relock();
    atomic_store(mark, is_locked ? LOCKED : REFUSED);
    return is_locked || may_be_unlocked ? CACHEKIT_OK : cannot_lock(error);
}
