// SPDX-License-Identifier: MIT
// What a forked child must forget. One registration with pthread_atfork for the process, and a page
// that the kernel wipes in any child, for those that were not made by fork().
#ifndef CKI_FORK_H
#define CKI_FORK_H

#include <stdbool.h>

struct cachekit_cache;

// How often this process is a child of one that used the library.
unsigned cki_forks(void);

// Puts the cache on the list of those to be reset in a child, and takes it off.
bool cki_fork_enlist(struct cachekit_cache *cache);
void cki_fork_delist(struct cachekit_cache *cache);

// On every slow way: does what the fork handler would have done, if it did not run.
void cki_fork_check(void);

#endif
