// SPDX-License-Identifier: MIT
#include <cachekit/version.h>

#define TEXT(x)          #x
#define VERSION(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)

const char *cachekit_version(void)
{
    return VERSION(CACHEKIT_VERSION_MAJOR, CACHEKIT_VERSION_MINOR, CACHEKIT_VERSION_PATCH);
}
