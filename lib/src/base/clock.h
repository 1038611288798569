// SPDX-License-Identifier: MIT
// The time through the caller's hook. A NULL clock is the coarse monotonic one.
#ifndef CKI_CLOCK_H
#define CKI_CLOCK_H

#include <cachekit/clock.h>

int64_t cki_now_ns(const cachekit_clock *clock);

#endif
