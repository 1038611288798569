// SPDX-License-Identifier: MIT
// Looks through all memory of processes that used keyrings, for keys and all that is as good as a
// key: master keys, the intermediate (also as HMAC pads it and as SHA-256 holds it), derived keys,
// round keys, the hash key and its powers. A plain program, so that nobody else's memory is in the
// way. Its own needles are text until every process that is looked at has been started.
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cachekit/seal.h>

#include "hex.h"

enum { SECRETS = 2, NEEDLES_MAX = 512, PIECE = 8, ROUND_KEYS = 13, POWERS = 8 };

// Computed with Python: hmac, hashlib, cryptography, and the key expansion of FIPS 197.
static const struct secret {
    const char *master, *prk, *key, *hash_key;
    const char *round_keys[ROUND_KEYS]; // from the third on: the first two are the key
} secrets[SECRETS] = {
    {"007f80ffa55ac33c1ee12dd24bb469968778f00f01102332455467768998abba",
     "3a5e9185aa152d2dee9d29011986fcca0f310c634d615db08292ed4d033f4848",
     "d03795d39d36bbba906b403b6637976dc640f15e0ef5f25c8237b32fbfa72b62",
     "ccacc2c8e99f0fc941497a6279a3092f",
     {"8dc63fdb10f08461809bc45ae6ac5337", "48d11cc44624ee98c4135db77bb476d5",
      "02fe3cfa120eb89b92957cc174392ff6", "dac309869ce7e71e58f4baa92340cc7c",
      "0fb52cdc1dbb94478f2ee886fb17c770", "d533cfd749d428c91120926032605e1c",
      "d7edb0ffca5624b84578cc3ebe6f0b4e", "7b9be4f8324fcc31236f5e51110f004d",
      "b18e537d7bd877c53ea0bbfb80cfb0b5", "b611032d845ecf1ca731914db63e9100",
      "230f303358d747f66677fc0de6b84cb8", "387d2a41bc23e55d1b127410ad2ce510",
      "12d6faa64a01bd502c76415dcace0de5"}},
    {"8f1b9c04d27e63aa51c8f0397bd4e2165a90cd3b47ee128f6073b1d9a52c48e7",
     "0952bee6afd0a61db8a7769bce5a916411af2d2648f6472c56109426cc98242b",
     "d5dc3c7a57fee12dc935e168124ee6de5e7e231b884514de61d34638704f206c",
     "826d399b97fd4b444484efe8eaf4ece3",
     {"506b6c2b07958d06cea06c6edcee8ab0", "d8565dfc5013492231c00f1a418f2f76",
      "217e54a826ebd9aee84bb5c034a53f70", "c05028ad9043618fa1836e95e00c41e3",
      "dbfd4549fd169ce7155d292721f81657", "3d116ff6ad520e790cd160ececdd210f",
      "12003387ef16af60fa4b8647dbb39010", "847c0f3c292e014525ff61a9c92240a6",
      "9109175a7e1fb83a84543e7d5fe7ae6d", "4be8eb0062c6ea4547398bec8e1bcb4a",
      "1e16c14360097979e45d4704bbbae969", "a11cf5f9c3da1fbc84e394500af85f1a",
      "1fd963247fd01a5d9b8d5d592037b430"}},
};

// What the processes do before they stop. Each returns whether all went as it should.

static cachekit_keyring *ring(const char *master, const char *retired)
{
    const char *const list[] = {retired};
    cachekit_keyring_options options = CACHEKIT_KEYRING_OPTIONS_INIT;
    options.master_key = master;
    options.retired_keys = list;
    options.retired_count = retired != NULL;
    cachekit_keyring *keyring = NULL;
    return cachekit_keyring_new(&options, &keyring, NULL) == CACHEKIT_OK ? keyring : NULL;
}

static bool make_and_free(void)
{
    cachekit_keyring *keyring = ring(secrets[0].master, secrets[1].master);
    cachekit_keyring_free(keyring);
    return keyring != NULL;
}

