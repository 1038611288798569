// SPDX-License-Identifier: MIT
// The one place that reads the environment, and only when it is asked to. What CacheKit's other
// SDKs call so means the same here; the rest of their variables has no counterpart.
#include <stdlib.h>
#include <string.h>

#include <cachekit/cache.h>

#include "base/status.h"

enum { MS_PER_S = 1000, BYTES_PER_MB = 1 << 20, DIGITS_MAX = 9 };

// Whole numbers of 1 to 999,999,999; 0: the variable is not set.
static cachekit_status read_number(const char *name, uint32_t *out, cachekit_error *error)
{
    const char *text = getenv(name);
    *out = 0;
    if (text == NULL) {
        return CACHEKIT_OK;
    }
    size_t len = strnlen(text, DIGITS_MAX + 1);
    if (len == 0 || len > DIGITS_MAX || strspn(text, "0123456789") != len) {
        return cki_fail(error, CACHEKIT_E_CONFIG, 0, "%s is no whole number of 1 to 999999999",
                        name);
    }
    for (const char *digit = text; *digit != '\0'; digit++) {
        *out = *out * 10 + (uint32_t)(*digit - '0');
    }
    return *out > 0 ? CACHEKIT_OK : cki_fail(error, CACHEKIT_E_CONFIG, 0, "%s is 0", name);
}

cachekit_status cachekit_cache_options_from_env(cachekit_cache_options *options,
                                                cachekit_error *error)
{
    uint32_t megabytes = 0, seconds = 0;
    if (options == NULL || options->size != sizeof *options) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "options is NULL or options.size is not set");
    }
    if (getenv("CACHEKIT_DEFAULT_TTL") != NULL) {
        return cki_fail(error, CACHEKIT_E_CONFIG, 0,
                        "CACHEKIT_DEFAULT_TTL is set: lives are set for each function");
    }
    cachekit_status status = read_number("CACHEKIT_L1_MAX_SIZE_MB", &megabytes, error);
    status = status == CACHEKIT_OK
                 ? read_number("CACHEKIT_L1_CLEANUP_INTERVAL_SECONDS", &seconds, error)
                 : status;
    if (status != CACHEKIT_OK) {
        return status;
    }
    size_t *budget =
        options->backend != NULL ? &options->bytes_budget_bytes : &options->budget_bytes;
    *budget = *budget != 0 ? *budget : (size_t)megabytes * BYTES_PER_MB;
    if (options->maintain_every_ms == 0) {
        options->maintain_every_ms = (int64_t)seconds * MS_PER_S;
    }
    return CACHEKIT_OK;
}
