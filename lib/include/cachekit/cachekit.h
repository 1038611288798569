// SPDX-License-Identifier: MIT
/* Everything that every build of the library has. */
#ifndef CACHEKIT_CACHEKIT_H
#define CACHEKIT_CACHEKIT_H

#include <cachekit/allocator.h>
#include <cachekit/arena.h>
#include <cachekit/arg.h>
#include <cachekit/bytes.h>
#include <cachekit/cache.h>
#include <cachekit/clock.h>
#include <cachekit/entropy.h>
#include <cachekit/envelope.h>
#include <cachekit/json.h>
#include <cachekit/status.h>
#include <cachekit/value.h>
#include <cachekit/version.h>

#endif
