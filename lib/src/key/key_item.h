// SPDX-License-Identifier: MIT
// One argument by itself: faults, nodes of value trees as arguments, and what a map key is
// ordered by.
#ifndef CKI_KEY_ITEM_H
#define CKI_KEY_ITEM_H

#include <stdbool.h>

#include <cachekit/arg.h>
#include <cachekit/value.h>

#include "key/key_profile.h"
#include "key/spans.h"

// What is wrong with an argument whatever the profile, or NULL. Does not look into collections.
const char *cki_arg_fault(const cachekit_arg *arg);

// False: a type that arguments do not have. Children of the node stay nodes.
bool cki_node_to_arg(const cachekit_value *node, cachekit_arg *arg);

enum cki_key_sort cki_key_sort_of(const cachekit_arg *key);

// Sets rank and number of a span whose sort is known, if they are what orders it.
void cki_span_order(const cachekit_arg *key, struct cki_span *span);

#endif
