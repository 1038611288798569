// SPDX-License-Identifier: MIT
// A message that was changed, cut or moved opens to nothing, and nothing is left in the buffer.
#include "seal_kit.h"

#include <stdlib.h>

enum { PLAIN_LEN = 64, SEALED_LEN = PLAIN_LEN + CACHEKIT_SEAL_OVERHEAD_BYTES };

static uint8_t plain[PLAIN_LEN];

static void seal_plain(cachekit_keyring *keyring, const cachekit_binding *binding,
                       cachekit_buffer *sealed)
{
    for (size_t i = 0; i < PLAIN_LEN; i++) {
        plain[i] = (uint8_t)(0x40 + i);
    }
    cr_assert(eq(int,
                 cachekit_seal(keyring, binding, (cachekit_slice){plain, PLAIN_LEN}, sealed, NULL),
                 CACHEKIT_OK));
    cr_assert(eq(sz, sealed->len, SEALED_LEN));
}

// Opens what was damaged into a buffer full of other plaintext.
static void must_refuse(cachekit_keyring *keyring, const cachekit_binding *binding,
                        cachekit_slice sealed, cachekit_status wanted, const char *what, size_t at)
{
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    cr_assert(eq(int, cachekit_buffer_reserve(&out, 2 * PLAIN_LEN), CACHEKIT_OK));
    memset(out.data, 0xa5, out.room);
    out.len = out.room;
    uint8_t *exact = malloc(sealed.len + 1);
    if (sealed.len > 0) {
        memcpy(exact, sealed.data, sealed.len);
    }
    cachekit_error error = {0};
    cachekit_status status =
        cachekit_open(keyring, binding, (cachekit_slice){exact, sealed.len}, &out, NULL, &error);
    cr_assert(eq(int, status, wanted), "%s %zu", what, at);
    cr_assert(eq(int, error.status, wanted));
    cr_assert(eq(sz, out.len, 0), "%s %zu", what, at);
    cr_assert(all_zero(&out), "%s %zu", what, at);
    free(exact);
    cachekit_buffer_release(&out);
}

