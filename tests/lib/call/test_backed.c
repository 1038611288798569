// SPDX-License-Identifier: MIT
// A function over a backend: who answers, what is stored, and what becomes of bytes that are bad.
#include "backed_kit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cachekit/envelope.h>
#include <cachekit/interop.h>
#include <cachekit/json.h>

static struct backed_kit t;

static cachekit_function_options interop(void)
{
    cachekit_function_options options = cachekit_preset_production();
    options.wire = CACHEKIT_WIRE_INTEROP;
    return options;
}

Test(backed, computed_then_from_memory_then_from_the_backend)
{
    cachekit_hit hit;
    backed_open(&t, NULL);
    cr_assert(backed_call(&t, 1, &hit) == CACHEKIT_OK);
    cr_assert(hit.object == &t.document && hit.layer == CACHEKIT_LAYER_MISS);
    cachekit_release(&hit);
    cachekit_release(&hit);
    cr_assert(atomic_load(&t.destroyed) == 1);
    for (int i = 0; i < 3; i++) {
        cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_L1);
    }
    cr_assert(atomic_load(&t.odd.asked[ODD_GET]) == 1 && atomic_load(&t.odd.asked[ODD_SET]) == 1);
    backed_reopen(&t, NULL);
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_L2);
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_L1);
    cr_assert(atomic_load(&t.loads) == 1);
    cachekit_info_data info = backed_info(&t);
    cr_assert(info.l1_hits == 1 && info.l2_hits == 1 && info.hits == 2 && info.misses == 0);
    backed_close(&t);
}

// The bytes are those that the public functions make.
Test(backed, an_auto_function_stores_an_envelope_under_the_auto_key)
{
    char text[CACHEKIT_KEY_AUTO_ROOM];
    cachekit_buffer stored = CACHEKIT_BUFFER_INIT, msgpack = CACHEKIT_BUFFER_INIT,
                    envelope = CACHEKIT_BUFFER_INIT;
    backed_open(&t, NULL);
    cr_assert(backed_layer(&t, 7) == CACHEKIT_LAYER_MISS);
    cr_assert(backed_stored(&t, backed_key(&t, false, 7, text), &stored) == CACHEKIT_OK);
    cr_assert(cachekit_value_encode(&t.document, &msgpack, NULL) == CACHEKIT_OK);
    cr_assert(cachekit_envelope_encode((cachekit_slice){msgpack.data, msgpack.len}, NULL, &envelope,
                                       NULL) == CACHEKIT_OK);
    cr_assert(stored.len == envelope.len && memcmp(stored.data, envelope.data, stored.len) == 0);
    cachekit_buffer_release(&stored);
    cachekit_buffer_release(&msgpack);
    cachekit_buffer_release(&envelope);
    backed_close(&t);
}

Test(backed, an_interop_function_stores_a_canonical_document_under_the_interop_key)
{
    char text[CACHEKIT_KEY_AUTO_ROOM];
    cachekit_buffer stored = CACHEKIT_BUFFER_INIT, document = CACHEKIT_BUFFER_INIT;
    const cachekit_function_options options = interop();
    backed_open(&t, &options);
    cr_assert(backed_layer(&t, 7) == CACHEKIT_LAYER_MISS);
    cr_assert(backed_stored(&t, backed_key(&t, true, 7, text), &stored) == CACHEKIT_OK);
    cr_assert(cachekit_interop_encode(&t.document, &document, NULL) == CACHEKIT_OK);
    cr_assert(stored.len == document.len && memcmp(stored.data, document.data, stored.len) == 0);
    cachekit_buffer_release(&stored);
    cachekit_buffer_release(&document);
    backed_close(&t);
}

