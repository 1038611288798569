// SPDX-License-Identifier: MIT
// The order in which interop/v1 writes the pairs of a map: bytewise by keys, each of them once.
#ifndef CKI_INTEROP_ORDER_H
#define CKI_INTEROP_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include <cachekit/value.h>

enum cki_keys { CKI_KEYS_SORTED, CKI_KEYS_UNSORTED, CKI_KEYS_TWICE, CKI_KEYS_NO_TEXT };

// What the keys of a map are. UNSORTED may still hide one that is there twice.
enum cki_keys cki_keys_look(const cachekit_value *items, uint32_t pairs);

// Maps of so many pairs keep their order in one number.
enum { CKI_ORDER_PACKED_MAX = 15 };

// Both order unsorted text keys, the last pair first: its number is in order[0], or in the lowest
// four bits of a packed order, which is never 0. False: a key is there twice.
bool cki_order_packed(const cachekit_value *items, uint32_t pairs, uint64_t *order);
bool cki_order(const cachekit_value *items, uint32_t pairs, uint32_t *order);

#endif
