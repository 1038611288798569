// SPDX-License-Identifier: MIT
// What a page fault on fresh memory costs here. Layer: measure.
#ifndef CKBENCH_AB_PRICE_H
#define CKBENCH_AB_PRICE_H

#include "fault.h"

// CPU time of one minor fault, the median of several rounds; touching costs next to nothing beside
// it. Takes some megabytes for a moment, so whoever runs it spawns nothing afterwards whose peak is
// to be believed.
bool ab_price_measure(double *fault_ns, struct fault *fault);

#endif