Test(backed, a_function_that_encrypts_stores_what_its_keyring_opens)
{
    char text[CACHEKIT_KEY_AUTO_ROOM];
    cachekit_buffer stored = CACHEKIT_BUFFER_INIT, plain = CACHEKIT_BUFFER_INIT;
    for (int is_interop = 0; is_interop < 2; is_interop++) {
        cachekit_function_options options = cachekit_preset_secure();
        options.wire = is_interop ? CACHEKIT_WIRE_INTEROP : CACHEKIT_WIRE_AUTO;
        backed_open(&t, &options);
        cr_assert(backed_layer(&t, 7) == CACHEKIT_LAYER_MISS);
        cr_assert(backed_layer(&t, 7) == CACHEKIT_LAYER_L1);
        cachekit_slice key = backed_key(&t, is_interop, 7, text);
        cr_assert(backed_stored(&t, key, &stored) == CACHEKIT_OK);
        const cachekit_binding binding = {key, "msgpack", !is_interop, NULL};
        cr_assert(cachekit_open(t.keyring, &binding, (cachekit_slice){stored.data, stored.len},
                                &plain, NULL, NULL) == CACHEKIT_OK);
        backed_reopen(&t, &options);
        cr_assert(backed_layer(&t, 7) == CACHEKIT_LAYER_L2);
        backed_close(&t);
    }
    cachekit_buffer_release(&stored);
    cachekit_buffer_release(&plain);
}

Test(backed, every_codec_gives_back_what_it_was_given)
{
    static const uint8_t bytes[] = {0, 255, 1, 0, 13, 10};
    cachekit_hit hit;
    for (int integrity = CACHEKIT_ON; integrity <= CACHEKIT_OFF; integrity++) {
        for (int codec = CACHEKIT_CODEC_VALUE; codec <= CACHEKIT_CODEC_BYTES; codec++) {
            cachekit_function_options options = cachekit_preset_production();
            options.codec = (cachekit_codec)codec;
            options.integrity = (cachekit_switch)integrity;
            backed_open(&t, &options);
            if (codec == CACHEKIT_CODEC_BYTES) {
                t.result = (const cachekit_value *)(const void *)bytes;
                t.size_bytes = sizeof bytes;
            }
            for (int call = 0; call < 5; call++) {
                if (call == 3) {
                    backed_reopen(&t, &options);
                }
                cr_assert(backed_call(&t, 1, &hit) == CACHEKIT_OK);
                cr_assert(codec == CACHEKIT_CODEC_BYTES
                              ? hit.size_bytes == sizeof bytes &&
                                    memcmp(hit.object, bytes, sizeof bytes) == 0
                              : cachekit_value_equal(hit.object, &t.document));
                cr_assert(hit.layer == (call == 0   ? CACHEKIT_LAYER_MISS
                                        : call == 3 ? CACHEKIT_LAYER_L2
                                                    : CACHEKIT_LAYER_L1));
                cachekit_release(&hit);
            }
            backed_close(&t);
        }
    }
}

Test(backed, null_is_a_result_and_no_miss)
{
    cachekit_hit hit;
    backed_open(&t, NULL);
    t.result = NULL;
    for (int call = 0; call < 3; call++) {
        cr_assert(backed_call(&t, 1, &hit) == CACHEKIT_OK);
        const cachekit_value *value = hit.object;
        cr_assert(value == NULL || value->type == CACHEKIT_NIL);
        cachekit_release(&hit);
    }
    cr_assert(atomic_load(&t.loads) == 1);
    backed_close(&t);
}

// Any flipped bit: where there is a checksum or a tag it is never a value, and the entry is
// overwritten.
static void flip_each(const cachekit_function_options *options, bool is_interop)
{
    char text[CACHEKIT_KEY_AUTO_ROOM];
    cachekit_buffer stored = CACHEKIT_BUFFER_INIT;
    backed_open(&t, options);
    cachekit_slice key = backed_key(&t, is_interop, 1, text);
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_MISS);
    cr_assert(backed_stored(&t, key, &stored) == CACHEKIT_OK);
    int loads = atomic_load(&t.loads);
    for (size_t i = 0; i < stored.len; i++) {
        stored.data[i] ^= 0x10;
        backed_plant(&t, key, (cachekit_slice){stored.data, stored.len});
        stored.data[i] ^= 0x10;
        backed_reopen(&t, options);
        cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_MISS, "byte %zu", i);
        cr_assert(atomic_load(&t.loads) == ++loads);
        backed_reopen(&t, options);
        cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_L2, "byte %zu", i);
    }
    cachekit_buffer_release(&stored);
    backed_close(&t);
}

