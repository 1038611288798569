// SPDX-License-Identifier: MIT
// key-rules.json: what the protocol's own vectors leave out, as an independent packer has it.
#include <criterion/criterion.h>

#include <string.h>

#include <cachekit/key.h>

#include "hex.h"
#include "key/canon.h"
#include "same.h"
#include "tagged.h"

static struct tagged_file file;

static const cachekit_value *open_rows(const char *name, size_t count)
{
    cr_assert(tagged_open(&file, "key-rules.json"));
    const cachekit_value *rows = tagged_rows(&file, name);
    cr_assert(rows != NULL && rows->len == count, "%s: %u rows", name, rows->len);
    return rows;
}

static void expect_canonical(const struct tagged_args *args, const cachekit_value *row)
{
    static uint8_t expected[1 << 16];
    const char *hex = tagged_text(row, "canonical"), *name = tagged_text(row, "name");
    size_t len = hex_append(expected, 0, sizeof expected, hex);
    struct cki_canon c;
    cki_canon_init(&c, &cki_profile_interop, NULL, NULL);
    cr_assert(cki_canon_list(&c, args->args, args->count) == CACHEKIT_OK, "%s", name);
    cr_assert(c.bytes.len == len && memcmp(c.bytes.data, expected, len) == 0, "%s", name);
    cki_canon_release(&c);
}

Test(key_rules, interop_keys)
{
    const cachekit_value *rows = open_rows("interop", 124);
    for (size_t i = 0; i < rows->len; i++) {
        const cachekit_value *row = &rows->as.items[i];
        char key[CACHEKIT_KEY_INTEROP_ROOM];
        struct tagged_args args;
        cr_assert(tagged_list(&file, row, "args", &args));
        expect_canonical(&args, row);
        cr_assert(cachekit_key_interop("n", "o", args.args, args.count, key, NULL) == CACHEKIT_OK);
        cr_assert(strncmp(key, "n:o:", 4) == 0);
        SAME(key + 4, tagged_text(row, "digest"));
    }
    tagged_close(&file);
}

// Where the value lies in a list, it is refused as well, and the argument is named.
Test(key_rules, interop_refusals)
{
    const cachekit_value *rows = open_rows("interop_refused", 29);
    for (size_t i = 0; i < rows->len; i++) {
        const cachekit_value *row = &rows->as.items[i];
        const char *name = tagged_text(row, "name");
        char key[CACHEKIT_KEY_INTEROP_ROOM] = "x";
        cachekit_error error = {CACHEKIT_OK, 0, 0, ""};
        struct tagged_args args;
        cr_assert(tagged_list(&file, row, "args", &args) && args.count == 1);
        cr_assert(cachekit_key_interop("n", "o", args.args, 1, key, &error) == CACHEKIT_E_VALUE,
                  "%s", name);
        SAME(key, "");
        cr_assert(error.status == CACHEKIT_E_VALUE);
        cr_assert(strncmp(error.text, "argument 1: ", 12) == 0, "%s", error.text);
        const cachekit_arg all[] = {cachekit_i64(1), cachekit_list(args.args, 1)};
        cr_assert(cachekit_key_interop("n", "o", all, 2, key, &error) == CACHEKIT_E_VALUE);
        cr_assert(strncmp(error.text, "argument 2: ", 12) == 0, "%s", error.text);
    }
    tagged_close(&file);
}

static cachekit_status auto_key(const cachekit_value *row, char key[CACHEKIT_KEY_AUTO_ROOM])
{
    struct tagged_args args, kwargs;
    cachekit_key_auto_parts parts = {tagged_text(row, "namespace"), tagged_text(row, "function"),
                                     tagged_text(row, "code"), false};
    cr_assert(tagged_list(&file, row, "args", &args) &&
              tagged_pairs(&file, row, "kwargs", &kwargs) &&
              cachekit_value_to_bool(cachekit_value_get(row, "no_integrity"), &parts.no_integrity));
    return cachekit_key_auto(&parts, args.args, args.count, kwargs.args, kwargs.count / 2, key,
                             NULL);
}

Test(key_rules, auto_keys)
{
    const cachekit_value *rows = open_rows("auto", 138);
    for (size_t i = 0; i < rows->len; i++) {
        const cachekit_value *row = &rows->as.items[i];
        char key[CACHEKIT_KEY_AUTO_ROOM];
        cr_assert(auto_key(row, key) == CACHEKIT_OK, "%s", tagged_text(row, "name"));
        cr_assert(strcmp(key, tagged_text(row, "key")) == 0, "%s\nthis: %s\nwanted: %s",
                  tagged_text(row, "name"), key, tagged_text(row, "key"));
    }
    tagged_close(&file);
}

Test(key_rules, auto_refusals)
{
    const cachekit_value *rows = open_rows("auto_refused", 33);
    const cachekit_key_auto_parts parts = {NULL, "f", NULL, false};
    for (size_t i = 0; i < rows->len; i++) {
        const cachekit_value *row = &rows->as.items[i];
        const char *name = tagged_text(row, "name");
        char key[CACHEKIT_KEY_AUTO_ROOM] = "x";
        cachekit_error error = {CACHEKIT_OK, 0, 0, ""};
        struct tagged_args args;
        cr_assert(tagged_list(&file, row, "args", &args) && args.count == 1);
        cr_assert(cachekit_key_auto(&parts, args.args, 1, NULL, 0, key, &error) == CACHEKIT_E_VALUE,
                  "%s", name);
        SAME(key, "");
        const cachekit_arg named[] = {cachekit_str("a"), cachekit_null(), cachekit_str("b"),
                                      args.args[0]};
        cr_assert(cachekit_key_auto(&parts, NULL, 0, named, 2, key, &error) == CACHEKIT_E_VALUE);
        cr_assert(strncmp(error.text, "keyword argument 2: ", 20) == 0, "%s", error.text);
    }
    tagged_close(&file);
}

Test(key_rules, serializer_codes)
{
    const cachekit_value *rows = open_rows("codes", 14);
    for (size_t i = 0; i < rows->len; i++) {
        char code[CACHEKIT_SERIALIZER_CODE_ROOM];
        cr_assert(cachekit_serializer_code(tagged_text(&rows->as.items[i], "name"), code) ==
                  CACHEKIT_OK);
        SAME(code, tagged_text(&rows->as.items[i], "code"));
    }
    tagged_close(&file);
}