// The first key is sound, the second derived, the third no key.
static bool be_refused(void)
{
    const char *const retired[] = {secrets[1].master, "no key"};
    cachekit_keyring_options options = CACHEKIT_KEYRING_OPTIONS_INIT;
    options.master_key = secrets[0].master;
    options.retired_keys = retired;
    options.retired_count = 2;
    cachekit_keyring *keyring = NULL;
    return cachekit_keyring_new(&options, &keyring, NULL) == CACHEKIT_E_CONFIG;
}

static bool exchange(cachekit_keyring *from, cachekit_keyring *to, size_t len)
{
    static const uint8_t text[2000];
    const cachekit_binding binding = {{(const uint8_t *)"key", 3}, "msgpack", false, NULL};
    const cachekit_binding other = {{(const uint8_t *)"other", 5}, "msgpack", false, NULL};
    cachekit_buffer sealed = CACHEKIT_BUFFER_INIT;
    cachekit_buffer plain = CACHEKIT_BUFFER_INIT;
    bool is_good = cachekit_seal(from, &binding, (cachekit_slice){text, len}, &sealed, NULL) == 0;
    cachekit_slice input = {sealed.data, sealed.len};
    is_good = is_good && cachekit_open(to, &binding, input, &plain, NULL, NULL) == 0 &&
              cachekit_open(to, &other, input, &plain, NULL, NULL) == CACHEKIT_E_AUTH;
    cachekit_buffer_release(&sealed);
    cachekit_buffer_release(&plain);
    return is_good;
}

// Nothing that comes after the last message wipes for it.
static bool seal_and_free(void)
{
    const cachekit_binding binding = {{(const uint8_t *)"key", 3}, "msgpack", false, NULL};
    static const uint8_t text[500];
    cachekit_buffer sealed = CACHEKIT_BUFFER_INIT;
    cachekit_keyring *keyring = ring(secrets[0].master, NULL);
    bool is_good = keyring != NULL && cachekit_seal(keyring, &binding, (cachekit_slice){text, 500},
                                                    &sealed, NULL) == CACHEKIT_OK;
    cachekit_keyring_free(keyring);
    cachekit_buffer_release(&sealed);
    return is_good;
}

static void *use_keyrings(void *failed)
{
    cachekit_keyring *both = ring(secrets[0].master, secrets[1].master);
    cachekit_keyring *old = ring(secrets[1].master, NULL);
    *(bool *)failed = both == NULL || old == NULL;
    for (size_t len = 0; !*(bool *)failed && len <= 2000; len += 125) {
        *(bool *)failed = !exchange(both, both, len) || !exchange(old, both, len);
    }
    cachekit_keyring_free(both);
    cachekit_keyring_free(old);
    return NULL;
}

static bool work_and_free(void)
{
    bool failed[2] = {true, true};
    pthread_t thread;
    use_keyrings(&failed[0]);
    return pthread_create(&thread, NULL, use_keyrings, &failed[1]) == 0 &&
           pthread_join(thread, NULL) == 0 && !failed[0] && !failed[1];
}

static bool keep_working(void)
{
    cachekit_keyring *both = ring(secrets[0].master, secrets[1].master);
    return both != NULL && exchange(both, both, 1000);
}

static const struct scene {
    const char *name;
    bool (*act)(void);
    bool keeps_keys; // in locked pages that core dumps leave out, and nowhere else
} scenes[] = {
    {"a keyring made and freed", make_and_free, false},
    {"a keyring refused", be_refused, false},
    {"a message sealed and its keyring freed", seal_and_free, false},
    {"keyrings used by two threads and freed", work_and_free, false},
    {"a keyring in use", keep_working, true},
};

enum { SCENES = sizeof scenes / sizeof scenes[0] };

// Control: bytes that are not in the program, in a place of each kind, for the search to find.
static void plant(uint8_t *out, unsigned seed)
{
    for (unsigned i = 0; i < PIECE; i++) {
        out[i] = (uint8_t)((seed * 77 + i) * 151 + 13);
    }
}

static pid_t start(const struct scene *scene)
{
    pid_t pid = fork();
    if (pid != 0) {
        return pid;
    }
    volatile uint8_t on_stack[PIECE];
    uint8_t *on_heap = calloc(1, 4096);
    if (!scene->act() || on_heap == NULL) {
        _exit(1);
    }
    plant((uint8_t *)on_stack, 1);
    plant(on_heap + 2048, 2);
    (void)raise(SIGSTOP);
    _exit(on_stack[0] == on_heap[0]);
}

