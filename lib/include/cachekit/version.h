// SPDX-License-Identifier: MIT
#ifndef CACHEKIT_VERSION_H
#define CACHEKIT_VERSION_H

#include <cachekit/export.h>

/* The build reads these three lines; the version is written nowhere else. */
#define CACHEKIT_VERSION_MAJOR 0
#define CACHEKIT_VERSION_MINOR 1
#define CACHEKIT_VERSION_PATCH 0

CACHEKIT_BEGIN_DECLS

/** The version of the library that is linked, as "0.1.0": static storage, any thread. */
CACHEKIT_API const char *cachekit_version(void);

CACHEKIT_END_DECLS

#endif