Test(backed, a_flipped_bit_in_an_envelope_is_computed_anew)
{
    flip_each(NULL, false);
}

Test(backed, a_flipped_bit_in_a_sealed_value_is_computed_anew)
{
    cachekit_function_options options = cachekit_preset_secure();
    flip_each(&options, false);
    options.wire = CACHEKIT_WIRE_INTEROP;
    flip_each(&options, true);
}

Test(backed, foreign_bytes_are_a_miss_that_is_counted_and_overwritten)
{
    static const char *const foreign[] = {"", "CK\003garbage", "\x93", "{\"a\": 1}",
                                          "\xc1\x02\x93"};
    char text[CACHEKIT_KEY_AUTO_ROOM];
    for (int is_interop = 0; is_interop < 2; is_interop++) {
        const cachekit_function_options options =
            is_interop ? interop() : cachekit_preset_production();
        backed_open(&t, &options);
        cachekit_slice key = backed_key(&t, is_interop, 1, text);
        for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
            backed_plant(&t, key,
                         (cachekit_slice){(const uint8_t *)foreign[i], strlen(foreign[i])});
            backed_reopen(&t, &options);
            cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_MISS);
            cr_assert(backed_info(&t).corrupt == 1);
            backed_reopen(&t, &options);
            cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_L2);
        }
        backed_close(&t);
    }
}

Test(backed, fail_closed_tells_of_bytes_that_do_not_open_and_keeps_them)
{
    static const uint8_t noise[64] = {1, 2, 3};
    char text[CACHEKIT_KEY_AUTO_ROOM];
    cachekit_hit hit;
    cachekit_buffer stored = CACHEKIT_BUFFER_INIT;
    cachekit_function_options options = cachekit_preset_secure();
    options.fail_closed = CACHEKIT_ON;
    backed_open(&t, &options);
    cachekit_slice key = backed_key(&t, false, 1, text);
    backed_plant(&t, key, (cachekit_slice){noise, sizeof noise});
    cr_assert(backed_call(&t, 1, &hit) == CACHEKIT_E_AUTH);
    cr_assert(hit.object == NULL && atomic_load(&t.loads) == 0);
    cr_assert(backed_stored(&t, key, &stored) == CACHEKIT_OK && stored.len == sizeof noise);
    cr_assert(backed_info(&t).unauthentic == 1);
    // Cut to what cannot be sealed: no way round.
    backed_plant(&t, key, (cachekit_slice){noise, 27});
    cr_assert(backed_call(&t, 1, &hit) == CACHEKIT_E_DECODE && atomic_load(&t.loads) == 0);
    cr_assert(backed_stored(&t, key, &stored) == CACHEKIT_OK && stored.len == 27);
    cachekit_buffer_release(&stored);
    backed_close(&t);
}

Test(backed, a_result_outside_interop_is_the_callers_and_others_only_lose_the_store)
{
    cachekit_hit hit;
    cachekit_error error;
    cachekit_arg arg = cachekit_i64(1);
    cachekit_function_options options = interop();
    backed_open(&t, &options);
    t.pairs[3] = cachekit_value_f64((double)NAN);
    cr_assert(cachekit_call(t.f, &arg, 1, &hit, &error) == CACHEKIT_E_VALUE);
    cr_assert(error.status == CACHEKIT_E_VALUE && atomic_load(&t.loads) == 1);
    cr_assert(atomic_load(&t.destroyed) == 1);
    backed_close(&t);

    options = cachekit_preset_production();
    options.codec = CACHEKIT_CODEC_JSON;
    backed_open(&t, &options);
    t.pairs[3] = cachekit_value_f64((double)NAN);
    for (int call = 1; call <= 2; call++) {
        cr_assert(backed_call(&t, 1, &hit) == CACHEKIT_OK && hit.object == &t.document);
        cachekit_release(&hit);
        cr_assert(atomic_load(&t.loads) == call);
    }
    backed_close(&t);
}

