// SPDX-License-Identifier: MIT
// Every row of the protocol's key vectors, keys and canonical bytes.
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include <cachekit/key.h>

#include "hex.h"
#include "key/canon.h"
#include "same.h"
#include "tagged.h"

static bool canonical_is(const struct tagged_args *args, const char *hex)
{
    static uint8_t expected[4096];
    struct cki_canon c;
    size_t len = hex_append(expected, 0, sizeof expected, hex);
    cki_canon_init(&c, &cki_profile_interop, NULL, NULL);
    bool is_same = cki_canon_list(&c, args->args, args->count) == CACHEKIT_OK &&
                   c.bytes.len == len && memcmp(c.bytes.data, expected, len) == 0;
    cki_canon_release(&c);
    return is_same;
}

Test(key_vectors, interop_keys_and_their_canonical_bytes)
{
    struct tagged_file file;
    cr_assert(tagged_open(&file, "interop-mode.json"));
    const cachekit_value *rows = tagged_rows(&file, "key_vectors");
    cr_assert(rows != NULL && rows->len == 33);
    for (size_t i = 0; i < rows->len; i++) {
        const cachekit_value *row = &rows->as.items[i];
        const char *name = tagged_text(row, "name");
        char key[CACHEKIT_KEY_INTEROP_ROOM];
        struct tagged_args args;
        cr_assert(tagged_list(&file, row, "args", &args), "%s", name);
        cr_assert(cachekit_key_interop(tagged_text(row, "namespace"), tagged_text(row, "operation"),
                                       args.args, args.count, key, NULL) == CACHEKIT_OK,
                  "%s", name);
        SAME(key, tagged_text(row, "expected_key"));
        cr_assert(canonical_is(&args, tagged_text(row, "canonical_args_hex")), "%s", name);
    }
    tagged_close(&file);
}

// Integers beyond 64 bits cannot be made into arguments at all.
Test(key_vectors, what_interop_must_refuse)
{
    struct tagged_file file;
    size_t unsayable = 0;
    cr_assert(tagged_open(&file, "interop-mode.json"));
    const cachekit_value *rows = tagged_rows(&file, "error_vectors");
    cr_assert(rows != NULL && rows->len == 9);
    for (size_t i = 0; i < rows->len; i++) {
        const cachekit_value *row = &rows->as.items[i];
        const char *name_space = tagged_text(row, "namespace");
        const char *operation = tagged_text(row, "operation");
        char key[CACHEKIT_KEY_INTEROP_ROOM] = "x";
        struct tagged_args args;
        if (!tagged_list(&file, row, "args", &args)) {
            cr_assert(strstr(tagged_text(row, "name"), "flow") != NULL);
            unsayable++;
            continue;
        }
        cachekit_status status = cachekit_key_interop(name_space != NULL ? name_space : "t",
                                                      operation != NULL ? operation : "op",
                                                      args.args, args.count, key, NULL);
        cr_assert(status == (name_space != NULL ? CACHEKIT_E_INVALID : CACHEKIT_E_VALUE), "%s",
                  tagged_text(row, "name"));
        SAME(key, "");
    }
    cr_assert(unsayable == 2);
    tagged_close(&file);
}

Test(key_vectors, auto_keys)
{
    struct tagged_file file;
    cr_assert(tagged_open(&file, "cache-keys.json"));
    const cachekit_value *rows = tagged_rows(&file, "vectors");
    cr_assert(rows != NULL && rows->len == 10);
    for (size_t i = 0; i < rows->len; i++) {
        const cachekit_value *row = &rows->as.items[i];
        char key[CACHEKIT_KEY_AUTO_ROOM], function[256], code[CACHEKIT_SERIALIZER_CODE_ROOM];
        struct tagged_args args, kwargs;
        bool checks = false;
        cr_assert(tagged_list(&file, row, "args", &args) &&
                  tagged_pairs(&file, row, "kwargs", &kwargs));
        cr_assert(cachekit_value_to_bool(cachekit_value_get(row, "integrity_checking"), &checks));
        cr_assert(cachekit_serializer_code(tagged_text(row, "serializer_type"), code) ==
                  CACHEKIT_OK);
        snprintf(function, sizeof function, "%s.%s", tagged_text(row, "function_module"),
                 tagged_text(row, "function_qualname"));
        const cachekit_key_auto_parts parts = {tagged_text(row, "namespace"), function, code,
                                               !checks};
        cr_assert(cachekit_key_auto(&parts, args.args, args.count, kwargs.args, kwargs.count / 2,
                                    key, NULL) == CACHEKIT_OK);
        SAME(key, tagged_text(row, "expected_key"));
    }
    tagged_close(&file);
}