// The search.

struct needle {
    uint8_t bytes[PIECE];
    const char *what;
    unsigned hits_kept, hits_loose;
};

static struct needle needles[NEEDLES_MAX];
static size_t needle_count;
static bool begins[1 << 16]; // by the first two bytes of a needle

static void add_needles(const uint8_t *bytes, size_t len, const char *what)
{
    for (size_t at = 0; at < len; at += PIECE) {
        if (needle_count == NEEDLES_MAX) {
            abort();
        }
        struct needle *needle = &needles[needle_count++];
        memcpy(needle->bytes, bytes + at, PIECE);
        needle->what = what;
        begins[needle->bytes[0] << 8 | needle->bytes[1]] = true;
    }
}

// As it is and as SHA-256 holds it, in words of the machine.
static void add_hashed(const uint8_t *bytes, size_t len, uint8_t pad, const char *what)
{
    uint8_t plain[32], swapped[32];
    for (size_t i = 0; i < len; i++) {
        plain[i] = bytes[i] ^ pad;
        swapped[i ^ 3] = bytes[i] ^ pad;
    }
    add_needles(plain, len, what);
    add_needles(swapped, len, what);
}

// x = x * y in GHASH's field, SP 800-38D 6.3.
static void multiply(uint8_t x[16], const uint8_t y[16])
{
    uint8_t z[16] = {0}, v[16];
    memcpy(v, y, 16);
    for (unsigned bit = 0; bit < 128; bit++) {
        bool is_set = (x[bit / 8] >> (7 - bit % 8) & 1) != 0;
        bool carry = (v[15] & 1) != 0;
        for (unsigned i = 16; i-- > 0;) {
            z[i] = (uint8_t)(is_set ? z[i] ^ v[i] : z[i]);
            v[i] = (uint8_t)(v[i] >> 1 | (i > 0 ? v[i - 1] << 7 : 0));
        }
        v[0] = (uint8_t)(carry ? v[0] ^ 0xe1 : v[0]);
    }
    memcpy(x, z, 16);
}

static void add_powers(const uint8_t hash_key[16])
{
    uint8_t power[16], turned[16];
    memcpy(power, hash_key, 16);
    for (int n = 1; n <= POWERS; n++) {
        for (unsigned i = 0; i < 16; i++) {
            turned[i] = power[15 - i];
        }
        add_needles(power, 16, "hash key or a power of it");
        add_needles(turned, 16, "hash key or a power of it");
        multiply(power, hash_key);
    }
}

static void add_secret(const struct secret *secret)
{
    uint8_t bytes[32];
    hex_append(bytes, 0, 32, secret->master);
    add_hashed(bytes, 32, 0, "master key");
    hex_append(bytes, 0, 32, secret->prk);
    add_hashed(bytes, 32, 0, "intermediate");
    add_hashed(bytes, 32, 0x36, "intermediate, padded");
    add_hashed(bytes, 32, 0x5c, "intermediate, padded");
    hex_append(bytes, 0, 32, secret->key);
    add_hashed(bytes, 32, 0, "derived key (the first two round keys)");
    for (int i = 0; i < ROUND_KEYS; i++) {
        hex_append(bytes, 0, 16, secret->round_keys[i]);
        add_needles(bytes, 16, "round key");
    }
    hex_append(bytes, 0, 16, secret->hash_key);
    add_powers(bytes);
}

static void search(const uint8_t *bytes, size_t len, bool is_kept, const char *mapping, bool tell)
{
    for (size_t at = 0; at + PIECE <= len; at++) {
        if (!begins[bytes[at] << 8 | bytes[at + 1]]) {
            continue;
        }
        for (size_t i = 0; i < needle_count; i++) {
            if (memcmp(bytes + at, needles[i].bytes, PIECE) == 0) {
                *(is_kept ? &needles[i].hits_kept : &needles[i].hits_loose) += 1;
                if (tell && i >= 2 && !is_kept) {
                    printf("  found: %s, in %s\n", needles[i].what, mapping);
                }
            }
        }
    }
}