Test(backed, arguments_without_a_key_are_computed_in_auto_and_refused_in_interop)
{
    const cachekit_arg set = cachekit_set(NULL, 0);
    const cachekit_arg nan = cachekit_f64((double)NAN);
    const cachekit_function_options options = interop();
    cachekit_hit hit;
    cachekit_error error;
    backed_open(&t, NULL);
    for (int call = 1; call <= 2; call++) {
        (void)snprintf(error.text, sizeof error.text, "as it was");
        cr_assert(cachekit_call(t.f, &set, 1, &hit, &error) == CACHEKIT_OK);
        cachekit_release(&hit);
        cr_assert(atomic_load(&t.loads) == call && strcmp(error.text, "as it was") == 0);
    }
    cr_assert(backed_info(&t).unkeyed == 2 && atomic_load(&t.odd.asked[ODD_GET]) == 0);
    backed_close(&t);
    backed_open(&t, &options);
    cr_assert(cachekit_call(t.f, &nan, 1, &hit, &error) == CACHEKIT_E_VALUE);
    cr_assert(error.status == CACHEKIT_E_VALUE && atomic_load(&t.loads) == 0);
    backed_close(&t);
}

Test(backed, a_large_result_is_returned_and_not_stored)
{
    cachekit_function_options options = cachekit_preset_production();
    options.value_max_bytes = 20;
    backed_open(&t, &options);
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_MISS);
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_MISS);
    cr_assert(backed_info(&t).too_large == 2 && atomic_load(&t.odd.asked[ODD_SET]) == 0);
    backed_close(&t);
}

Test(backed, peek_looks_in_both_and_computes_nothing)
{
    cachekit_hit hit;
    cachekit_arg arg = cachekit_i64(1);
    backed_open(&t, NULL);
    cr_assert(cachekit_peek(t.f, &arg, 1, &hit, NULL) == CACHEKIT_MISS && hit.object == NULL);
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_MISS);
    cr_assert(cachekit_peek(t.f, &arg, 1, &hit, NULL) == CACHEKIT_OK);
    cr_assert(hit.layer == CACHEKIT_LAYER_L1);
    cachekit_release(&hit);
    backed_reopen(&t, NULL);
    cr_assert(cachekit_peek(t.f, &arg, 1, &hit, NULL) == CACHEKIT_OK);
    cr_assert(hit.layer == CACHEKIT_LAYER_L2 && cachekit_value_equal(hit.object, &t.document));
    cachekit_release(&hit);
    cr_assert(atomic_load(&t.loads) == 1);
    backed_close(&t);
}

Test(backed, memory_ends_a_second_before_the_life_does)
{
    cachekit_function_options options = cachekit_preset_production();
    options.ttl_ms = 10000;
    backed_open(&t, &options);
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_MISS);
    atomic_fetch_add(&t.now_ns, (int64_t)8999 * KIT_NS_PER_MS);
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_L1);
    atomic_fetch_add(&t.now_ns, (int64_t)KIT_NS_PER_MS);
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_L2);
    backed_close(&t);
}

// After the first hit in memory the envelope is gone: what is held is shorter to read.
Test(backed, memory_holds_what_was_in_the_envelope_where_that_is_no_longer)
{
    static cachekit_value list[3];
    backed_open(&t, NULL);
    for (int i = 0; i < 3; i++) {
        list[i] = cachekit_value_i64(i);
    }
    t.document = cachekit_value_array(list, 3);
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_MISS);
    size_t before = backed_info(&t).used_bytes;
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_L1);
    cr_assert(backed_info(&t).used_bytes < before);
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_L1);
    backed_close(&t);
}

Test(backed, handles_keep_a_cache_from_being_freed)
{
    cachekit_hit hits[3];
    backed_open(&t, NULL);
    for (int i = 0; i < 3; i++) {
        cr_assert(backed_call(&t, 1, &hits[i]) == CACHEKIT_OK);
    }
    cachekit_release(&hits[0]);
    cr_assert(cachekit_cache_free(t.cache) == CACHEKIT_E_BUSY);
    cr_assert(cachekit_value_equal(hits[1].object, &t.document));
    cachekit_release(&hits[1]);
    cr_assert(cachekit_cache_free(t.cache) == CACHEKIT_E_BUSY);
    cachekit_release(&hits[2]);
    backed_close(&t);
}
