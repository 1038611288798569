// SPDX-License-Identifier: MIT
// Whole lives of cached functions, over every backend, in every form of stored bytes, in which one
// request for memory is refused, or that one and all after it; then the next one, until a life ends
// that had no such request. What was invalidated must never come back, nothing may leak, and every
// call has its result; only construction may fail, and calls whose key itself finds no memory.
// Usage: life_faults [STRIDE [FLOOR]]: every STRIDE-th request; under FLOOR faults it fails.
#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cachekit/backends.h>
#include <cachekit/cachekit.h>
#include <cachekit/seal.h>

#include "fault_allocator.h"
#include "redis_kit.h"

#define MASTER "6161616161616161616161616161616161616161616161616161616161616161"

enum { KEYS = 30, TEXT_LEN = 400, LONG_KEY = KEYS - 1 };

static const struct form {
    const char *name;
    cachekit_wire wire;
    cachekit_codec codec;
    bool is_sealed, is_bare, is_locked;
} forms[] = {
    {"value", CACHEKIT_WIRE_AUTO, CACHEKIT_CODEC_VALUE, false, false, false},
    {"value, bare", CACHEKIT_WIRE_AUTO, CACHEKIT_CODEC_VALUE, false, true, false},
    {"value, sealed", CACHEKIT_WIRE_AUTO, CACHEKIT_CODEC_VALUE, true, false, false},
    {"json", CACHEKIT_WIRE_AUTO, CACHEKIT_CODEC_JSON, false, false, false},
    {"json, bare", CACHEKIT_WIRE_AUTO, CACHEKIT_CODEC_JSON, false, true, false},
    {"json, sealed", CACHEKIT_WIRE_AUTO, CACHEKIT_CODEC_JSON, true, false, false},
    {"bytes", CACHEKIT_WIRE_AUTO, CACHEKIT_CODEC_BYTES, false, false, false},
    {"bytes, sealed", CACHEKIT_WIRE_AUTO, CACHEKIT_CODEC_BYTES, true, false, false},
    {"interop", CACHEKIT_WIRE_INTEROP, CACHEKIT_CODEC_VALUE, false, false, false},
    {"interop, sealed", CACHEKIT_WIRE_INTEROP, CACHEKIT_CODEC_VALUE, true, false, false},
    {"value, locked", CACHEKIT_WIRE_AUTO, CACHEKIT_CODEC_VALUE, false, false, true},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

enum place { IN_MEMORY, IN_FILES, IN_REDIS, PLACES };
static const char *const place_names[PLACES] = {"memory", "file", "redis"};

static struct {
    const struct form *form;
    enum place place;
    struct fault_allocator faults;
    cachekit_backend *backend;
    cachekit_keyring *keyring;
    cachekit_cache *cache;
    cachekit_function *f;
    // Of each key: what the loader gives; the oldest that this process may see, and another one.
    uint64_t versions[KEYS], least[KEYS], floors[KEYS];
    long made, destroyed;
    const char *wrong; // what went wrong, NULL: nothing
} life;

static struct {
    struct redis_kit redis;
    char dir[64];
    char text[TEXT_LEN];
    long injected, fired, lost, lives;
} all;

// The loader's objects: version and key stand in front, so that a value says whose it is.
struct made {
    cachekit_value items[3], document;
    uint8_t bytes[16 + TEXT_LEN];
};

static cachekit_status load(void *context, const cachekit_arg *args, size_t count,
                            cachekit_result *result, cachekit_error *error)
{
    (void)context;
    (void)count;
    (void)error;
    uint64_t key = args[0].as.bits;
    struct made *made = malloc(sizeof *made);
    if (made == NULL) {
        redis_kit_die("no memory of its own");
    }
    made->items[0] = cachekit_value_u64(life.versions[key]);
    made->items[1] = cachekit_value_u64(key);
    made->items[2] = cachekit_value_str(all.text, TEXT_LEN);
    made->document = cachekit_value_array(made->items, 3);
    memcpy(made->bytes, &life.versions[key], 8);
    memcpy(made->bytes + 8, &key, 8);
    memcpy(made->bytes + 16, all.text, TEXT_LEN);
    life.made++;
    *result = life.form->codec == CACHEKIT_CODEC_BYTES
                  ? (cachekit_result){made->bytes, sizeof made->bytes}
                  : (cachekit_result){&made->document, sizeof made->items};
    return CACHEKIT_OK;
}

static void destroy(void *object, size_t size, void *context)
{
    (void)size;
    (void)context;
    size_t at = life.form->codec == CACHEKIT_CODEC_BYTES ? offsetof(struct made, bytes)
                                                         : offsetof(struct made, document);
    life.destroyed++;
    free((uint8_t *)object - at);
}

static void wrong(const char *what)
{
    if (life.wrong == NULL) {
        life.wrong = what;
    }
}

static bool is_version(uint64_t key, uint64_t version)
{
    return version >= life.least[key] && version <= life.versions[key];
}

static bool is_right(const cachekit_hit *hit, uint64_t key)
{
    const uint8_t *bytes = hit->object;
    const cachekit_value *value = hit->object;
    uint64_t version, number;
    if (life.form->codec == CACHEKIT_CODEC_BYTES) {
        memcpy(&version, bytes, hit->size_bytes >= 8 ? 8 : 0);
        return hit->size_bytes == 16 + TEXT_LEN && is_version(key, version) &&
               memcmp(bytes + 8, &key, 8) == 0 && memcmp(bytes + 16, all.text, TEXT_LEN) == 0;
    }
    return value->type == CACHEKIT_ARRAY && value->len == 3 &&
           cachekit_value_to_u64(&value->as.items[0], &version) && is_version(key, version) &&
           cachekit_value_to_u64(&value->as.items[1], &number) && number == key &&
           value->as.items[2].len == TEXT_LEN &&
           memcmp(value->as.items[2].as.text, all.text, TEXT_LEN) == 0;
}

// Two arguments; those of the last key need memory to become one.
static size_t args_of(uint64_t key, cachekit_arg args[2])
{
    args[0] = cachekit_u64(key);
    args[1] = cachekit_str_len(all.text, key == LONG_KEY ? TEXT_LEN : 10);
    return 2;
}

static bool may_lack_a_key(uint64_t key, cachekit_status status)
{
    return key == LONG_KEY && status == CACHEKIT_E_NOMEM;
}

static void ask(uint64_t key)
{
    cachekit_arg args[2];
    cachekit_hit hit;
    cachekit_status status = cachekit_call(life.f, args, args_of(key, args), &hit, NULL);
    if (status == CACHEKIT_OK) {
        if (!is_right(&hit, key)) {
            wrong("a call gave what it should not");
        }
        cachekit_release(&hit);
    } else if (!(life.form->wire == CACHEKIT_WIRE_INTEROP && may_lack_a_key(key, status))) {
        wrong("a call failed");
    }
}

static void peek(uint64_t key)
{
    cachekit_arg args[2];
    cachekit_hit hit;
    cachekit_status status = cachekit_peek(life.f, args, args_of(key, args), &hit, NULL);
    if (status == CACHEKIT_OK) {
        if (!is_right(&hit, key)) {
            wrong("a look gave what it should not");
        }
        cachekit_release(&hit);
    } else if (status != CACHEKIT_MISS && !may_lack_a_key(key, status)) {
        wrong("a look failed");
    }
}

// From here on its old results are wrong, whatever was answered.
static void change(uint64_t key)
{
    cachekit_arg args[2];
    uint64_t version = ++life.versions[key];
    cachekit_status status = cachekit_invalidate(life.f, args, args_of(key, args));
    if (!may_lack_a_key(key, status)) {
        life.least[key] = version;
    }
    if (status >= 0) {
        life.floors[key] = version;
    }
}

static void change_all(void)
{
    for (int i = 0; i < KEYS; i++) {
        life.versions[i]++;
    }
    bool is_done = cachekit_invalidate_all(life.f) >= 0;
    for (int i = 0; i < KEYS; i++) {
        life.least[i] = life.versions[i];
        life.floors[i] = is_done ? life.versions[i] : life.floors[i];
    }
}

static void write_metrics(void)
{
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    cachekit_buffer_init(&out, &life.faults.hooks);
    if (cachekit_metrics_write(&out) != CACHEKIT_OK && out.len != 0) {
        wrong("half a dump was left");
    }
    cachekit_buffer_release(&out);
}

static cachekit_status open_backend(void)
{
    const cachekit_memory_backend_options memory = {.size = sizeof memory,
                                                    .allocator = &life.faults.hooks};
    const cachekit_file_backend_options file = {
        .size = sizeof file, .directory = all.dir, .allocator = &life.faults.hooks};
    const cachekit_redis_backend_options redis = {
        .size = sizeof redis, .url = all.redis.unix_url, .allocator = &life.faults.hooks};
    switch (life.place) {
    case IN_MEMORY:
        return cachekit_memory_backend_new(&memory, &life.backend, NULL);
    case IN_FILES:
        return cachekit_file_backend_new(&file, &life.backend, NULL);
    default:
        return cachekit_redis_backend_new(&redis, &life.backend, NULL);
    }
}

static cachekit_status open_keyring(void)
{
    cachekit_keyring_options options = CACHEKIT_KEYRING_OPTIONS_INIT;
    options.master_key = MASTER;
    options.allow_unlocked = true;
    options.allocator = &life.faults.hooks;
    return life.form->is_sealed ? cachekit_keyring_new(&options, &life.keyring, NULL) : CACHEKIT_OK;
}

static cachekit_status open_function(void)
{
    const struct form *form = life.form;
    cachekit_cache_options co = CACHEKIT_CACHE_OPTIONS_INIT;
    cachekit_function_options fo =
        form->is_sealed ? cachekit_preset_secure() : cachekit_preset_production();
    co.allocator = &life.faults.hooks;
    co.backend = life.backend;
    co.keyring = life.keyring;
    co.name_space = "lives";
    fo.maintain_every_ms = 0;
    fo.wire = form->wire;
    fo.codec = form->codec;
    fo.integrity = form->is_bare ? CACHEKIT_OFF : CACHEKIT_DEFAULT;
    fo.distributed_lock = form->is_locked && life.place != IN_FILES ? CACHEKIT_ON : CACHEKIT_OFF;
    fo.deadline_ms = 60000;
    fo.destroy = destroy;
    cachekit_status status = cachekit_cache_new(&co, &life.cache, NULL);
    return status == CACHEKIT_OK
               ? cachekit_function_new(life.cache, "live", load, NULL, &fo, &life.f, NULL)
               : status;
}

static void live(void)
{
    for (uint64_t key = 0; key < KEYS; key++) {
        ask(key); // computed
    }
    for (uint64_t key = 0; key < KEYS; key++) {
        ask(key); // from memory, then held without its envelope
        peek(key);
    }
    change(1);
    ask(1);
    change(LONG_KEY);
    ask(LONG_KEY);
    (void)cachekit_maintain(life.cache, 0);
    change_all();
    for (uint64_t key = 0; key < KEYS; key += 3) {
        peek(key);
        ask(key);
    }
    write_metrics();
}

// Another process's, as far as memory goes: what it finds is at the backend.
static bool reopen(void)
{
    if (cachekit_cache_free(life.cache) != CACHEKIT_OK) {
        wrong("a cache could not be freed");
    }
    life.cache = NULL;
    memcpy(life.least, life.floors, sizeof life.least);
    return open_function() == CACHEKIT_OK;
}

static void live_again(void)
{
    for (uint64_t key = 0; key < KEYS; key += 3) {
        ask(key); // from the backend
        change(key);
        ask(key);
        peek(key);
    }
    ask(LONG_KEY);
    change_all();
    ask(0);
    ask(LONG_KEY);
}

static void end(void)
{
    if (cachekit_cache_free(life.cache) != CACHEKIT_OK) {
        wrong("a cache could not be freed");
    }
    cachekit_keyring_free(life.keyring);
    cachekit_backend_free(life.backend);
    if (life.faults.live_blocks != 0 || life.faults.live_bytes != 0) {
        wrong("memory leaked");
    }
    if (life.made != life.destroyed) {
        wrong("a result was not destroyed exactly once");
    }
}

static void clear_files(void)
{
    DIR *dir = opendir(all.dir);
    const struct dirent *entry;
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] != '.') {
            (void)unlinkat(dirfd(dir), entry->d_name, 0);
        }
    }
    if (dir != NULL) {
        (void)closedir(dir);
    }
}

