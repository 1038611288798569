// SPDX-License-Identifier: MIT
// Looks through all memory of processes that called functions which encrypt, for results and
// arguments. A plain program, so that nobody else's memory is in the way; its own copies are wiped
// before anybody looks. Functions that do not encrypt are the control: there the same search must
// find something. Usage: backed_image
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cachekit/backends.h>
#include <cachekit/cachekit.h>
#include <cachekit/seal.h>

#define MASTER "6161616161616161616161616161616161616161616161616161616161616161"

enum { FIELDS = 40, FIELD_LEN = 200, ARG_LEN = 400, PIECE = 8, STACK_BYTES = 65536 };

// Secrets by their place: results first, then arguments. Letters, so that JSON holds them as they
// are; no two pieces are alike, so that LZ4 does too.
static char letter(uint64_t place)
{
    uint64_t z = (place + 1) * 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[(z ^ (z >> 31)) % 52];
}

static uint64_t number(uint64_t place)
{
    return (place + 3) * 0xd1342543de82ef95U >> 1 | (uint64_t)1 << 61;
}

static const struct scene {
    const char *name;
    cachekit_wire wire;
    cachekit_codec codec;
    bool is_sealed;
} scenes[] = {
    {"value", CACHEKIT_WIRE_AUTO, CACHEKIT_CODEC_VALUE, true},
    {"value, interop", CACHEKIT_WIRE_INTEROP, CACHEKIT_CODEC_VALUE, true},
    {"json", CACHEKIT_WIRE_AUTO, CACHEKIT_CODEC_JSON, true},
    {"bytes", CACHEKIT_WIRE_AUTO, CACHEKIT_CODEC_BYTES, true},
    {"control: value, not encrypted", CACHEKIT_WIRE_AUTO, CACHEKIT_CODEC_VALUE, false},
};
enum { SCENES = sizeof scenes / sizeof scenes[0] };

// The child.

static struct {
    char text[FIELDS * FIELD_LEN], arg_text[ARG_LEN];
    cachekit_value items[FIELDS + 1], document;
    cachekit_arg args[2];
    const struct scene *scene;
    cachekit_backend *backend;
    cachekit_keyring *keyring;
    cachekit_cache *cache;
    cachekit_function *f;
} * my;

__attribute__((noinline)) static void wipe(volatile void *data, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        ((volatile uint8_t *)data)[i] = 0;
    }
}

__attribute__((noinline)) static void wipe_stack(void)
{
    uint8_t frames[STACK_BYTES];
    wipe(frames, sizeof frames);
}

__attribute__((noinline)) static void make_secrets(void)
{
    for (uint64_t i = 0; i < sizeof my->text; i++) {
        my->text[i] = letter(i);
    }
    for (uint64_t i = 0; i < ARG_LEN; i++) {
        my->arg_text[i] = letter(sizeof my->text + i);
    }
    for (size_t i = 0; i < FIELDS; i++) {
        my->items[i] = cachekit_value_str(my->text + i * FIELD_LEN, FIELD_LEN);
    }
    my->items[FIELDS] = cachekit_value_u64(number(0));
    my->document = cachekit_value_array(my->items, FIELDS + 1);
    my->args[0] = cachekit_str_len(my->arg_text, ARG_LEN);
    my->args[1] = cachekit_u64(number(1));
}

static cachekit_status load(void *context, const cachekit_arg *args, size_t count,
                            cachekit_result *result, cachekit_error *error)
{
    (void)context;
    (void)args;
    (void)count;
    (void)error;
    bool is_bytes = my->scene->codec == CACHEKIT_CODEC_BYTES;
    *result = is_bytes ? (cachekit_result){my->text, sizeof my->text}
                       : (cachekit_result){&my->document, sizeof my->document};
    return CACHEKIT_OK;
}

