// SPDX-License-Identifier: MIT
// A page that the kernel wipes in every child costs one load per use; getpid() would cost a system
// call, and ids repeat.
#define _DEFAULT_SOURCE // MADV_WIPEONFORK, MAP_ANONYMOUS
#include "backend/redis_fork.h"

#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

enum { UNSEEN = 0, SEEN = 1, RESETTING = 2 };
enum { OWNER_RESETTING = -1 };

static void *wiped_page(void)
{
#ifdef MADV_WIPEONFORK
    size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        return NULL;
    }
    if (madvise(page, bytes, MADV_WIPEONFORK) == 0) {
        return page;
    }
    (void)munmap(page, bytes);
#endif
    return NULL;
}

void cki_fork_mark_init(struct cki_fork_mark *mark)
{
    mark->page = wiped_page();
    atomic_init(&mark->owner, 0);
    cki_fork_mark_settle(mark);
}

void cki_fork_mark_release(struct cki_fork_mark *mark)
{
    if (mark->page != NULL) {
        (void)munmap((void *)mark->page, (size_t)sysconf(_SC_PAGESIZE));
        mark->page = NULL;
    }
}

static bool is_child_by_page(atomic_int *page)
{
    int seen = atomic_load_explicit(page, memory_order_acquire);
    if (seen == SEEN) {
        return false;
    }
    seen = UNSEEN;
    if (atomic_compare_exchange_strong(page, &seen, RESETTING)) {
        return true;
    }
    while (atomic_load(page) != SEEN) {
        (void)sched_yield();
    }
    return false;
}

static bool is_child_by_id(atomic_long *owner)
{
    long id = (long)getpid();
    long seen = atomic_load_explicit(owner, memory_order_acquire);
    while (seen != id) {
        if (seen == OWNER_RESETTING) {
            (void)sched_yield();
            seen = atomic_load(owner);
        } else if (atomic_compare_exchange_strong(owner, &seen, OWNER_RESETTING)) {
            return true;
        }
    }
    return false;
}

bool cki_fork_mark_is_child(struct cki_fork_mark *mark)
{
    return mark->page != NULL ? is_child_by_page(mark->page) : is_child_by_id(&mark->owner);
}

void cki_fork_mark_settle(struct cki_fork_mark *mark)
{
    if (mark->page != NULL) {
        atomic_store(mark->page, SEEN);
    } else {
        atomic_store(&mark->owner, (long)getpid());
    }
}
