// SPDX-License-Identifier: MIT
// Tells a process that it is a copy: after fork, after a raw clone, and where a process id came
// round again.
#ifndef CKI_REDIS_FORK_H
#define CKI_REDIS_FORK_H

#include <stdatomic.h>
#include <stdbool.h>

struct cki_fork_mark {
    atomic_int *page;  // reads 0 in a child; NULL: the kernel has no such pages
    atomic_long owner; // then the process id must do
};

void cki_fork_mark_init(struct cki_fork_mark *mark);
void cki_fork_mark_release(struct cki_fork_mark *mark);

// True for one thread of a child, which resets what it inherited and then calls the second
// function; the others wait for that.
bool cki_fork_mark_is_child(struct cki_fork_mark *mark);
void cki_fork_mark_settle(struct cki_fork_mark *mark);

#endif
