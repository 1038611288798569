// SPDX-License-Identifier: MIT
// Dates travel as maps of two pairs: a name with true, and "value" with the text.
#ifndef CKI_SENTINEL_H
#define CKI_SENTINEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cachekit/value.h>

// The key that stands for a DATETIME, DATE or TIME ("__datetime__"), or NULL for other types.
const char *cki_sentinel_name(uint32_t type);

// Turns `map` into the date that it stands for, if it is one. Its texts may be freed after that,
// but not the text under "value".
bool cki_sentinel_revive(cachekit_value *map);

// The same on the bytes of the two pairs behind a map header: how many they are, and the node
// whose text points into them; 0 if they are no date.
size_t cki_sentinel_read(const uint8_t *pairs, size_t room, cachekit_value *node);

#endif
