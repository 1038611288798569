// SPDX-License-Identifier: MIT
// Messages against the protocol's rows, rotation of keys, and what the protocol accepts.
#include "seal_kit.h"

#include <stdlib.h>

#include "seal_rows.h"
#include "seal/bind.h"

static void check_aad(const struct seal_row *row)
{
    struct cki_bind bind;
    cr_assert(eq(int, cki_bind_init(&bind, text_slice(row->tenant), &row->binding, NULL, NULL),
                 CACHEKIT_OK));
    cr_assert(same_bytes(bind.aad, (cachekit_slice){row->aad, row->aad_len}), "%s", row->name);
    cki_bind_release(&bind);
}

static void check_row(const struct seal_row *row, cachekit_keyring *keyring,
                      struct fixed_entropy *entropy)
{
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    size_t index = 9;
    cachekit_slice sealed = {row->sealed, row->sealed_len};
    cachekit_slice plain = {row->plain, row->plain_len};
    cr_assert(
        eq(int, cachekit_open(keyring, &row->binding, sealed, &out, &index, NULL), CACHEKIT_OK),
        "%s", row->name);
    cr_assert(eq(sz, index, 0));
    cr_assert(same_bytes(whole(&out), plain), "%s", row->name);

    fixed_init(entropy, row->sealed);
    cr_assert(eq(int, cachekit_seal(keyring, &row->binding, plain, &out, NULL), CACHEKIT_OK));
    cr_assert(eq(int, entropy->calls, 1), "one nonce for each message");
    cr_assert(same_bytes(whole(&out), sealed), "%s", row->name);
    cachekit_buffer_release(&out);
}

Test(seal, every_row_of_the_protocol_opens_and_seals_to_the_same_bytes)
{
    size_t count = seal_rows_load();
    size_t sealed = 0;
    for (size_t i = 0; i < count; i++) {
        const struct seal_row *row = &seal_rows[i];
        check_aad(row);
        if (row->master == NULL) {
            continue;
        }
        sealed++;
        struct fixed_entropy entropy;
        fixed_init(&entropy, NULL);
        cachekit_keyring *keyring = ring_of(row->master, NULL, 0, row->tenant, &entropy.hook);
        char fingerprint[CACHEKIT_FINGERPRINT_ROOM];
        cr_assert(eq(int, cachekit_keyring_fingerprint(keyring, 0, fingerprint), CACHEKIT_OK));
        cr_assert(eq(str, fingerprint, (char *)row->fingerprint), "%s", row->name);
        check_row(row, keyring, &entropy);
        cachekit_keyring_free(keyring);
    }
    cr_assert(eq(sz, sealed, 10), "six, one of tenant default, two of keyrings, one of interop");
    cr_assert(eq(sz, count, 11), "and one of additional data");
    seal_rows_free();
}

static const struct seal_row *row_named(size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(seal_rows[i].name, name) == 0) {
            return &seal_rows[i];
        }
    }
    cr_assert(false, "no row %s", name);
    return NULL;
}

Test(seal, retired_keys_open_in_order_and_the_one_that_did_is_told)
{
    size_t count = seal_rows_load();
    const struct seal_row *rows[] = {row_named(count, "encrypted_with_k1"),
                                     row_named(count, "encrypted_with_k2")};
    const char *const retired[] = {MASTER_44, MASTER_11, MASTER_33};
    cachekit_keyring *keyring = ring_of(MASTER_22, retired, 3, "keyring-conformance", NULL);
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    const size_t wanted[] = {2, 0};
    for (size_t i = 0; i < 2; i++) {
        size_t index = 9;
        cachekit_slice sealed = {rows[i]->sealed, rows[i]->sealed_len};
        cr_assert(eq(int, cachekit_open(keyring, &rows[i]->binding, sealed, &out, &index, NULL),
                     CACHEKIT_OK));
        cr_assert(eq(sz, index, wanted[i]));
        cr_assert(same_bytes(whole(&out), (cachekit_slice){rows[i]->plain, rows[i]->plain_len}));
        cr_assert(eq(int, cachekit_open(keyring, &rows[i]->binding, sealed, &out, NULL, NULL),
                     CACHEKIT_OK));
    }
    cachekit_keyring_free(keyring);
    cachekit_buffer_release(&out);
    seal_rows_free();
}

