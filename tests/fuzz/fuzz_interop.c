// SPDX-License-Identifier: MIT
// Any bytes as an interop/v1 document. The second opinion on the canonical writer is the plain one
// over a tree whose maps were sorted in a plain way.
#include <string.h>

#include <cachekit/interop.h>

#include "fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    fuzz_tell_at_exit();
    return 0;
}

static int by_key(const void *a, const void *b)
{
    const cachekit_value *x = a, *y = b;
    uint32_t len = x->len < y->len ? x->len : y->len;
    int order = len > 0 ? memcmp(x->as.text, y->as.text, len) : 0;
    return order != 0 ? order : (x->len > y->len) - (x->len < y->len);
}

static bool is_finite(double number)
{
    return number - number == 0;
}

// Whether the profile can say the map's keys; sorts the pairs if so.
static bool sort_map(cachekit_value *items, uint32_t pairs)
{
    for (uint32_t i = 0; i < pairs; i++) {
        if (items[2 * i].type != CACHEKIT_STR) {
            return false;
        }
    }
    if (pairs > 1) {
        qsort(items, pairs, 2 * sizeof *items, by_key);
    }
    for (uint32_t i = 1; i < pairs; i++) {
        if (by_key(&items[2 * i - 2], &items[2 * i]) == 0) {
            return false;
        }
    }
    return true;
}

// Sorts a tree in its arena; false: the profile has no words for it. Recursive, at most 1,024 deep.
static bool sort_tree(const cachekit_value *node)
{
    uint32_t children = node->type == CACHEKIT_ARRAY ? node->len : 0;
    cachekit_value *items = (cachekit_value *)(uintptr_t)node->as.items;
    if (node->type == CACHEKIT_MAP) {
        if (!sort_map(items, node->len)) {
            return false;
        }
        children = 2 * node->len;
    }
    for (uint32_t i = 0; i < children; i++) {
        if (!sort_tree(&items[i])) {
            return false;
        }
    }
    return node->type != CACHEKIT_FLOAT || is_finite(node->as.f64);
}

static bool is_same(const cachekit_buffer *a, const cachekit_buffer *b)
{
    return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

static void check_law(const cachekit_buffer *canonical, unsigned flags)
{
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    cachekit_buffer again = CACHEKIT_BUFFER_INIT;
    cachekit_value tree;
    cachekit_slice input = {canonical->data, canonical->len};
    FUZZ_CLAIM(cachekit_interop_decode(input, flags, &arena, &tree, NULL) == CACHEKIT_OK,
               "what is written can be read");
    FUZZ_CLAIM(cachekit_interop_encode(&tree, &again, NULL) == CACHEKIT_OK &&
                   is_same(canonical, &again),
               "canonical bytes come back");
    cachekit_buffer_release(&again);
    cachekit_arena_release(&arena);
}

static void check_tree(const cachekit_value *tree, unsigned flags)
{
    cachekit_buffer canonical = CACHEKIT_BUFFER_INIT, sorted = CACHEKIT_BUFFER_INIT;
    cachekit_error error = {.status = CACHEKIT_OK};
    cachekit_status status = cachekit_interop_encode(tree, &canonical, &error);
    if (sort_tree(tree)) {
        FUZZ_CLAIM(status == CACHEKIT_OK, "what the profile can say is written");
        FUZZ_CLAIM(cachekit_value_encode(tree, &sorted, NULL) == CACHEKIT_OK &&
                       is_same(&canonical, &sorted),
                   "and as the sorted tree is");
        check_law(&canonical, 0);
        check_law(&canonical, CACHEKIT_DECODE_KEEP_SENTINELS);
        fuzz_accepted += flags == 0;
    } else {
        FUZZ_CLAIM(status == CACHEKIT_E_VALUE && error.status == status && canonical.len == 0,
                   "what it cannot say is refused");
    }
    cachekit_buffer_release(&sorted);
    cachekit_buffer_release(&canonical);
}

static bool is_foreign(const uint8_t *data, size_t size)
{
    return size >= 2 && ((data[0] == 0x43 && data[1] == 0x4b) || (data[0] == 0xc1 && data[1] == 2));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cachekit_slice input = {data, size};
    for (unsigned flags = 0; flags <= CACHEKIT_DECODE_KEEP_SENTINELS;
         flags += CACHEKIT_DECODE_KEEP_SENTINELS) {
        cachekit_arena arena = CACHEKIT_ARENA_INIT;
        cachekit_value tree, plain;
        cachekit_error error = {.text = ""};
        cachekit_status status = cachekit_interop_decode(input, flags, &arena, &tree, &error);
        FUZZ_CLAIM(cachekit_value_decode(input, flags, &arena, &plain, NULL) == status,
                   "the bounds are those of values");
        if (status == CACHEKIT_OK) {
            FUZZ_CLAIM(!is_foreign(data, size), "no other container passes");
            FUZZ_CLAIM(cachekit_value_equal(&tree, &plain), "nor do values differ");
            check_tree(&tree, flags);
        } else {
            FUZZ_CLAIM(status == CACHEKIT_E_DECODE && tree.type == CACHEKIT_NIL &&
                           error.status == status && error.position <= size,
                       "a refusal by rule");
            FUZZ_CLAIM(!is_foreign(data, size) || strstr(error.text, "interop/v1") != NULL,
                       "another container is named");
        }
        cachekit_arena_release(&arena);
    }
    return 0;
}
