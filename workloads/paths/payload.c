// SPDX-License-Identifier: MIT
// Payloads through the library as it is used with a backend: a function that encrypts, nothing kept
// in memory, the backend in this process. get: the backend answers. set: the old entry is removed,
// the function computes again, and the result is stored.

#include <ckbench/subject.h>

#include <stdlib.h>
#include <string.h>

#include <cachekit/backends.h>
#include <cachekit/cache.h>
#include <cachekit/seal.h>

#include "paths/payload_value.h"
#include "paths/verdict.h"

enum { MEGABYTES_512 = 512 << 20, MEGABYTES_64 = 64 << 20 };

static const char MASTER[] = "6161616161616161616161616161616161616161616161616161616161616161";

typedef struct payload_state {
    payload_value value;
    int64_t tick_ns;
    cachekit_clock clock;
    cachekit_entropy entropy;
    uint64_t nonces;
    cachekit_backend *backend;
    cachekit_keyring *keyring;
    cachekit_cache *cache;
    cachekit_function *function;
    cachekit_arg argument;
    bool is_set;
    cachekit_hit hit; /* of the call under way */
    bool is_good;
    uint64_t calls, good, loads;
} payload_state;

static cachekit_status fill_number(void *context, void *out, size_t len)
{
    payload_state *s = context;
    memset(out, 0x6b, len);
    s->nonces++;
    memcpy(out, &s->nonces, len < sizeof s->nonces ? len : sizeof s->nonces);
    return CACHEKIT_OK;
}

static cachekit_status load(void *context, const cachekit_arg *args, size_t count,
                            cachekit_result *result, cachekit_error *error)
{
    payload_state *s = context;
    (void)args;
    (void)count;
    (void)error;
    s->loads++;
    result->object = &s->value.tree;
    result->size_bytes = s->value.bytes.len;
    return CACHEKIT_OK;
}

static int open_parts(payload_state *s)
{
    cachekit_memory_backend_options memory = {.size = sizeof memory};
    cachekit_keyring_options ring = CACHEKIT_KEYRING_OPTIONS_INIT;
    memory.budget_bytes = MEGABYTES_512;
    memory.clock = &s->clock;
    ring.master_key = MASTER;
    ring.entropy = &s->entropy;
    ring.allow_unlocked = true; /* a small limit is no reason not to measure */
    return cachekit_memory_backend_new(&memory, &s->backend, NULL) == CACHEKIT_OK &&
           cachekit_keyring_new(&ring, &s->keyring, NULL) == CACHEKIT_OK;
}

static int open_cache(payload_state *s)
{
    cachekit_cache_options options = CACHEKIT_CACHE_OPTIONS_INIT;
    cachekit_function_options function = cachekit_preset_production();
    options.clock = &s->clock;
    options.bytes_clock = &s->clock;
    options.entropy = &s->entropy;
    options.backend = s->backend;
    options.keyring = s->keyring;
    options.name_space = "payloads";
    function.encryption = CACHEKIT_ON;
    function.memory = CACHEKIT_OFF;
    function.maintain_every_ms = 0; /* no thread beside the measured one */
    function.value_max_bytes = MEGABYTES_64;
    return cachekit_cache_new(&options, &s->cache, NULL) == CACHEKIT_OK &&
           cachekit_function_new(s->cache, "get_payload", load, s, &function, &s->function, NULL) ==
               CACHEKIT_OK;
}

static void payload_free(void *state)
{
    payload_state *s = state;
    if (s == NULL || cachekit_cache_free(s->cache) != CACHEKIT_OK) {
        return;
    }
    cachekit_keyring_free(s->keyring);
    cachekit_backend_free(s->backend);
    payload_value_release(&s->value);
    free(s);
}

static void remove_old(void *state)
{
    payload_state *s = state;
    s->is_good = !s->is_set || cachekit_invalidate(s->function, &s->argument, 1) == CACHEKIT_OK;
}

static void call(void *state)
{
    payload_state *s = state;
    s->is_good =
        s->is_good && cachekit_call(s->function, &s->argument, 1, &s->hit, NULL) == CACHEKIT_OK;
}

static void let_go(void *state)
{
    payload_state *s = state;
    s->calls++;
    if (s->is_good) {
        s->good += s->hit.layer == (s->is_set ? CACHEKIT_LAYER_MISS : CACHEKIT_LAYER_L2);
        cachekit_release(&s->hit);
    }
}

/* The library's own steps lie in `call`: its public face shows no more of them. */
static const struct ckbench_phase steps[] = {
    {"remove", remove_old}, {"call", call}, {"release", let_go}, {NULL, NULL}};

static void payload_op(void *state)
{
    for (const struct ckbench_phase *step = steps; step->name != NULL; step++) {
        step->run(state);
    }
}

static void *payload_setup_bytes(uint64_t bytes)
{
    payload_state *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    s->tick_ns = 1000;
    s->clock = (cachekit_clock){NULL, &s->tick_ns};
    s->entropy = (cachekit_entropy){fill_number, s};
    s->argument = cachekit_i64(42);
    s->is_set = true;
    if (!payload_value_make(&s->value, bytes) || !open_parts(s) || !open_cache(s)) {
        payload_free(s);
        return NULL;
    }
    s->is_good = true; /* there is nothing to remove */
    call(s);
    let_go(s);
    if (s->good != 1) {
        payload_free(s);
        return NULL;
    }
    s->is_set = payload_is_set();
    s->calls = s->good = s->loads = 0;
    return s;
}

static void *payload_setup(void)
{
    return payload_setup_bytes(0);
}

/* What the backend holds opens to what was computed. */
static uint64_t digest(void *state)
{
    payload_state *s = state;
    cachekit_hit hit;
    uint64_t hash = 0;
    if (cachekit_peek(s->function, &s->argument, 1, &hit, NULL) == CACHEKIT_OK) {
        hash = hit.layer == CACHEKIT_LAYER_L2 ? payload_digest(hit.object) : 0;
        cachekit_release(&hit);
    }
    return hash;
}

static int payload_verify(void *state)
{
    payload_state *s = state;
    if (s->calls == 0 || s->good != s->calls || s->loads != (s->is_set ? s->calls : 0)) {
        return VERDICT_CALL_FAILED;
    }
    return digest(s) == payload_digest(&s->value.tree) ? VERDICT_OK : VERDICT_WRONG_OUTPUT;
}

static const struct ckbench_extra extra = {.shapes = payload_shapes,
                                           .operations = payload_operations,
                                           .phases = steps,
                                           .setup_bytes = payload_setup_bytes,
                                           .digest = digest};

CKBENCH_PATH_EX(payload, "a payload of a function that encrypts, from and to a backend",
                payload_setup, payload_op, payload_verify, payload_free, &extra)