Test(seal, only_the_current_key_seals)
{
    const char *const retired[] = {MASTER_11};
    cachekit_keyring *both = ring_of(MASTER_22, retired, 1, NULL, NULL);
    cachekit_keyring *current = ring_of(MASTER_22, NULL, 0, NULL, NULL);
    cachekit_keyring *old = ring_of(MASTER_11, NULL, 0, NULL, NULL);
    cachekit_binding binding = binding_of("k");
    cachekit_buffer sealed = CACHEKIT_BUFFER_INIT;
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    cr_assert(eq(int, cachekit_seal(both, &binding, text_slice("v"), &sealed, NULL), CACHEKIT_OK));
    cr_assert(
        eq(int, cachekit_open(current, &binding, whole(&sealed), &out, NULL, NULL), CACHEKIT_OK));
    cr_assert(
        eq(int, cachekit_open(old, &binding, whole(&sealed), &out, NULL, NULL), CACHEKIT_E_AUTH),
        "a key that no ring entry fits");
    cachekit_keyring_free(both);
    cachekit_keyring_free(current);
    cachekit_keyring_free(old);
    cachekit_buffer_release(&sealed);
    cachekit_buffer_release(&out);
}

// Four keys, one structural fault: it is told as what it is and no key is blamed.
Test(seal, structure_is_no_matter_of_keys)
{
    const char *const retired[] = {MASTER_11, MASTER_22, MASTER_33};
    cachekit_keyring *keyring = ring_of(MASTER_44, retired, 3, NULL, NULL);
    cachekit_binding binding = binding_of("k");
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    static const uint8_t zeros[28];
    for (size_t len = 0; len < 28; len++) {
        size_t index = 9;
        cachekit_slice sealed = {len > 0 ? zeros : NULL, len};
        cr_assert(eq(int, cachekit_open(keyring, &binding, sealed, &out, &index, NULL),
                     CACHEKIT_E_DECODE));
        cr_assert(eq(sz, index, 9));
    }
    cr_assert(eq(int,
                 cachekit_open(keyring, &binding, (cachekit_slice){zeros, 28}, &out, NULL, NULL),
                 CACHEKIT_E_AUTH));
    cachekit_slice huge = {zeros, ((size_t)512 << 20) + 29};
    cr_assert(
        eq(int, cachekit_open(keyring, &binding, huge, &out, NULL, NULL), CACHEKIT_E_TOO_LARGE));
    huge.len = ((size_t)512 << 20) + 1;
    cr_assert(eq(int, cachekit_seal(keyring, &binding, huge, &out, NULL), CACHEKIT_E_TOO_LARGE));
    huge.len = SIZE_MAX;
    cr_assert(eq(int, cachekit_seal(keyring, &binding, huge, &out, NULL), CACHEKIT_E_TOO_LARGE));
    cr_assert(eq(sz, out.room, 0), "nothing was allocated for it");
    cachekit_keyring_free(keyring);
    cachekit_buffer_release(&out);
}

// What every plaintext is to a reader that expects ciphertext.
Test(seal, plaintext_is_never_taken_for_a_message)
{
    size_t count = seal_rows_load();
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    cachekit_keyring *keyring = simple_ring();
    for (size_t i = 0; i < count; i++) {
        const struct seal_row *row = &seal_rows[i];
        cachekit_slice plain = {row->plain, row->plain_len};
        cr_assert(lt(int, cachekit_open(keyring, &row->binding, plain, &out, NULL, NULL), 0));
        cr_assert(eq(sz, out.len, 0));
    }
    cachekit_keyring_free(keyring);
    cachekit_buffer_release(&out);
    seal_rows_free();
}

Test(seal, replay_of_an_older_message_under_the_same_key_is_accepted)
{
    cachekit_keyring *keyring = simple_ring();
    cachekit_binding binding = binding_of("balance:42");
    cachekit_buffer older = CACHEKIT_BUFFER_INIT;
    cachekit_buffer newer = CACHEKIT_BUFFER_INIT;
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    cr_assert(eq(int, cachekit_seal(keyring, &binding, text_slice("100"), &older, NULL), 0));
    cr_assert(eq(int, cachekit_seal(keyring, &binding, text_slice("0"), &newer, NULL), 0));
    for (int i = 0; i < 2; i++) {
        cr_assert(eq(int, cachekit_open(keyring, &binding, whole(&older), &out, NULL, NULL), 0));
        cr_assert(same_bytes(whole(&out), text_slice("100")));
    }
    cachekit_keyring_free(keyring);
    cachekit_buffer_release(&older);
    cachekit_buffer_release(&newer);
    cachekit_buffer_release(&out);
}

