// SPDX-License-Identifier: MIT
// Tells a new process from the one that made the mark, however it was made: the kernel wipes the
// mark's page in any child. Costs a load; where there is no such page, a getpid().
#ifndef CKI_MEMORY_MARK_H
#define CKI_MEMORY_MARK_H

#include <stdbool.h>
#include <stddef.h>

struct cki_mem_mark {
    _Atomic int *word; // what the process that was reset last has written there
    _Atomic int own;   // the word where there is no page
    size_t page_bytes; // 0: there is no page
};

void cki_mem_mark_init(struct cki_mem_mark *mark);
void cki_mem_mark_release(struct cki_mem_mark *mark);

// Runs `reset` once in a process that is new, while its other threads wait.
void cki_mem_mark_check(struct cki_mem_mark *mark, void (*reset)(void *context), void *context);

#endif
