// SPDX-License-Identifier: MIT
// Lists, maps and sets as arguments: which are one key, which are not, and what is refused.
#include "call_kit.h"

#include <stdlib.h>
#include <string.h>

#include "call/args.h"
#include "call/long_key.h"
#include "fault_allocator.h"
#include "small_stack.h"

enum { DEEP = 1024 };

static cachekit_status key_of(const cachekit_arg *args, size_t count, cachekit_buffer *buffer,
                              cachekit_error *error)
{
    struct cki_args a = {args, count, 0};
    struct cki_key key;
    buffer->len = 0;
    cachekit_status status = cki_long_key(&a, 1, buffer, &key, error);
    cr_assert(status != CACHEKIT_OK || (key.len == buffer->len && key.kind == CKI_KEY_MSGPACK));
    return status;
}

static void expect_bytes(cachekit_arg arg, const char *bytes, size_t len)
{
    cachekit_buffer buffer = CACHEKIT_BUFFER_INIT;
    cr_assert(key_of(&arg, 1, &buffer, NULL) == CACHEKIT_OK);
    cr_assert(buffer.len == len && memcmp(buffer.data, bytes, len) == 0);
    cachekit_buffer_release(&buffer);
}

#define BYTES(text) (text), sizeof(text) - 1

// Packed by hand from the MessagePack specification; the maps and sets of integers and texts are
// those of the interop vectors, behind the mark of a set.
Test(nested, keys_are_canonical_messagepack)
{
    cachekit_arg none = cachekit_null();
    cachekit_arg numbers[] = {cachekit_i64(3), cachekit_i64(1), cachekit_i64(2), cachekit_i64(1)};
    cachekit_arg mixed[] = {cachekit_str("b"), cachekit_i64(10), cachekit_str("a")};
    cachekit_arg pairs[] = {cachekit_str("b"), cachekit_i64(2), cachekit_str("a"), cachekit_i64(1)};
    expect_bytes(cachekit_list(&none, 0), BYTES("\x91\x90"));
    expect_bytes(cachekit_map(&none, 0), BYTES("\x91\x80"));
    expect_bytes(cachekit_set(&none, 0), BYTES("\x91\xc1\x90"));
    expect_bytes(cachekit_list(NULL, 0), BYTES("\x91\x90"));
    expect_bytes(cachekit_list(numbers, 4), BYTES("\x91\x94\x03\x01\x02\x01"));
    expect_bytes(cachekit_set(numbers, 4), BYTES("\x91\xc1\x93\x01\x02\x03"));
    expect_bytes(cachekit_set(mixed, 3), BYTES("\x91\xc1\x93\x0a\xa1"
                                               "a\xa1"
                                               "b"));
    expect_bytes(cachekit_map(pairs, 2), BYTES("\x91\x82\xa1"
                                               "a\x01\xa1"
                                               "b\x02"));
}

Test(nested, collections_in_collections_are_ordered_at_every_level)
{
    cachekit_arg one[] = {cachekit_i64(2), cachekit_i64(1)};
    cachekit_arg other[] = {cachekit_i64(1), cachekit_i64(2), cachekit_i64(2)};
    cachekit_arg sets[] = {cachekit_set(one, 2), cachekit_set(other, 3), cachekit_null()};
    expect_bytes(cachekit_set(sets, 3), BYTES("\x91\xc1\x92\xc0\xc1\x92\x01\x02"));
    cachekit_arg map[] = {cachekit_list(one, 2), cachekit_set(one, 2), cachekit_i64(0),
                          cachekit_map(other, 1)};
    expect_bytes(cachekit_map(map, 2),
                 BYTES("\x91\x82\x00\x81\x01\x02\x92\x02\x01\xc1\x92\x01\x02"));
}

Test(nested, a_shuffle_changes_the_key_of_lists_only)
{
    enum { MANY = 300 };
    static cachekit_arg items[MANY * 2];
    cachekit_buffer before[3], after = CACHEKIT_BUFFER_INIT;
    unsigned random = 1;
    for (int i = 0; i < MANY; i++) {
        items[2 * i] = cachekit_i64(i);
        items[2 * i + 1] = cachekit_f64(i * 0.5);
    }
    for (int round = 0; round < 20; round++) {
        const cachekit_arg all[] = {cachekit_list(items, MANY * 2), cachekit_map(items, MANY),
                                    cachekit_set(items, MANY * 2)};
        for (int i = 0; i < 3; i++) {
            if (round == 0) {
                cachekit_buffer_init(&before[i], NULL);
                cr_assert(key_of(&all[i], 1, &before[i], NULL) == CACHEKIT_OK);
                continue;
            }
            cr_assert(key_of(&all[i], 1, &after, NULL) == CACHEKIT_OK);
            bool same =
                after.len == before[i].len && memcmp(after.data, before[i].data, after.len) == 0;
            cr_assert(same == (i != 0));
        }
        for (int i = 0; i < MANY; i++) { // pairs change places
            random = random * 1103515245 + 12345;
            int j = (int)(random >> 16) % MANY;
            cachekit_arg kept[2];
            memcpy(kept, &items[2 * i], sizeof kept);
            memcpy(&items[2 * i], &items[2 * j], sizeof kept);
            memcpy(&items[2 * j], kept, sizeof kept);
        }
    }
    for (int i = 0; i < 3; i++) {
        cachekit_buffer_release(&before[i]);
    }
    cachekit_buffer_release(&after);
}

static cachekit_arg levels[DEEP + 2];

