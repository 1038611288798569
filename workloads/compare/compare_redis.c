// SPDX-License-Identifier: MIT
// What our Redis backend adds to a GET: the same bytes from the same server, by our backend and by
// hiredis's own blocking call, block by block in turns, over a Unix socket and over TCP.
// Usage: ck-compare-redis SOCKET PORT [BYTES [BLOCKS]]; tests/redis/keeper.py starts a server.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cachekit/backends.h>
#include <cachekit/cache.h>

#include <hiredis.h>

#include "compare/interleave.h"

enum { CALLS_PER_BLOCK = 200, BYTES_DEFAULT = 23547, BLOCKS_DEFAULT = 200 };

static const char key_text[] = "compare:redis";

struct bench {
    cachekit_backend *backend;
    redisContext *context;
    cachekit_buffer value;
    char *bytes;
    size_t len;
};

static void give_up(const char *why)
{
    (void)fprintf(stderr, "ck-compare-redis: %s\n", why);
    exit(3);
}

static void by_backend(void *state)
{
    struct bench *bench = state;
    cachekit_slice key = {(const uint8_t *)key_text, sizeof key_text - 1};
    if (bench->backend->ops->get(bench->backend, key, cachekit_deadline_ns(1000), &bench->value,
                                 NULL) != CACHEKIT_OK ||
        bench->value.len != bench->len) {
        give_up("our backend did not get the value");
    }
}

static void by_hiredis(void *state)
{
    struct bench *bench = state;
    redisReply *reply = redisCommand(bench->context, "GET %b", key_text, sizeof key_text - 1);
    if (reply == NULL || reply->type != REDIS_REPLY_STRING || (size_t)reply->len != bench->len) {
        give_up("hiredis did not get the value");
    }
    freeReplyObject(reply);
}

static void run(struct bench *bench, const char *where, int blocks)
{
    char what[64];
    (void)snprintf(what, sizeof what, "%s get %zu bytes", where, bench->len);
    const struct interleave turns = {what,       "ours", "hiredis", by_backend,
                                     by_hiredis, bench,  blocks,    CALLS_PER_BLOCK};
    (void)interleave_run(&turns);
}

static void open_all(struct bench *bench, const char *url, redisContext *context)
{
    cachekit_redis_backend_options options = {.size = sizeof options, .url = url};
    if (context == NULL || context->err != 0) {
        give_up("hiredis does not connect");
    }
    if (cachekit_redis_backend_new(&options, &bench->backend, NULL) != CACHEKIT_OK) {
        give_up("our backend cannot be made");
    }
    bench->context = context;
    for (size_t i = 0; i < bench->len; i++) {
        bench->bytes[i] = (char)(i * 2654435761U >> 13);
    }
    redisReply *reply =
        redisCommand(context, "SET %b %b", key_text, sizeof key_text - 1, bench->bytes, bench->len);
    if (reply == NULL || reply->type != REDIS_REPLY_STATUS) {
        give_up("the value cannot be stored");
    }
    freeReplyObject(reply);
}

static void close_all(struct bench *bench)
{
    cachekit_backend_free(bench->backend);
    redisFree(bench->context);
    cachekit_buffer_release(&bench->value);
}

int main(int argc, char **argv)
{
    static struct bench bench;
    char url[256];
    if (argc < 3 || argc > 5) {
        (void)fputs("ck-compare-redis: usage: ck-compare-redis SOCKET PORT [BYTES [BLOCKS]]\n",
                    stderr);
        return 2;
    }
    long bytes = argc > 3 ? strtol(argv[3], NULL, 10) : BYTES_DEFAULT;
    long blocks = argc > 4 ? strtol(argv[4], NULL, 10) : BLOCKS_DEFAULT;
    if (bytes < 1 || bytes > 1 << 28 || blocks < 1 || blocks > INTERLEAVE_BLOCKS_MAX) {
        give_up("BYTES is 1 to 268435456, BLOCKS 1 to 10000");
    }
    bench.len = (size_t)bytes;
    bench.bytes = malloc(bench.len);
    if (bench.bytes == NULL) {
        give_up("no memory");
    }
    (void)snprintf(url, sizeof url, "unix://%s", argv[1]);
    open_all(&bench, url, redisConnectUnix(argv[1]));
    run(&bench, "unix", (int)blocks);
    close_all(&bench);
    int port = (int)strtol(argv[2], NULL, 10);
    (void)snprintf(url, sizeof url, "redis://127.0.0.1:%d", port);
    open_all(&bench, url, redisConnect("127.0.0.1", port));
    run(&bench, "tcp", (int)blocks);
    close_all(&bench);
    free(bench.bytes);
    return 0;
}
