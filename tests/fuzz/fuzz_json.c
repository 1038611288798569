// SPDX-License-Identifier: MIT
// Any bytes as JSON: what is accepted must write, read back equal, and survive MessagePack.
#include <string.h>

#include <cachekit/json.h>

#include "fuzz.h"

static cachekit_arena arena = CACHEKIT_ARENA_INIT;
static cachekit_buffer text = CACHEKIT_BUFFER_INIT;
static cachekit_buffer other = CACHEKIT_BUFFER_INIT;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    fuzz_tell_at_exit();
    return 0;
}

static void check_tree(const cachekit_value *root)
{
    cachekit_value back;
    FUZZ_CLAIM(cachekit_json_encode(root, 0, &text, NULL) == CACHEKIT_OK, "it can be written");
    cachekit_slice written = {text.data, text.len};
    FUZZ_CLAIM(cachekit_json_decode(written, 0, &arena, &back, NULL) == CACHEKIT_OK,
               "what is written can be read");
    FUZZ_CLAIM(cachekit_value_equal(root, &back), "and is the same tree");
    FUZZ_CLAIM(cachekit_json_encode(root, CACHEKIT_JSON_SORTED, &other, NULL) == CACHEKIT_OK &&
                   other.len == text.len,
               "sorting changes no length");
    FUZZ_CLAIM(cachekit_value_encode(root, &other, NULL) == CACHEKIT_OK, "MessagePack takes it");
    cachekit_slice packed = {other.data, other.len};
    FUZZ_CLAIM(cachekit_value_decode(packed, 0, &arena, &back, NULL) == CACHEKIT_OK &&
                   cachekit_value_equal(root, &back),
               "and gives it back");
}

static void check_flags(cachekit_slice input, unsigned flags)
{
    cachekit_value root;
    cachekit_error error = {CACHEKIT_OK, 0, 0, ""};
    cachekit_status status = cachekit_json_decode(input, flags, &arena, &root, &error);
    if (status != CACHEKIT_OK) {
        FUZZ_CLAIM(status == CACHEKIT_E_DECODE || status == CACHEKIT_E_VALUE, "a refusal by rule");
        FUZZ_CLAIM(error.status == status && error.position <= input.len, "with its place");
        FUZZ_CLAIM(root.type == CACHEKIT_NIL, "leaves nil");
    } else if ((flags & CACHEKIT_JSON_PLAIN) == 0) {
        fuzz_accepted++;
        check_tree(&root);
    } else {
        FUZZ_CLAIM(cachekit_json_encode(&root, flags, &text, NULL) == CACHEKIT_OK,
                   "plain documents are written plainly");
        cachekit_value back;
        cachekit_slice written = {text.data, text.len};
        FUZZ_CLAIM(cachekit_json_decode(written, flags, &arena, &back, NULL) == CACHEKIT_OK &&
                       cachekit_value_equal(&root, &back),
                   "and read back equal");
    }
    cachekit_arena_reset(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cachekit_slice input = {data, size};
    check_flags(input, CACHEKIT_JSON_BORROW);
    check_flags(input, CACHEKIT_JSON_PLAIN);
    return 0;
}