static void *go_deep(void *verdict)
{
    cachekit_buffer buffer = CACHEKIT_BUFFER_INIT;
    cachekit_error error = {CACHEKIT_OK, 0, 0, ""};
    for (int type = CACHEKIT_ARG_LIST; type <= CACHEKIT_ARG_SET; type += 2) {
        levels[0] = cachekit_i64(1);
        for (int i = 1; i <= DEEP + 1; i++) {
            levels[i] = cachekit_list(&levels[i - 1], 1);
            levels[i].type = (uint32_t)type;
        }
        *(bool *)verdict = *(bool *)verdict &&
                           key_of(&levels[DEEP], 1, &buffer, NULL) == CACHEKIT_OK &&
                           key_of(&levels[DEEP + 1], 1, &buffer, &error) == CACHEKIT_E_INVALID;
    }
    // What holds itself is too deep as well.
    levels[0] = cachekit_list(&levels[0], 1);
    *(bool *)verdict =
        *(bool *)verdict && key_of(&levels[0], 1, &buffer, NULL) == CACHEKIT_E_INVALID;
    cachekit_buffer_release(&buffer);
    return NULL;
}

Test(nested, a_depth_of_1024_is_taken_on_a_small_stack_and_no_more)
{
    bool verdict = true;
    cr_assert(small_stack_run(go_deep, &verdict) && verdict);
}

Test(nested, bad_elements_are_refused)
{
    cachekit_buffer buffer = CACHEKIT_BUFFER_INIT;
    cachekit_error error = {CACHEKIT_OK, 0, 0, ""};
    cachekit_arg untyped = {14, 0, {0}};
    cachekit_arg twice[] = {cachekit_i64(1), cachekit_null(), cachekit_i64(2),
                            cachekit_null(), cachekit_u64(1), cachekit_null()};
    cachekit_arg null_text = cachekit_str(NULL), null_list = cachekit_list(NULL, 3);
    cachekit_arg bad[] = {cachekit_list(&untyped, 1), cachekit_list(&null_text, 1),
                          cachekit_set(&null_list, 1), cachekit_map(twice, 3),
                          cachekit_list(twice, SIZE_MAX)};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        error.text[0] = '\0';
        cr_assert(key_of(&bad[i], 1, &buffer, &error) == CACHEKIT_E_INVALID, "row %zu", i);
        cr_assert(error.text[0] != '\0');
    }
    cr_assert(key_of(twice, (size_t)UINT32_MAX + 1, &buffer, &error) == CACHEKIT_E_INVALID);
    cachekit_buffer_release(&buffer);
}

// More levels, elements and bytes than the stack of the call has room for.
Test(nested, every_allocation_may_fail)
{
    enum { MANY = 40, NESTED = 12 };
    cachekit_arg items[MANY], nest[NESTED];
    for (int i = 0; i < MANY; i++) {
        items[i] = cachekit_f64(0.5 * (MANY - i));
    }
    nest[0] = cachekit_set(items, MANY);
    for (int i = 1; i < NESTED; i++) {
        nest[i] = cachekit_list(&nest[i - 1], 1);
    }
    struct fault_allocator allocator;
    int sites = 0;
    for (bool fired = true; fired; sites++) {
        cachekit_buffer buffer;
        fault_allocator_init(&allocator);
        cachekit_buffer_init(&buffer, &allocator.hooks);
        allocator.fail_at = sites;
        cachekit_status status = key_of(&nest[NESTED - 1], 1, &buffer, NULL);
        fired = allocator.calls > sites;
        cr_assert(status == (fired ? CACHEKIT_E_NOMEM : CACHEKIT_OK));
        cachekit_buffer_release(&buffer);
        cr_assert(allocator.live_blocks == 0);
    }
    cr_assert(sites >= 7);
}

static cachekit_status load(void *context, const cachekit_arg *args, size_t count,
                            cachekit_result *result, cachekit_error *error)
{
    (void)args;
    (void)count;
    (void)error;
    result->object = (void *)(intptr_t)(++*(int *)context);
    result->size_bytes = 8;
    return CACHEKIT_OK;
}

Test(nested, calls_are_cached_and_invalidated_by_what_they_hold)
{
    struct kit kit;
    int loads = 0;
    kit_open(&kit, NULL);
    cachekit_function *f = kit_function(&kit, load, &loads, NULL);
    for (int i = 0; i < 3; i++) {
        cachekit_arg there[] = {cachekit_i64(1), cachekit_i64(2)};
        cachekit_arg back[] = {cachekit_i64(2), cachekit_i64(1)};
        const cachekit_arg args[] = {cachekit_list(there, 2), cachekit_list(back, 2),
                                     cachekit_set(there, 2),  cachekit_set(back, 2),
                                     cachekit_map(there, 1),  cachekit_map(back, 1)};
        static const intptr_t expected[] = {1, 2, 3, 3, 4, 5};
        for (int k = 0; k < 6; k++) {
            cachekit_hit hit;
            cr_assert(cachekit_call(f, &args[k], 1, &hit, NULL) == CACHEKIT_OK);
            cr_assert((intptr_t)hit.object == expected[k]);
            cachekit_release(&hit);
        }
        if (i == 2) {
            cr_assert(cachekit_invalidate(f, &args[3], 1) == CACHEKIT_OK);
            cr_assert(cachekit_invalidate(f, &args[2], 1) == CACHEKIT_MISS);
        }
    }
    cr_assert(loads == 5);
    kit_close(&kit);
}
