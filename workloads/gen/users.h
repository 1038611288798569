// SPDX-License-Identifier: MIT
#ifndef WORKLOADS_USERS_H
#define WORKLOADS_USERS_H

#include "gen/pack.h"

/**
 * Writes the answer of a made-up user service, `users` users on one page: 4 are 1,090 bytes of
 * MessagePack, 100 are 23,547 bytes and 3,447 items. `users` is at most 65,535.
 */
void users_make(pack *out, uint16_t users);

#endif
