// SPDX-License-Identifier: MIT
// Any bytes as MessagePack. Whatever they are, text held in either way agrees and memory stays in
// proportion to the input; what is decoded encodes and decodes to itself.
#include <string.h>

#include <cachekit/value.h>

#include "fuzz.h"

enum { FIRST_BLOCK = 4096, KEPT = CACHEKIT_DECODE_KEEP_SENTINELS };

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    fuzz_tell_at_exit();
    return 0;
}

// value.h: 17 bytes at most for each of the input, in blocks that double.
static size_t most_bytes(size_t len)
{
    return 4 * 17 * len + 2 * (size_t)FIRST_BLOCK;
}

static cachekit_status decode(cachekit_slice input, unsigned flags, cachekit_arena *arena,
                              cachekit_value *root, cachekit_error *error)
{
    cachekit_status status = cachekit_value_decode(input, flags, arena, root, error);
    FUZZ_CLAIM(arena->reserved <= most_bytes(input.len), "memory is backed by input");
    if (status != CACHEKIT_OK) {
        FUZZ_CLAIM(status == CACHEKIT_E_DECODE && error->status == status, "a refusal by rule");
        FUZZ_CLAIM(error->position <= input.len, "with its place");
        FUZZ_CLAIM(root->type == CACHEKIT_NIL, "leaves nil");
    }
    return status;
}

static void check_round_trip(const cachekit_value *tree, unsigned flags)
{
    cachekit_buffer first = CACHEKIT_BUFFER_INIT, second = CACHEKIT_BUFFER_INIT;
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    cachekit_value again;
    cachekit_error error;
    FUZZ_CLAIM(cachekit_value_encode(tree, &first, &error) == CACHEKIT_OK, "it can be written");
    cachekit_slice written = {first.data, first.len};
    FUZZ_CLAIM(decode(written, flags, &arena, &again, &error) == CACHEKIT_OK &&
                   cachekit_value_equal(tree, &again),
               "what is written reads as the same tree");
    FUZZ_CLAIM(cachekit_value_encode(&again, &second, &error) == CACHEKIT_OK &&
                   first.len == second.len && memcmp(first.data, second.data, first.len) == 0,
               "a tree has one document");
    cachekit_arena_release(&arena);
    cachekit_buffer_release(&second);
    cachekit_buffer_release(&first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cachekit_slice input = {data, size};
    cachekit_arena arenas[3] = {CACHEKIT_ARENA_INIT, CACHEKIT_ARENA_INIT, CACHEKIT_ARENA_INIT};
    cachekit_value borrowed, copied, plain;
    cachekit_error errors[3] = {{.position = 0}};
    cachekit_status status = decode(input, 0, &arenas[0], &borrowed, &errors[0]);
    FUZZ_CLAIM(decode(input, CACHEKIT_DECODE_COPY, &arenas[1], &copied, &errors[1]) == status &&
                   errors[0].position == errors[1].position &&
                   strcmp(errors[0].text, errors[1].text) == 0,
               "copying changes no verdict");
    FUZZ_CLAIM(decode(input, KEPT, &arenas[2], &plain, &errors[2]) == status,
               "dates change no verdict");
    if (status == CACHEKIT_OK) {
        fuzz_accepted++;
        FUZZ_CLAIM(cachekit_value_equal(&borrowed, &copied), "copying changes no value");
        check_round_trip(&borrowed, 0);
        check_round_trip(&plain, KEPT);
    }
    for (size_t i = 0; i < 3; i++) {
        cachekit_arena_release(&arenas[i]);
    }
    return 0;
}