Test(seal, empty_and_large_plaintexts_come_back)
{
    static const size_t lens[] = {0, 1, 127, 128, 4096, 1 << 20};
    cachekit_keyring *keyring = simple_ring();
    cachekit_binding binding = binding_of("k");
    cachekit_buffer sealed = CACHEKIT_BUFFER_INIT;
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    uint8_t *bytes = malloc((size_t)1 << 20);
    memset(bytes, 0x5c, (size_t)1 << 20);
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        cachekit_slice plain = {lens[i] > 0 ? bytes : NULL, lens[i]};
        cr_assert(eq(int, cachekit_seal(keyring, &binding, plain, &sealed, NULL), 0));
        cr_assert(eq(sz, sealed.len, lens[i] + CACHEKIT_SEAL_OVERHEAD_BYTES));
        cr_assert(eq(int, cachekit_open(keyring, &binding, whole(&sealed), &out, NULL, NULL), 0));
        cr_assert(same_bytes(whole(&out), plain));
        cr_assert(eq(sz, out.room, lens[i]), "a buffer that grows gets what is needed");
    }
    free(bytes);
    cachekit_keyring_free(keyring);
    cachekit_buffer_release(&sealed);
    cachekit_buffer_release(&out);
}

Test(seal, bindings_that_bind_to_nothing_are_refused_before_any_work)
{
    struct fixed_entropy entropy;
    fixed_init(&entropy, NULL);
    cachekit_keyring *keyring = ring_of(MASTER_61, NULL, 0, NULL, &entropy.hook);
    uint64_t before = cachekit_keyring_sealed(keyring);
    cachekit_slice key = text_slice("k");
    const cachekit_binding bad[] = {
        {{NULL, 0}, "msgpack", false, NULL},
        {{key.data, 0}, "msgpack", false, NULL},
        {{NULL, 1}, "msgpack", false, NULL},
        {key, NULL, false, NULL},
        {key, "", false, NULL},
        {key, "Msgpack", false, NULL},
        {key, "msgpac", false, NULL},
        {key, "msgpack ", false, NULL},
        {key, "json", false, NULL},
    };
    static const uint8_t sealed[40];
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    for (size_t i = 0; i <= sizeof bad / sizeof bad[0]; i++) {
        const cachekit_binding *binding = i < sizeof bad / sizeof bad[0] ? &bad[i] : NULL;
        cr_expect(eq(int, cachekit_seal(keyring, binding, key, &out, NULL), CACHEKIT_E_INVALID),
                  "row %zu", i);
        cr_expect(
            eq(int, cachekit_open(keyring, binding, (cachekit_slice){sealed, 40}, &out, NULL, NULL),
               CACHEKIT_E_INVALID),
            "row %zu", i);
    }
    cr_assert(eq(int, entropy.calls, 0));
    cr_assert(eq(u64, cachekit_keyring_sealed(keyring), before));
    cr_assert(eq(sz, out.room, 0));
    cachekit_keyring_free(keyring);
}

// An empty type is no component; a long key leaves the stack.
Test(seal, an_empty_type_is_none_and_long_keys_bind_whole)
{
    static char key[2000];
    memset(key, 'k', sizeof key - 1);
    cachekit_keyring *keyring = simple_ring();
    cachekit_buffer sealed = CACHEKIT_BUFFER_INIT;
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    cachekit_binding binding = binding_of(key);
    cr_assert(eq(int, cachekit_seal(keyring, &binding, text_slice("v"), &sealed, NULL), 0));
    binding.original_type = "";
    cr_assert(eq(int, cachekit_open(keyring, &binding, whole(&sealed), &out, NULL, NULL), 0));
    binding.original_type = "msgpack";
    cr_assert(eq(int, cachekit_open(keyring, &binding, whole(&sealed), &out, NULL, NULL),
                 CACHEKIT_E_AUTH));
    binding.original_type = NULL;
    key[sizeof key - 2] = 'l';
    cr_assert(eq(int, cachekit_open(keyring, &binding, whole(&sealed), &out, NULL, NULL),
                 CACHEKIT_E_AUTH));
    cachekit_keyring_free(keyring);
    cachekit_buffer_release(&sealed);
    cachekit_buffer_release(&out);
}
