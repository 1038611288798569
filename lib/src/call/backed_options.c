// SPDX-License-Identifier: MIT
// Options of functions with a backend, and of those without where these are given one that they
// have no use for: whoever sets an option sees it act, or is told by its name that it cannot.
#include <cachekit/envelope.h>

#include "base/status.h"
#include "call/backed.h"

enum {
    DEADLINE_DEFAULT_MS = 250,
    LOCK_HOLD_DEFAULT_MS = 30000,
    LOCK_WAIT_DEFAULT_MS = 5000,
    TTL_LEAST_MS = 1000,
    BREAKER_FAILURES_MAX = 65536
};
#define VALUE_MAX_DEFAULT ((size_t)100 << 20)

struct rule {
    bool is_broken;
    const char *text;
};

static cachekit_status judge(const struct rule *rules, size_t count, cachekit_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (rules[i].is_broken) {
            return cki_fail(error, CACHEKIT_E_INVALID, 0, "%s", rules[i].text);
        }
    }
    return CACHEKIT_OK;
}

#define JUDGE(rules, error) judge(rules, sizeof(rules) / sizeof(rules)[0], error)

static bool is_switch(cachekit_switch value)
{
    return value == CACHEKIT_DEFAULT || value == CACHEKIT_ON || value == CACHEKIT_OFF;
}

static bool are_switches(const cachekit_function_options *o)
{
    return is_switch(o->encryption) && is_switch(o->integrity) && is_switch(o->memory) &&
           is_switch(o->breaker) && is_switch(o->backpressure) && is_switch(o->metrics) &&
           is_switch(o->fail_closed) && is_switch(o->distributed_lock);
}

cachekit_status cki_local_check(const cachekit_function_options *o, cachekit_error *error)
{
    const struct rule rules[] = {
        {!are_switches(o), "a switch is neither default nor on nor off"},
        {o->maintain_every_ms < 0, "maintain_every_ms is negative"},
        {o->wire != CACHEKIT_WIRE_AUTO, "wire needs a backend"},
        {o->codec != CACHEKIT_CODEC_VALUE, "codec needs a backend"},
        {o->encryption == CACHEKIT_ON, "encryption needs a backend"},
        {o->integrity == CACHEKIT_ON, "integrity needs a backend"},
        {o->memory != CACHEKIT_DEFAULT, "memory is no choice without a backend"},
        {o->breaker == CACHEKIT_ON, "breaker needs a backend"},
        {o->backpressure == CACHEKIT_ON, "backpressure needs a backend"},
        {o->metrics == CACHEKIT_ON, "metrics need a backend"},
        {o->fail_closed == CACHEKIT_ON, "fail_closed needs a backend"},
        {o->distributed_lock == CACHEKIT_ON, "distributed_lock needs a backend"},
        {o->deadline_ms != 0, "deadline_ms needs a backend"},
        {o->lock_hold_ms != 0, "lock_hold_ms needs a backend"},
        {o->lock_wait_ms != 0, "lock_wait_ms needs a backend"},
        {o->value_max_bytes != 0, "value_max_bytes needs a backend"},
        {o->ttl_jitter_ratio != 0.0, "ttl_jitter_ratio needs a backend"},
        {o->breaker_failures != 0, "breaker_failures needs a backend"},
        {o->breaker_recovery_ms != 0, "breaker_recovery_ms needs a backend"},
        {o->questions_max != 0, "questions_max needs a backend"},
    };
    return JUDGE(rules, error);
}

static cachekit_status check_foreign(const cachekit_function_options *o, cachekit_error *error)
{
    const struct rule rules[] = {
        {!are_switches(o), "a switch is neither default nor on nor off"},
        {o->budget_bytes != 0, "budget_bytes is for local functions; see bytes_budget_bytes"},
        {o->entries_max != 0, "entries_max is for local functions; see bytes_entries_max"},
        {o->removed != NULL, "removed is for local functions"},
        {!(o->refresh_ratio == 0.0), "refresh_ratio is for local functions"},
        {o->refresh_retry_ms != 0, "refresh_retry_ms is for local functions"},
        {o->policy != CACHEKIT_LRU, "policy is for local functions"},
    };
    return JUDGE(rules, error);
}

