// SPDX-License-Identifier: MIT
// The keyring of the environment. Keys never come from an argument: those are seen by everybody on
// the machine.
#ifndef CACHEKIT_COMMAND_KEYS_ENV_H
#define CACHEKIT_COMMAND_KEYS_ENV_H

#include <stdbool.h>

#include <cachekit/seal.h>
#include <cachekit/status.h>

// CACHEKIT_MASTER_KEY, and CACHEKIT_PREVIOUS_MASTER_KEYS behind it. `tenant` NULL: the default. The
// text of the keys is wiped from the environment too, so this works once.
cachekit_status keys_env_open(const char *tenant, bool allow_unlocked, cachekit_keyring **out,
                              cachekit_error *error);

#endif
