// SPDX-License-Identifier: MIT
// The slot of a key in a Redis Cluster: CRC16 (XMODEM) modulo 16384 of the key, or of what stands
// between its first `{` and the next `}` if that is not empty (Redis Cluster specification).
#ifndef CKI_REDIS_SLOT_H
#define CKI_REDIS_SLOT_H

#include <stddef.h>

int cki_redis_slot(const char *key, size_t len);

#endif