// Numbers of what is off.
static cachekit_status check_idle(const cachekit_function_options *o, cachekit_error *error)
{
    bool has_lock = o->distributed_lock == CACHEKIT_ON, has_breaker = o->breaker != CACHEKIT_OFF;
    const struct rule rules[] = {
        {!has_lock && o->lock_hold_ms != 0, "lock_hold_ms needs distributed_lock"},
        {!has_lock && o->lock_wait_ms != 0, "lock_wait_ms needs distributed_lock"},
        {!has_breaker && o->breaker_failures != 0, "breaker_failures needs the breaker"},
        {!has_breaker && o->breaker_recovery_ms != 0, "breaker_recovery_ms needs the breaker"},
        {o->backpressure == CACHEKIT_OFF && o->questions_max != 0,
         "questions_max needs backpressure"},
    };
    return JUDGE(rules, error);
}

static cachekit_status check_numbers(const cachekit_function_options *o, cachekit_error *error)
{
    const struct rule rules[] = {
        {o->ttl_ms < TTL_LEAST_MS, "ttl_ms is under 1,000, the least of functions with a backend"},
        {o->deadline_ms < 1, "deadline_ms is negative"},
        {o->lock_hold_ms < 1, "lock_hold_ms is negative"},
        {o->lock_wait_ms < 1, "lock_wait_ms is negative"},
        {o->value_max_bytes > CACHEKIT_ENVELOPE_MAX_BYTES, "value_max_bytes is over 512 MiB"},
        {!(o->ttl_jitter_ratio >= 0.0 && o->ttl_jitter_ratio <= 0.5),
         "ttl_jitter_ratio is not in 0 to 0.5"},
        {o->ttl_jitter_ratio > 0.0 && o->ttl_ms == CACHEKIT_FOREVER_MS,
         "ttl_jitter_ratio needs a ttl_ms that ends"},
        {o->breaker_failures > BREAKER_FAILURES_MAX, "breaker_failures is over 65,536"},
        {o->breaker_recovery_ms < 0, "breaker_recovery_ms is negative"},
        {o->maintain_every_ms < 0, "maintain_every_ms is negative"},
        {(unsigned)o->wire > CACHEKIT_WIRE_INTEROP, "wire is unknown"},
        {(unsigned)o->codec > CACHEKIT_CODEC_BYTES, "codec is unknown"},
    };
    return JUDGE(rules, error);
}

static cachekit_status check_wire(const cachekit_cache *cache, const cachekit_function_options *o,
                                  cachekit_error *error)
{
    bool is_interop = o->wire == CACHEKIT_WIRE_INTEROP;
    bool is_sealed = o->encryption == CACHEKIT_ON;
    const cachekit_backend *backend = cache->options.backend;
    const struct rule rules[] = {
        {is_interop && cache->options.name_space == NULL, "wire interop needs a name_space"},
        {is_interop && o->codec != CACHEKIT_CODEC_VALUE, "wire interop has the codec `value` only"},
        {is_interop && o->integrity == CACHEKIT_ON, "wire interop has no integrity to choose"},
        {is_interop && backend->prefixes_keys,
         "wire interop cannot use a backend that adds to keys"},
        {is_sealed && cache->options.keyring == NULL, "encryption needs the cache's keyring"},
        {is_sealed && !is_interop && o->integrity == CACHEKIT_OFF,
         "encryption and integrity off exclude each other"},
        {o->fail_closed == CACHEKIT_ON && !is_sealed, "fail_closed needs encryption"},
        {o->distributed_lock == CACHEKIT_ON && !cki_backend_has(backend, lock),
         "distributed_lock needs a backend with locks"},
    };
    return JUDGE(rules, error);
}

cachekit_status cki_backed_check(const cachekit_cache *cache, cachekit_function_options *o,
                                 cachekit_error *error)
{
    cachekit_status status = check_foreign(o, error);
    status = status == CACHEKIT_OK ? check_idle(o, error) : status;
    o->deadline_ms = o->deadline_ms != 0 ? o->deadline_ms : DEADLINE_DEFAULT_MS;
    o->lock_hold_ms = o->lock_hold_ms != 0 ? o->lock_hold_ms : LOCK_HOLD_DEFAULT_MS;
    o->lock_wait_ms = o->lock_wait_ms != 0 ? o->lock_wait_ms : LOCK_WAIT_DEFAULT_MS;
    o->value_max_bytes = o->value_max_bytes != 0 ? o->value_max_bytes : VALUE_MAX_DEFAULT;
    status = status == CACHEKIT_OK ? check_numbers(o, error) : status;
    return status == CACHEKIT_OK ? check_wire(cache, o, error) : status;
}