static void clear_places(void)
{
    char reply[64];
    if (life.place == IN_FILES) {
        clear_files();
    } else if (life.place == IN_REDIS) {
        redis_kit_ask(&all.redis, 0, reply, sizeof reply, "FLUSHALL");
    }
}

// How many requests there were.
static int run(const struct form *form, enum place place, int fail_at, bool fail_on)
{
    memset(&life, 0, sizeof life);
    life.form = form;
    life.place = place;
    fault_allocator_init(&life.faults);
    life.faults.fail_at = fail_at;
    life.faults.fail_on = fail_on;
    clear_places();
    if (open_backend() == CACHEKIT_OK && open_keyring() == CACHEKIT_OK &&
        open_function() == CACHEKIT_OK) {
        live();
        if (reopen()) {
            live_again();
        }
    }
    end();
    all.lives++;
    if (life.wrong != NULL) {
        all.lost++;
        (void)fprintf(stderr, "life_faults: LOST: %s, %s, request %d%s: %s\n", place_names[place],
                      form->name, fail_at, fail_on ? " and all after" : "", life.wrong);
    }
    return life.faults.calls;
}

static void sweep(const struct form *form, enum place place, long stride, long *turn)
{
    int calls = run(form, place, INT_MAX, false);
    if (life.wrong != NULL || calls < 50 || life.made < KEYS) {
        redis_kit_die("%s, %s: a life without a fault is no life (%d requests)", place_names[place],
                      form->name, calls);
    }
    for (int on = 0; on < 2; on++) {
        for (int at = 0;; at++) {
            if ((*turn)++ % stride != 0 && at < calls) {
                continue;
            }
            bool has_fired = run(form, place, at, on != 0) > at;
            if (!has_fired && at >= calls) {
                break; // there is no such request
            }
            all.injected++;
            all.fired += has_fired;
        }
    }
}

