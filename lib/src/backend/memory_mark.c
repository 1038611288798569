// SPDX-License-Identifier: MIT
// A child copies locks that threads of its parent hold, and it has not these threads. It must know
// before it touches such a lock.
#define _DEFAULT_SOURCE // MADV_WIPEONFORK, MAP_ANONYMOUS
#include "backend/memory_mark.h"

#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SEEN = 1, RESETTING = -1 }; // a page that was wiped reads 0

static int seen(const struct cki_mem_mark *mark)
{
    return mark->page_bytes != 0 ? SEEN : (int)getpid();
}

void cki_mem_mark_init(struct cki_mem_mark *mark)
{
    mark->word = &mark->own;
    mark->page_bytes = 0;
#ifdef MADV_WIPEONFORK
    size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED && madvise(page, bytes, MADV_WIPEONFORK) == 0) {
        mark->word = page;
        mark->page_bytes = bytes;
    } else if (page != MAP_FAILED) {
        (void)munmap(page, bytes);
    }
#endif
    atomic_store(mark->word, seen(mark));
}

void cki_mem_mark_release(struct cki_mem_mark *mark)
{
    if (mark->page_bytes != 0) {
        (void)munmap((void *)mark->word, mark->page_bytes);
    }
}

void cki_mem_mark_check(struct cki_mem_mark *mark, void (*reset)(void *context), void *context)
{
    int found = atomic_load_explicit(mark->word, memory_order_acquire);
    int wanted = seen(mark);
    if (found == wanted) {
        return;
    }
    if (found != RESETTING && atomic_compare_exchange_strong(mark->word, &found, RESETTING)) {
        reset(context);
        atomic_store(mark->word, wanted);
    }
    while (atomic_load(mark->word) != wanted) {
        (void)sched_yield();
    }
}
