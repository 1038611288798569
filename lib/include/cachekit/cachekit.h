// SPDX-License-Identifier: MIT
/* Everything that every build of the library has; seal.h and backends.h are for builds with them.
 */
#ifndef CACHEKIT_CACHEKIT_H
#define CACHEKIT_CACHEKIT_H

#include <cachekit/allocator.h>
#include <cachekit/arena.h>
#include <cachekit/arg.h>
#include <cachekit/backend.h>
#include <cachekit/bytes.h>
#include <cachekit/cache.h>
#include <cachekit/clock.h>
#include <cachekit/entropy.h>
#include <cachekit/envelope.h>
#include <cachekit/interop.h>
#include <cachekit/json.h>
#include <cachekit/key.h>
#include <cachekit/status.h>
#include <cachekit/value.h>
#include <cachekit/version.h>

#endif