int main(int argc, char **argv)
{
    long stride = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
    long floor = argc > 2 ? strtol(argv[2], NULL, 10) : 1, turn = 0;
    if (argc > 3 || stride < 1 || floor < 1) {
        (void)fputs("life_faults: usage: life_faults [STRIDE [FLOOR]]\n", stderr);
        return 2;
    }
    // Thousands of values are flushed to disk, which is not what is tried here.
    const char *tmp = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : getenv("TMPDIR");
    (void)snprintf(all.dir, sizeof all.dir, "%.40s/lives.XXXXXX", tmp != NULL ? tmp : "/tmp");
    if (mkdtemp(all.dir) == NULL) {
        redis_kit_die("cannot make %s", all.dir);
    }
    for (int i = 0; i < TEXT_LEN; i++) {
        all.text[i] = (char)('a' + i * i % 26);
    }
    redis_kit_open(&all.redis, NULL);
    for (int place = 0; place < PLACES; place++) {
        for (size_t form = 0; form < FORMS; form++) {
            sweep(&forms[form], (enum place)place, stride, &turn);
        }
    }
    clear_files();
    (void)rmdir(all.dir);
    redis_kit_close(&all.redis);
    (void)printf(
        "life_faults: %ld requests for memory refused, %ld fired, in lives of %d functions "
        "over %d backends, once and from then on: %ld lost\n",
        all.injected, all.fired, (int)FORMS, (int)PLACES, all.lost);
    if (all.fired < floor || all.fired != all.injected) {
        (void)fprintf(stderr, "life_faults: fewer than %ld faults, or some did not fire\n", floor);
        return 1;
    }
    return all.lost != 0;
}
