// SPDX-License-Identifier: MIT
// Comparison of arguments with packed keys when hashes say nothing: an attacker who knew the seed
// could make them all collide.
#include "call_kit.h"

#include <stdlib.h>
#include <string.h>

#include "call/args.h"

struct row {
    size_t count;
    cachekit_arg args[3];
};

static char text[300];
static const struct cki_seed seed = {11, 0x9e3779b97f4a7c15U, 0xc2b2ae3d27d4eb4fU};

static struct cki_entry *entry_of(const struct row *row)
{
    uint8_t packed[CKI_ARGS_PACKED_MAX];
    struct cki_args args = {row->args, row->count, 0};
    uint64_t hash;
    if (!cki_args_hash(&args, &seed, &hash)) {
        return NULL;
    }
    struct cki_key key = {.hash = 7};
    cki_args_pack(&args, packed, &key);
    return cki_entry_new(NULL, &key);
}

static bool matches(const struct cki_entry *entry, const struct row *row)
{
    struct cki_args args = {row->args, row->count, 0};
    uint64_t hash, brief_hash;
    cr_assert(cki_args_hash(&args, &seed, &hash));
    bool same = cki_args_match(entry, &args);
    if (cki_briefs_hash(row->args, row->count, &seed, &brief_hash)) {
        cr_assert(brief_hash == hash);
        cr_assert(row->count == 1 || cki_briefs_match(entry, row->args, row->count) == same);
    }
    if (row->count == 1 && row->args[0].type < CACHEKIT_ARG_STR) {
        cr_assert(cki_number_hash(row->args, seed.a, &seed) == hash);
        cr_assert(cki_number_matches(entry, row->args) == same);
    }
    if (row->count == 1 && cki_is_brief_text(row->args)) {
        cr_assert(cki_text_hash(row->args, seed.a, &seed) == hash);
        cr_assert(cki_text_matches(entry, row->args) == same);
    }
    return same;
}

static void check_unpacked(const struct cki_entry *entry, const struct row *row)
{
    cachekit_arg out[CKI_ARGS_MAX];
    const struct cki_key key = cki_entry_key(entry);
    cr_assert(cki_args_unpack(&key, out) == row->count);
    for (size_t i = 0; i < row->count; i++) {
        const cachekit_arg *arg = &row->args[i];
        cr_assert(out[i].type == arg->type && out[i].len == arg->len);
        if (arg->type >= CACHEKIT_ARG_STR) {
            cr_assert(arg->len == 0 || memcmp(out[i].as.data, arg->as.data, arg->len) == 0);
        } else {
            cr_assert(out[i].as.bits == arg->as.bits);
        }
    }
}

Test(args, match_their_own_key_and_no_other)
{
    static char others[40][300];
    struct row rows[140];
    size_t count = 0;
    memset(text, 'a', sizeof text);
    rows[count++] = (struct row){0, {cachekit_null()}};
    rows[count++] = (struct row){1, {cachekit_null()}};
    rows[count++] = (struct row){2, {cachekit_null(), cachekit_null()}};
    rows[count++] = (struct row){1, {cachekit_bool(false)}};
    rows[count++] = (struct row){1, {cachekit_bool(true)}};
    rows[count++] = (struct row){1, {cachekit_i64(0)}};
    rows[count++] = (struct row){1, {cachekit_i64(1)}};
    rows[count++] = (struct row){1, {cachekit_i64(INT64_MIN)}};
    rows[count++] = (struct row){1, {cachekit_u64(1ULL << 63)}};
    rows[count++] = (struct row){1, {cachekit_f64(0.0)}};
    rows[count++] = (struct row){1, {cachekit_f64(5e-324)}}; // bits 1
    rows[count++] = (struct row){2, {cachekit_i64(1), cachekit_i64(2)}};
    rows[count++] = (struct row){2, {cachekit_i64(2), cachekit_i64(1)}};
    rows[count++] = (struct row){2, {cachekit_str("ab"), cachekit_str("c")}};
    rows[count++] = (struct row){2, {cachekit_str("a"), cachekit_str("bc")}};
    rows[count++] = (struct row){2, {cachekit_str("a"), cachekit_bytes("bc", 2)}};
    for (size_t len = 0; len <= 40; len++) {
        rows[count++] = (struct row){1, {cachekit_str_len(text, len)}};
        rows[count++] = (struct row){1, {cachekit_bytes(text, len)}};
    }
    for (size_t i = 0; i < 40; i++) { // one byte differs, each in its turn
        memset(others[i], 'a', sizeof others[i]);
        others[i][i] = 'b';
        rows[count++] = (struct row){1, {cachekit_str_len(others[i], i < 24 ? 24 : 40)}};
    }
    rows[count++] = (struct row){1, {cachekit_str_len(text, 256)}};
    cr_assert(count <= sizeof rows / sizeof rows[0]);
    for (size_t i = 0; i < count; i++) {
        struct cki_entry *entry = entry_of(&rows[i]);
        cr_assert(entry != NULL);
        check_unpacked(entry, &rows[i]);
        for (size_t j = 0; j < count; j++) {
            cr_assert(matches(entry, &rows[j]) == (i == j), "rows %zu and %zu", i, j);
        }
        cki_entry_free(NULL, entry);
    }
}

Test(args, take_the_short_way_up_to_8_scalars_and_256_bytes)
{
    cachekit_arg nine[9];
    for (int i = 0; i < 9; i++) {
        nine[i] = cachekit_i64(i);
    }
    const struct row long_text = {1, {cachekit_str_len(text, 257)}};
    const struct row two_texts = {2, {cachekit_str_len(text, 200), cachekit_str_len(text, 57)}};
    const struct row fits = {2, {cachekit_str_len(text, 200), cachekit_str_len(text, 56)}};
    cr_assert(entry_of(&long_text) == NULL && entry_of(&two_texts) == NULL);
    struct cki_entry *entry = entry_of(&fits);
    cr_assert(entry != NULL);
    cki_entry_free(NULL, entry);
    uint64_t hash;
    struct cki_args eight = {nine, 8, 0}, all = {nine, 9, 0};
    cr_assert(cki_args_hash(&eight, &seed, &hash) && !cki_args_hash(&all, &seed, &hash));
    uint64_t other;
    const struct cki_seed seeds[] = {
        {seed.a + 1, seed.b, seed.c}, {seed.a, seed.b, seed.c + 1}, {seed.a, seed.b + 1, seed.c}};
    cr_assert(cki_args_hash(&eight, &seeds[0], &other) && hash != other);
    cr_assert(cki_args_hash(&eight, &seeds[1], &other) && hash != other);
    struct cki_args words = {fits.args, 1, 0};
    words.args = &(cachekit_arg){CACHEKIT_ARG_STR, 24, {.data = text}};
    cr_assert(cki_args_hash(&words, &seed, &hash));
    for (size_t i = 0; i < 3; i++) {
        cr_assert(cki_args_hash(&words, &seeds[i], &other) && hash != other);
    }
}
