// SPDX-License-Identifier: MIT
// Ready-made options of functions.
#include <string.h>

#include <cachekit/cache.h>

enum { PRODUCTION_TTL_MS = 600000, SWEEP_EVERY_MS = 30000, LOCAL_ENTRIES = 256 };

static cachekit_function_options plain(void)
{
    cachekit_function_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    return options;
}

cachekit_function_options cachekit_preset_minimal(void)
{
    cachekit_function_options options = plain();
    options.integrity = CACHEKIT_OFF;
    options.breaker = CACHEKIT_OFF;
    options.backpressure = CACHEKIT_OFF;
    options.metrics = CACHEKIT_OFF;
    return options;
}

cachekit_function_options cachekit_preset_production(void)
{
    cachekit_function_options options = plain();
    options.ttl_ms = PRODUCTION_TTL_MS;
    options.maintain_every_ms = SWEEP_EVERY_MS;
    return options;
}

cachekit_function_options cachekit_preset_secure(void)
{
    cachekit_function_options options = plain();
    options.ttl_ms = PRODUCTION_TTL_MS;
    options.encryption = CACHEKIT_ON;
    return options;
}

cachekit_function_options cachekit_preset_test(void)
{
    return cachekit_preset_minimal();
}

cachekit_function_options cachekit_preset_local(void)
{
    cachekit_function_options options = plain();
    options.is_local = true;
    options.entries_max = LOCAL_ENTRIES;
    return options;
}
