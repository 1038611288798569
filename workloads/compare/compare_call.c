// SPDX-License-Identifier: MIT
// What a hit at Redis costs beyond what nobody can save: a whole cachekit_call (no memory before
// it, plain MessagePack; breaker, backpressure and metrics on) against hiredis's own blocking GET
// of the same bytes and their decoding, in turns, over a Unix socket and over TCP. Usage:
// ck-compare-call SOCKET PORT [BLOCKS]; tests/redis/keeper.py starts a server.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cachekit/backends.h>
#include <cachekit/cache.h>
#include <cachekit/key.h>
#include <cachekit/value.h>

#include <hiredis.h>

#include "gen/inputs.h"
#include "compare/interleave.h"

enum { CALLS_PER_BLOCK = 200, BLOCKS_DEFAULT = 200, ARGS = 3, TTL_MS = 3600000 };

struct bench {
    pack input;
    cachekit_arena origin; // of the tree that the loader hands out
    cachekit_value tree;
    cachekit_arg args[ARGS];
    char key[CACHEKIT_KEY_AUTO_ROOM];
    cachekit_backend *backend;
    cachekit_cache *cache;
    cachekit_function *function;
    redisContext *context;
    cachekit_arena arena;
};

static void give_up(const char *why)
{
    (void)fprintf(stderr, "ck-compare-call: %s\n", why);
    exit(3);
}

static cachekit_status load(void *context, const cachekit_arg *args, size_t count,
                            cachekit_result *result, cachekit_error *error)
{
    struct bench *bench = context;
    (void)args;
    (void)count;
    (void)error;
    result->object = &bench->tree;
    result->size_bytes = bench->input.len;
    return CACHEKIT_OK;
}

static cachekit_layer call(struct bench *bench)
{
    cachekit_hit hit;
    if (cachekit_call(bench->function, bench->args, ARGS, &hit, NULL) != CACHEKIT_OK) {
        give_up("a call failed");
    }
    cachekit_layer layer = hit.layer;
    cachekit_release(&hit);
    return layer;
}

static void by_cache(void *state)
{
    if (call(state) != CACHEKIT_LAYER_L2) {
        give_up("a call was not answered by Redis");
    }
}

static void by_hiredis(void *state)
{
    struct bench *bench = state;
    cachekit_value value;
    redisReply *reply = redisCommand(bench->context, "GET %s", bench->key);
    if (reply == NULL || reply->type != REDIS_REPLY_STRING ||
        (size_t)reply->len != bench->input.len) {
        give_up("hiredis did not get the value that the cache stored");
    }
    cachekit_arena_reset(&bench->arena);
    const cachekit_slice bytes = {(const uint8_t *)reply->str, (size_t)reply->len};
    if (cachekit_value_decode(bytes, CACHEKIT_DECODE_BORROW, &bench->arena, &value, NULL) !=
        CACHEKIT_OK) {
        give_up("the value cannot be decoded");
    }
    freeReplyObject(reply);
}

static void open_document(struct bench *bench)
{
    const cachekit_key_auto_parts parts = {"users", "get_user", NULL, true};
    cachekit_arena_init(&bench->origin, NULL, SIZE_MAX);
    cachekit_arena_init(&bench->arena, NULL, SIZE_MAX);
    bench->args[0] = cachekit_i64(42);
    bench->args[1] = cachekit_str("en");
    bench->args[2] = cachekit_f64(2.5);
    if (!input_make("users_100", &bench->input) ||
        cachekit_value_decode((cachekit_slice){bench->input.bytes, bench->input.len},
                              CACHEKIT_DECODE_BORROW, &bench->origin, &bench->tree,
                              NULL) != CACHEKIT_OK ||
        cachekit_key_auto(&parts, bench->args, ARGS, NULL, 0, bench->key, NULL) != CACHEKIT_OK) {
        give_up("the document cannot be made");
    }
}

static void open_cache(struct bench *bench, const char *url)
{
    cachekit_cache_options options = CACHEKIT_CACHE_OPTIONS_INIT;
    cachekit_function_options function = cachekit_preset_production();
    if (cachekit_backend_open(url, &bench->backend, NULL) != CACHEKIT_OK) {
        give_up("the backend cannot be made");
    }
    options.backend = bench->backend;
    options.name_space = "users";
    function.ttl_ms = TTL_MS;
    function.memory = CACHEKIT_OFF;
    function.integrity = CACHEKIT_OFF;
    if (cachekit_cache_new(&options, &bench->cache, NULL) != CACHEKIT_OK ||
        cachekit_function_new(bench->cache, "get_user", load, bench, &function, &bench->function,
                              NULL) != CACHEKIT_OK) {
        give_up("the cache cannot be made");
    }
    (void)call(bench); // stores what is not there
}

static void measure(struct bench *bench, const char *where, const char *url, redisContext *context,
                    int blocks)
{
    char what[96];
    if (context == NULL || context->err != 0) {
        give_up("hiredis does not connect");
    }
    bench->context = context;
    open_cache(bench, url);
    (void)snprintf(what, sizeof what, "%s: a hit of %zu bytes", where, bench->input.len);
    const struct interleave turns = {what,  "cachekit_call", "GET and decode", by_cache, by_hiredis,
                                     bench, blocks,          CALLS_PER_BLOCK};
    (void)interleave_run(&turns);
    if (cachekit_cache_free(bench->cache) != CACHEKIT_OK) {
        give_up("the cache cannot be freed");
    }
    cachekit_backend_free(bench->backend);
    redisFree(context);
}

int main(int argc, char **argv)
{
    static struct bench bench;
    char url[256];
    if (argc < 3 || argc > 4) {
        (void)fputs("ck-compare-call: usage: ck-compare-call SOCKET PORT [BLOCKS]\n", stderr);
        return 2;
    }
    int port = (int)strtol(argv[2], NULL, 10);
    long blocks = argc > 3 ? strtol(argv[3], NULL, 10) : BLOCKS_DEFAULT;
    if (blocks < 1 || blocks > INTERLEAVE_BLOCKS_MAX) {
        give_up("BLOCKS is 1 to 10000");
    }
    open_document(&bench);
    (void)snprintf(url, sizeof url, "unix://%s", argv[1]);
    measure(&bench, "unix", url, redisConnectUnix(argv[1]), (int)blocks);
    (void)snprintf(url, sizeof url, "redis://127.0.0.1:%d", port);
    measure(&bench, "tcp", url, redisConnect("127.0.0.1", port), (int)blocks);
    pack_release(&bench.input);
    cachekit_arena_release(&bench.origin);
    cachekit_arena_release(&bench.arena);
    return 0;
}
