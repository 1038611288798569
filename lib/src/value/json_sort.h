// SPDX-License-Identifier: MIT
#ifndef CKI_JSON_SORT_H
#define CKI_JSON_SORT_H

#include <cachekit/value.h>

// Fills `order` with the numbers of the pairs of a map with text keys, in bytewise order of the
// keys; equal keys stay in theirs. In place, without recursion, n log n.
void cki_json_sort(const cachekit_value *items, uint32_t pairs, uint32_t *order);

#endif