static bool open_cache(void)
{
    cachekit_cache_options co = CACHEKIT_CACHE_OPTIONS_INIT;
    cachekit_function_options fo =
        my->scene->is_sealed ? cachekit_preset_secure() : cachekit_preset_production();
    fo.maintain_every_ms = 0;
    fo.wire = my->scene->wire;
    fo.codec = my->scene->codec;
    co.backend = my->backend;
    co.keyring = my->keyring;
    co.name_space = "users";
    return cachekit_cache_new(&co, &my->cache, NULL) == CACHEKIT_OK &&
           cachekit_function_new(my->cache, "get_user", load, NULL, &fo, &my->f, NULL) ==
               CACHEKIT_OK;
}

static bool is_right(const cachekit_hit *hit)
{
    return my->scene->codec == CACHEKIT_CODEC_BYTES
               ? hit->size_bytes == sizeof my->text &&
                     memcmp(hit->object, my->text, hit->size_bytes) == 0
               : cachekit_value_equal(hit->object, &my->document);
}

// Comparing would leave traces of its own.
static bool ask(cachekit_layer layer, bool compare)
{
    cachekit_hit hit;
    bool is_good = cachekit_call(my->f, my->args, 2, &hit, NULL) == CACHEKIT_OK &&
                   hit.layer == layer && (!compare || is_right(&hit));
    cachekit_release(&hit);
    return is_good;
}

__attribute__((noinline)) static bool live(bool compare)
{
    cachekit_hit hit;
    bool is_good = ask(CACHEKIT_LAYER_MISS, compare) && ask(CACHEKIT_LAYER_L1, compare) &&
                   cachekit_cache_free(my->cache) == CACHEKIT_OK && open_cache() &&
                   ask(CACHEKIT_LAYER_L2, compare) && ask(CACHEKIT_LAYER_L1, compare);
    is_good = is_good && cachekit_invalidate(my->f, my->args, 2) == CACHEKIT_OK;
    is_good = is_good && cachekit_peek(my->f, my->args, 2, &hit, NULL) == CACHEKIT_MISS;
    return is_good && ask(CACHEKIT_LAYER_MISS, compare) && ask(CACHEKIT_LAYER_L1, compare);
}

static bool begin(const struct scene *scene)
{
    cachekit_keyring_options ring = CACHEKIT_KEYRING_OPTIONS_INIT;
    my = calloc(1, sizeof *my);
    if (my == NULL) {
        return false;
    }
    my->scene = scene;
    ring.master_key = MASTER;
    ring.allow_unlocked = true;
    return cachekit_keyring_new(&ring, &my->keyring, NULL) == CACHEKIT_OK &&
           cachekit_memory_backend_new(NULL, &my->backend, NULL) == CACHEKIT_OK && open_cache();
}

static bool forget(void)
{
    char key[CACHEKIT_KEY_AUTO_ROOM];
    (void)key;
    return cachekit_invalidate(my->f, my->args, 2) == CACHEKIT_OK;
}

// Stops twice: with a cache that is used no more, and without it.
static void act(const struct scene *scene)
{
    bool is_good = begin(scene);
    make_secrets();
    is_good = is_good && live(true) && forget();
    wipe_stack();
    is_good = is_good && live(false);
    wipe(my->text, sizeof my->text);
    wipe(my->arg_text, sizeof my->arg_text);
    wipe(my->items, sizeof my->items);
    wipe(my->args, sizeof my->args);
    if (!is_good) {
        _exit(1);
    }
    (void)raise(SIGSTOP);
    is_good = cachekit_cache_free(my->cache) == CACHEKIT_OK;
    cachekit_keyring_free(my->keyring);
    (void)raise(SIGSTOP);
    _exit(is_good ? 0 : 1);
}

// The search.

enum { NEEDLES = (FIELDS * FIELD_LEN + ARG_LEN) / PIECE + 6 };
static struct needle {
    char bytes[24];
    size_t len;
} needles[NEEDLES];
static size_t needle_count;
static bool begins[1 << 16];

static void add_needle(const void *bytes, size_t len)
{
    struct needle *needle = &needles[needle_count++];
    memcpy(needle->bytes, bytes, len);
    needle->len = len;
    begins[(uint8_t)needle->bytes[0] << 8 | (uint8_t)needle->bytes[1]] = true;
}

