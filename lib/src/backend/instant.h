// SPDX-License-Identifier: MIT
// Deadlines: instants of CLOCK_MONOTONIC, read finely. The coarse clock of a hit is late by up to a
// tick, which would be added to every deadline.
#ifndef CKI_INSTANT_H
#define CKI_INSTANT_H

#include <stdint.h>

int64_t cki_instant_ns(void);

// What is left until then, for poll(): rounded up, 0 if it has passed, at most INT_MAX.
int cki_instant_left_ms(int64_t deadline_ns);

#endif
