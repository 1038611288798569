// SPDX-License-Identifier: MIT
// Small pieces of memory for secrets: locked into RAM, left out of core dumps, wiped when they are
// given back. One pool for the process; its pages are kept and used again.
#ifndef CKI_VAULT_H
#define CKI_VAULT_H

#include <stdbool.h>

#include <cachekit/status.h>

enum { CKI_VAULT_SLOT_BYTES = 512, CKI_VAULT_ALIGN = 16 };

// A slot of zeros. CACHEKIT_E_NOMEM, or CACHEKIT_E_CONFIG: it cannot be locked and
// `may_be_unlocked` is false.
CACHEKIT_MUST_CHECK cachekit_status cki_vault_take(bool may_be_unlocked, void **slot,
                                                   cachekit_error *error);

// Wipes. NULL: nothing.
void cki_vault_give(void *slot);

// To be called before slots are used: a child of fork does not inherit locks, so its first call
// locks again. CACHEKIT_E_CONFIG: that failed and `may_be_unlocked` is false.
CACHEKIT_MUST_CHECK cachekit_status cki_vault_check(bool may_be_unlocked, cachekit_error *error);

#endif
