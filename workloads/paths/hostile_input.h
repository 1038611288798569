// SPDX-License-Identifier: MIT
#ifndef WORKLOADS_HOSTILE_INPUT_H
#define WORKLOADS_HOSTILE_INPUT_H

#include <stdbool.h>

#include <cachekit/bytes.h>
#include <cachekit/status.h>

/** The very call that a path measures, on an input of ours. */
typedef cachekit_status (*hostile_entry)(void *state, cachekit_slice input);

/**
 * Whether `entry` still checks what it reads: it must refuse 1,025 levels, lengths that promise
 * more than the input holds (in one header and in sum) and bad UTF-8 with CACHEKIT_E_DECODE, and
 * read the nearest lawful neighbour of each. MessagePack.
 */
bool hostile_refused(hostile_entry entry, void *state);

/** The same for JSON: 1,025 levels, bad UTF-8, a document cut short. */
bool hostile_json_refused(hostile_entry entry, void *state);

#endif