Test(seal_damage, every_flipped_bit_is_refused)
{
    const char *const retired[] = {MASTER_11};
    cachekit_keyring *keyring = ring_of(MASTER_61, retired, 1, NULL, NULL);
    cachekit_binding binding = binding_of("k");
    cachekit_buffer sealed = CACHEKIT_BUFFER_INIT;
    seal_plain(keyring, &binding, &sealed);
    for (size_t bit = 0; bit < 8 * SEALED_LEN; bit++) {
        sealed.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        must_refuse(keyring, &binding, whole(&sealed), CACHEKIT_E_AUTH, "bit", bit);
        sealed.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    cachekit_keyring_free(keyring);
    cachekit_buffer_release(&sealed);
}

Test(seal_damage, every_truncation_and_any_byte_behind_is_refused)
{
    cachekit_keyring *keyring = simple_ring();
    cachekit_binding binding = binding_of("k");
    cachekit_buffer sealed = CACHEKIT_BUFFER_INIT;
    seal_plain(keyring, &binding, &sealed);
    for (size_t len = 0; len < SEALED_LEN; len++) {
        cachekit_status wanted =
            len < CACHEKIT_SEAL_OVERHEAD_BYTES ? CACHEKIT_E_DECODE : CACHEKIT_E_AUTH;
        must_refuse(keyring, &binding, (cachekit_slice){sealed.data, len}, wanted, "cut to", len);
        must_refuse(keyring, &binding, (cachekit_slice){sealed.data + SEALED_LEN - len, len},
                    wanted, "begun late,", len);
    }
    cr_assert(eq(int, cachekit_buffer_append(&sealed, "", 1), CACHEKIT_OK));
    must_refuse(keyring, &binding, whole(&sealed), CACHEKIT_E_AUTH, "one more byte", 0);
    cachekit_keyring_free(keyring);
    cachekit_buffer_release(&sealed);
}

enum { MASTERS = 2, TENANTS = 2, KEYS = 3, FORMATS = 3, FLAGS = 2, TYPES = 3 };
enum { RINGS = MASTERS * TENANTS, PLACES = RINGS * KEYS * FORMATS * FLAGS * TYPES };

struct place {
    cachekit_keyring *keyring;
    cachekit_binding binding;
    cachekit_buffer sealed;
};

static void fill_places(cachekit_keyring *const *rings, struct place *places)
{
    static const char *const keys[KEYS] = {"ns:op:a", "ns:op:b", "ns:op:a\xe2\x82\xac"};
    static const char *const formats[FORMATS] = {"msgpack", "orjson", "arrow"};
    static const char *const types[TYPES] = {NULL, "msgpack", "False"};
    for (size_t i = 0; i < PLACES; i++) {
        size_t rest = i / RINGS;
        places[i].keyring = rings[i % RINGS];
        places[i].binding = binding_of(keys[rest % KEYS]);
        places[i].binding.format = formats[rest / KEYS % FORMATS];
        places[i].binding.compressed = rest / (KEYS * FORMATS) % FLAGS == 1;
        places[i].binding.original_type = types[rest / (KEYS * FORMATS * FLAGS)];
        cachekit_buffer_init(&places[i].sealed, NULL);
        seal_plain(places[i].keyring, &places[i].binding, &places[i].sealed);
    }
}

// Master key, tenant, cache key, format, compression and type: 216 places, each message tried in
// all of them.
Test(seal_damage, a_message_opens_in_its_own_place_only)
{
    cachekit_keyring *rings[RINGS] = {ring_of(MASTER_11, NULL, 0, "tenant-a", NULL),
                                      ring_of(MASTER_11, NULL, 0, "tenant-b", NULL),
                                      ring_of(MASTER_22, NULL, 0, "tenant-a", NULL),
                                      ring_of(MASTER_22, NULL, 0, "tenant-b", NULL)};
    static struct place places[PLACES];
    fill_places(rings, places);
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    size_t opened = 0;
    for (size_t i = 0; i < PLACES; i++) {
        for (size_t k = 0; k < PLACES; k++) {
            cachekit_status status = cachekit_open(places[k].keyring, &places[k].binding,
                                                   whole(&places[i].sealed), &out, NULL, NULL);
            cr_assert(eq(int, status, i == k ? CACHEKIT_OK : CACHEKIT_E_AUTH), "%zu in %zu", i, k);
            opened += status == CACHEKIT_OK;
        }
    }
    cr_assert(eq(sz, opened, PLACES));
    for (size_t i = 0; i < PLACES; i++) {
        cachekit_buffer_release(&places[i].sealed);
    }
    for (size_t i = 0; i < RINGS; i++) {
        cachekit_keyring_free(rings[i]);
    }
    cachekit_buffer_release(&out);
}

// What a buffer leaves behind when it moves is looked at by an allocator that remembers.
static uint8_t left_behind[64];

static void *remember_alloc(void *context, size_t size)
{
    (void)context;
    return malloc(size);
}

static void *remember_resize(void *context, void *block, size_t old_size, size_t size)
{
    (void)context;
    if (block != NULL) {
        memcpy(left_behind, block, old_size < sizeof left_behind ? old_size : sizeof left_behind);
    }
    return realloc(block, size);
}

static void remember_free(void *context, void *block, size_t size)
{
    (void)context, (void)size;
    free(block);
}

Test(seal_damage, a_plaintext_buffer_that_grows_leaves_no_plaintext_behind)
{
    const cachekit_allocator allocator = {remember_alloc, remember_resize, remember_free, NULL};
    cachekit_keyring *keyring = simple_ring();
    cachekit_binding binding = binding_of("k");
    cachekit_buffer sealed = CACHEKIT_BUFFER_INIT;
    cachekit_buffer out;
    cachekit_buffer_init(&out, &allocator);
    memset(left_behind, 0xa5, sizeof left_behind);
    seal_plain(keyring, &binding, &sealed);
    cr_assert(eq(int, cachekit_open(keyring, &binding, whole(&sealed), &out, NULL, NULL), 0));
    cr_assert(eq(int, left_behind[0], 0xa5), "a new buffer moves nothing");
    uint8_t longer[PLAIN_LEN + 1] = {0};
    cachekit_slice input = {longer, sizeof longer};
    cr_assert(eq(int, cachekit_seal(keyring, &binding, input, &sealed, NULL), 0));
    cr_assert(eq(int, cachekit_open(keyring, &binding, whole(&sealed), &out, NULL, NULL), 0));
    for (size_t i = 0; i < sizeof left_behind; i++) {
        cr_assert(eq(int, left_behind[i], 0));
    }
    cachekit_keyring_free(keyring);
    cachekit_buffer_release(&sealed);
    cachekit_buffer_release(&out);
}
