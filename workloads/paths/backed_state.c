// SPDX-License-Identifier: MIT
#include "paths/backed_state.h"

#include <stdlib.h>
#include <string.h>

#include <cachekit/interop.h>

#include "paths/verdict.h"

static const char MASTER[] = "6161616161616161616161616161616161616161616161616161616161616161";

static cachekit_status fill_fixed(void *context, void *out, size_t len)
{
    (void)context;
    memset(out, 0x6b, len);
    return CACHEKIT_OK;
}

static cachekit_status load(void *context, const cachekit_arg *args, size_t count,
                            cachekit_result *result, cachekit_error *error)
{
    backed_state *s = context;
    (void)args;
    (void)count;
    (void)error;
    s->loads++;
    result->object = &s->document->tree;
    result->size_bytes = s->document->input.len;
    return CACHEKIT_OK;
}

static int open_backend(backed_state *s, const backed_options *o)
{
    cachekit_memory_backend_options memory = {.size = sizeof memory};
    if (o->address != NULL) {
        return cachekit_backend_open(o->address, &s->backend, NULL) == CACHEKIT_OK;
    }
    memory.budget_bytes = o->budget_bytes;
    memory.clock = &s->clock;
    return cachekit_memory_backend_new(&memory, &s->backend, NULL) == CACHEKIT_OK;
}

static int open_keyring(backed_state *s, const backed_options *o)
{
    cachekit_keyring_options ring = CACHEKIT_KEYRING_OPTIONS_INIT;
    ring.master_key = MASTER;
    ring.allow_unlocked = true;
    return o->function.encryption != CACHEKIT_ON ||
           cachekit_keyring_new(&ring, &s->keyring, NULL) == CACHEKIT_OK;
}

static int open_cache(backed_state *s, const backed_options *o)
{
    static const cachekit_entropy entropy = {fill_fixed, NULL};
    cachekit_cache_options options = CACHEKIT_CACHE_OPTIONS_INIT;
    cachekit_function_options function = o->function;
    options.clock = &s->clock;
    options.bytes_clock = &s->clock;
    options.entropy = &entropy;
    options.backend = s->backend;
    options.keyring = s->keyring;
    options.name_space = "users";
    options.bytes_budget_bytes = o->budget_bytes;
    function.maintain_every_ms = 0; /* no thread beside the measured one */
    return cachekit_cache_new(&options, &s->cache, NULL) == CACHEKIT_OK &&
           cachekit_function_new(s->cache, "get_user", load, s, &function, &s->function, NULL) ==
               CACHEKIT_OK;
}

backed_state *backed_state_new(const backed_options *o)
{
    backed_state *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    s->tick_ns = 1000;
    s->clock = (cachekit_clock){NULL, &s->tick_ns};
    s->args[0] = cachekit_i64(42);
    s->args[1] = cachekit_str("en");
    s->args[2] = cachekit_f64(2.5);
    s->document = document_new(o->input);
    if (s->document == NULL || !open_backend(s, o) || !open_keyring(s, o) || !open_cache(s, o)) {
        backed_state_free(s);
        return NULL;
    }
    return s;
}

void backed_state_free(void *state)
{
    backed_state *s = state;
    if (s == NULL || cachekit_cache_free(s->cache) != CACHEKIT_OK) {
        return;
    }
    cachekit_keyring_free(s->keyring);
    cachekit_backend_free(s->backend);
    document_free(s->document);
    free(s);
}

backed_state *backed_state_ready(backed_state *s, cachekit_layer layer)
{
    if (s != NULL) {
        s->layer = layer;
        s->calls = s->good = s->loads = 0;
        cachekit_info(s->function, &s->before);
    }
    return s;
}

void backed_state_call(void *state)
{
    backed_state *s = state;
    cachekit_hit hit;
    s->calls++;
    if (cachekit_call(s->function, s->args, BACKED_ARGS, &hit, NULL) == CACHEKIT_OK) {
        s->good += hit.layer == s->layer;
        cachekit_release(&hit);
    }
}

static uint64_t answered(const backed_state *s)
{
    cachekit_info_data now;
    cachekit_info(s->function, &now);
    switch (s->layer) {
    case CACHEKIT_LAYER_L1:
        return now.l1_hits - s->before.l1_hits;
    case CACHEKIT_LAYER_L2:
        return now.l2_hits - s->before.l2_hits;
    default:
        return now.misses - s->before.misses;
    }
}

/* Maps of interop come back sorted: compared as canonical bytes. */
static bool is_document(const backed_state *s, const cachekit_value *value)
{
    cachekit_buffer *a = &s->document->text, *b = &s->document->payload;
    return cachekit_interop_encode(&s->document->tree, a, NULL) == CACHEKIT_OK &&
           cachekit_interop_encode(value, b, NULL) == CACHEKIT_OK && a->len == b->len &&
           memcmp(a->data, b->data, a->len) == 0;
}

int backed_state_verify(void *state)
{
    backed_state *s = state;
    cachekit_hit hit;
    if (s->calls == 0 || s->good != s->calls) {
        return VERDICT_CALL_FAILED;
    }
    if (answered(s) != s->calls || s->loads != (s->layer == CACHEKIT_LAYER_MISS ? s->calls : 0) ||
        cachekit_call(s->function, s->args, BACKED_ARGS, &hit, NULL) != CACHEKIT_OK) {
        return VERDICT_WRONG_OUTPUT;
    }
    int verdict = is_document(s, hit.object) ? VERDICT_OK : VERDICT_WRONG_OUTPUT;
    cachekit_release(&hit);
    return verdict;
}
