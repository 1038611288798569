// SPDX-License-Identifier: MIT
#include "paths/l1_state.h"

#include <stdlib.h>
#include <string.h>

#include "paths/verdict.h"

static cachekit_status fill_fixed(void *context, void *out, size_t len)
{
    (void)context;
    memset(out, 0x6b, len);
    return CACHEKIT_OK;
}

static cachekit_status load(void *context, const cachekit_arg *args, size_t count,
                            cachekit_result *result, cachekit_error *error)
{
    l1_state *s = context;
    (void)args;
    (void)count;
    (void)error;
    s->loads++;
    result->object = s->value;
    result->size_bytes = L1_VALUE_BYTES;
    return CACHEKIT_OK;
}

l1_state *l1_state_new(const cachekit_cache_options *options, int coarse)
{
    static const cachekit_entropy entropy = {fill_fixed, NULL};
    cachekit_cache_options o = CACHEKIT_CACHE_OPTIONS_INIT;
    l1_state *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    if (options != NULL) {
        o = *options;
    }
    s->tick_ns = 1000;
    s->clock = (cachekit_clock){NULL, &s->tick_ns};
    o.clock = coarse ? NULL : &s->clock;
    o.entropy = &entropy;
    if (cachekit_cache_new(&o, &s->cache, NULL) != CACHEKIT_OK) {
        free(s);
        return NULL;
    }
    return s;
}

int l1_state_function(l1_state *state, const cachekit_function_options *options)
{
    return cachekit_function_new(state->cache, "measured", load, state, options, &state->function,
                                 NULL) == CACHEKIT_OK;
}

void l1_state_free(void *state)
{
    l1_state *s = state;
    if (s != NULL && cachekit_cache_free(s->cache) == CACHEKIT_OK) {
        free(s);
    }
}

void l1_state_call(l1_state *s, const cachekit_arg *args, size_t count, cachekit_layer layer)
{
    cachekit_hit hit;
    s->calls++;
    if (cachekit_call(s->function, args, count, &hit, NULL) == CACHEKIT_OK) {
        s->good += hit.layer == layer && hit.object == s->value;
        cachekit_release(&hit);
    }
}

int l1_state_verify(const l1_state *s, uint64_t loads)
{
    if (s->calls == 0 || s->good != s->calls) {
        return VERDICT_CALL_FAILED;
    }
    return s->loads == loads ? VERDICT_OK : VERDICT_WRONG_OUTPUT;
}
