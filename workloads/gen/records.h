// SPDX-License-Identifier: MIT
#ifndef WORKLOADS_RECORDS_H
#define WORKLOADS_RECORDS_H

#include "gen/pack.h"

/** Writes an array of `records` maps of six fields: text, integers, a float, a truth value. */
void records_make(pack *out, uint16_t records);

/** Writes one small map: every kind of value once, an inner list and an inner map. */
void small_make(pack *out);

#endif
