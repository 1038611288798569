// SPDX-License-Identifier: MIT
#ifndef WORKLOADS_ADDRESS_H
#define WORKLOADS_ADDRESS_H

#include "gen/pack.h"

/** Writes `len` bytes of made-up postal addresses, one a line, the last one cut. */
void address_make(pack *out, size_t len);

#endif