// As the machine has it, as MessagePack has it, and in digits.
static void add_number(uint64_t n)
{
    char text[24];
    uint8_t turned[8];
    for (int i = 0; i < 8; i++) {
        turned[i] = (uint8_t)(n >> (56 - 8 * i));
    }
    add_needle(&n, sizeof n);
    add_needle(turned, sizeof turned);
    add_needle(text, (size_t)snprintf(text, sizeof text, "%" PRIu64, n));
}

static void add_needles(void)
{
    for (uint64_t i = 0; i < FIELDS * FIELD_LEN + ARG_LEN; i += PIECE) {
        char piece[PIECE];
        for (uint64_t k = 0; k < PIECE; k++) {
            piece[k] = letter(i + k);
        }
        add_needle(piece, PIECE);
    }
    add_number(number(0));
    add_number(number(1));
}

static size_t search(const char *bytes, size_t len, const char *mapping, bool tell)
{
    size_t hits = 0;
    for (size_t at = 0; at + PIECE <= len; at++) {
        if (!begins[(uint8_t)bytes[at] << 8 | (uint8_t)bytes[at + 1]]) {
            continue;
        }
        for (size_t i = 0; i < needle_count; i++) {
            if (needles[i].len <= len - at &&
                memcmp(bytes + at, needles[i].bytes, needles[i].len) == 0) {
                hits++;
                if (tell && hits <= 5) {
                    printf("  found piece %zu in %s", i, mapping);
                }
            }
        }
    }
    return hits;
}

static size_t search_process(pid_t pid, bool tell, size_t *bytes)
{
    char path[64], line[512];
    size_t hits = 0;
    (void)snprintf(path, sizeof path, "/proc/%ld/maps", (long)pid);
    FILE *maps = fopen(path, "r");
    (void)snprintf(path, sizeof path, "/proc/%ld/mem", (long)pid);
    FILE *memory = fopen(path, "r");
    while (maps != NULL && memory != NULL && fgets(line, sizeof line, maps) != NULL) {
        uint64_t start, end;
        char access[5];
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &start, &end, access) != 3 ||
            access[1] != 'w') {
            continue;
        }
        char *copy = malloc(end - start);
        if (copy != NULL && fseeko(memory, (off_t)start, SEEK_SET) == 0) {
            size_t len = fread(copy, 1, end - start, memory);
            *bytes += len;
            hits += search(copy, len, line, tell);
        }
        free(copy);
    }
    if (maps != NULL) {
        (void)fclose(maps);
    }
    if (memory != NULL) {
        (void)fclose(memory);
    }
    return hits;
}

static bool has_stopped(pid_t pid)
{
    int status;
    return waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status);
}

int main(void)
{
    pid_t pids[SCENES];
    size_t bytes = 0;
    bool is_good = true;
    // All are forked before the needles are made.
    for (size_t i = 0; i < SCENES; i++) {
        if ((pids[i] = fork()) == 0) {
            act(&scenes[i]);
        }
    }
    add_needles();
    for (size_t i = 0; i < SCENES; i++) {
        for (int stop = 0; stop < 2; stop++) {
            if (!has_stopped(pids[i])) {
                printf("%s: the process failed\n", scenes[i].name);
                return 1;
            }
            size_t hits = search_process(pids[i], scenes[i].is_sealed, &bytes);
            bool is_right =
                stop == 1 && !scenes[i].is_sealed ? true : (hits == 0) == scenes[i].is_sealed;
            printf("%s, %s: %zu pieces%s\n", scenes[i].name, stop == 0 ? "at rest" : "freed", hits,
                   is_right ? "" : ": WRONG");
            is_good = is_good && is_right;
            (void)kill(pids[i], SIGCONT);
        }
        (void)waitpid(pids[i], NULL, 0);
    }
    printf("searched %zu bytes for %zu pieces\n", bytes, needle_count);
    return is_good && bytes > 0 ? 0 : 1;
}