struct mapping {
    uint64_t start, end;
    char text[256];
    bool is_readable, is_kept;
};

// One mapping of /proc/PID/smaps; kept ones are locked and not dumped.
static bool next_mapping(FILE *smaps, struct mapping *mapping)
{
    char line[512];
    bool is_open = false;
    while (fgets(line, sizeof line, smaps) != NULL) {
        uint64_t start, end; // a line of another kind may begin with a hex digit
        char access[5];
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &start, &end, access) == 3) {
            line[strcspn(line, "\n")] = '\0';
            (void)snprintf(mapping->text, sizeof mapping->text, "%.250s", line);
            mapping->start = start;
            mapping->end = end;
            mapping->is_readable = access[0] == 'r';
            is_open = true;
        } else if (is_open && strncmp(line, "VmFlags:", 8) == 0) {
            mapping->is_kept = strstr(line, " lo") != NULL && strstr(line, " dd") != NULL;
            return true;
        }
    }
    return false;
}

static uint64_t search_process(pid_t pid, bool tell)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/smaps", (int)pid);
    FILE *smaps = fopen(path, "r");
    (void)snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
    FILE *memory = fopen(path, "rb");
    if (smaps == NULL || memory == NULL) {
        perror(path);
        exit(1);
    }
    uint64_t searched = 0;
    struct mapping mapping;
    while (next_mapping(smaps, &mapping)) {
        size_t len = (size_t)(mapping.end - mapping.start);
        uint8_t *bytes = mapping.is_readable ? malloc(len) : NULL;
        if (bytes != NULL) {
            ssize_t got = pread(fileno(memory), bytes, len, (off_t)mapping.start);
            search(bytes, got > 0 ? (size_t)got : 0, mapping.is_kept, mapping.text, tell);
            searched += got > 0 ? (uint64_t)got : 0;
        }
        free(bytes);
    }
    (void)fclose(smaps);
    (void)fclose(memory);
    return searched;
}

// The controls are the first two needles.
static bool judge(const struct scene *scene, uint64_t searched)
{
    unsigned kept = 0;
    unsigned loose = 0;
    for (size_t i = 2; i < needle_count; i++) {
        kept += needles[i].hits_kept;
        loose += needles[i].hits_loose;
    }
    bool is_sound = needles[0].hits_loose > 0 && needles[1].hits_loose > 0;
    bool is_good = is_sound && loose == 0 && (kept > 0) == scene->keeps_keys;
    printf("%s: %" PRIu64 " KiB searched, controls %s, pieces of keys: %u in locked pages, %u "
           "elsewhere: %s\n",
           scene->name, searched / 1024, is_sound ? "found" : "NOT found", kept, loose,
           is_good ? "good" : "BAD");
    return is_good;
}

int main(void)
{
    pid_t pids[SCENES];
    bool is_good = true;
    for (size_t i = 0; i < SCENES; i++) {
        pids[i] = start(&scenes[i]);
        int status = 0;
        if (pids[i] < 0 || waitpid(pids[i], &status, WUNTRACED) != pids[i] || !WIFSTOPPED(status)) {
            printf("%s: the process failed\n", scenes[i].name);
            is_good = false;
        }
    }
    uint8_t control[PIECE];
    for (unsigned seed = 1; seed <= 2; seed++) {
        plant(control, seed);
        add_needles(control, PIECE, "control");
    }
    for (int i = 0; i < SECRETS; i++) {
        add_secret(&secrets[i]);
    }
    for (size_t i = 0; is_good && i < SCENES; i++) {
        for (size_t k = 0; k < needle_count; k++) {
            needles[k].hits_kept = needles[k].hits_loose = 0;
        }
        is_good = judge(&scenes[i], search_process(pids[i], true)) && is_good;
    }
    for (size_t i = 0; i < SCENES; i++) {
        if (pids[i] > 0) {
            (void)kill(pids[i], SIGKILL);
            (void)waitpid(pids[i], NULL, 0);
        }
    }
    return is_good ? 0 : 1;
}
