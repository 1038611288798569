// SPDX-License-Identifier: MIT
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <iconv.h>
#include <msgpack.h>

#include <cachekit/value.h>

#include "random_document.h"

enum { DOCUMENTS = 20000, DAMAGES = 4, ORACLE_LEVELS = 31 };

static bool is_utf8(const char *text, size_t len)
{
    static iconv_t converter;
    static char wide[4 * RANDOM_DOCUMENT_MAX];
    if (converter == NULL) {
        converter = iconv_open("UTF-32LE", "UTF-8");
    }
    cr_assert(converter != (iconv_t)-1);
    char *from = (char *)(uintptr_t)text;
    char *to = wide;
    size_t to_len = sizeof wide;
    (void)iconv(converter, NULL, NULL, NULL, NULL);
    return iconv(converter, &from, &len, &to, &to_len) != (size_t)-1 && len == 0;
}

// What of the rules that msgpack-c does not have its tree breaks.
struct facts {
    bool has_ext;
    bool has_bad_text;
    bool has_float32;
};

static void learn(const msgpack_object *object, struct facts *facts)
{
    switch (object->type) {
    case MSGPACK_OBJECT_EXT:
        facts->has_ext = true;
        return;
    case MSGPACK_OBJECT_FLOAT32:
        facts->has_float32 = true;
        return;
    case MSGPACK_OBJECT_STR:
        facts->has_bad_text |= !is_utf8(object->via.str.ptr, object->via.str.size);
        return;
    case MSGPACK_OBJECT_ARRAY:
        for (uint32_t i = 0; i < object->via.array.size; i++) {
            learn(&object->via.array.ptr[i], facts);
        }
        return;
    case MSGPACK_OBJECT_MAP:
        for (uint32_t i = 0; i < object->via.map.size; i++) {
            learn(&object->via.map.ptr[i].key, facts);
            learn(&object->via.map.ptr[i].val, facts);
        }
        return;
    default:
        return;
    }
}

static bool same(const msgpack_object *theirs, const cachekit_value *ours);

static bool same_items(const msgpack_object *theirs, const cachekit_value *ours)
{
    if (theirs->type == MSGPACK_OBJECT_ARRAY) {
        for (uint32_t i = 0; i < ours->len; i++) {
            if (!same(&theirs->via.array.ptr[i], &ours->as.items[i])) {
                return false;
            }
        }
        return true;
    }
    for (uint32_t i = 0; i < ours->len; i++) {
        if (!same(&theirs->via.map.ptr[i].key, &ours->as.items[2 * i]) ||
            !same(&theirs->via.map.ptr[i].val, &ours->as.items[2 * i + 1])) {
            return false;
        }
    }
    return true;
}

static bool same_bytes(const char *data, uint32_t len, const cachekit_value *ours)
{
    return ours->len == len && (len == 0 || memcmp(ours->as.text, data, len) == 0);
}

static bool same(const msgpack_object *theirs, const cachekit_value *ours)
{
    switch (theirs->type) {
    case MSGPACK_OBJECT_NIL:
        return ours->type == CACHEKIT_NIL;
    case MSGPACK_OBJECT_BOOLEAN:
        return ours->type == CACHEKIT_BOOL && ours->as.boolean == theirs->via.boolean;
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
        return ours->as.u64 == theirs->via.u64 &&
               ours->type == (theirs->via.u64 > INT64_MAX ? CACHEKIT_UINT : CACHEKIT_INT);
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        return ours->type == CACHEKIT_INT && ours->as.i64 == theirs->via.i64;
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64:
        return ours->type == CACHEKIT_FLOAT &&
               (memcmp(&ours->as.f64, &theirs->via.f64, 8) == 0 || ours->as.f64 != ours->as.f64);
    case MSGPACK_OBJECT_STR:
        return ours->type == CACHEKIT_STR &&
               same_bytes(theirs->via.str.ptr, theirs->via.str.size, ours);
    case MSGPACK_OBJECT_BIN:
        return ours->type == CACHEKIT_BIN &&
               same_bytes(theirs->via.bin.ptr, theirs->via.bin.size, ours);
    case MSGPACK_OBJECT_ARRAY:
        return ours->type == CACHEKIT_ARRAY && ours->len == theirs->via.array.size &&
               same_items(theirs, ours);
    case MSGPACK_OBJECT_MAP:
        return ours->type == CACHEKIT_MAP && ours->len == theirs->via.map.size &&
               same_items(theirs, ours);
    default:
        return false;
    }
}

static int levels_of(const cachekit_value *value)
{
    int deepest = 0;
    if (value->type != CACHEKIT_ARRAY && value->type != CACHEKIT_MAP) {
        return 0;
    }
    for (size_t i = 0; i < value->len * (value->type == CACHEKIT_MAP ? 2u : 1u); i++) {
        int levels = levels_of(&value->as.items[i]);
        deepest = levels > deepest ? levels : deepest;
    }
    return deepest + 1;
}

static void check_writer(const msgpack_object *theirs, const cachekit_value *ours)
{
    msgpack_sbuffer packed;
    msgpack_packer packer;
    msgpack_sbuffer_init(&packed);
    msgpack_packer_init(&packer, &packed, msgpack_sbuffer_write);
    cr_assert(eq(int, msgpack_pack_object(&packer, *theirs), 0));
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    cr_assert(eq(int, cachekit_value_encode(ours, &out, NULL), CACHEKIT_OK));
    cr_assert(eq(sz, out.len, packed.size));
    cr_assert(memcmp(out.data, packed.data, out.len) == 0);
    cachekit_buffer_release(&out);
    msgpack_sbuffer_destroy(&packed);
}

struct tally {
    unsigned both, neither, ext, bad_text, deep;
};

static const uint8_t *exact(const struct random_document *document)
{
    uint8_t *copy = malloc(document->len + 1);
    cr_assert_not_null(copy);
    return memcpy(copy, document->bytes, document->len);
}

// Sets our verdict against theirs; each difference must be one of the rules that we have more.
static void compare(const struct random_document *document, cachekit_arena *arena,
                    struct tally *tally)
{
    const uint8_t *bytes = exact(document);
    cachekit_slice input = {bytes, document->len};
    cachekit_value ours;
    cachekit_error error = {.text = ""};
    cachekit_status status =
        cachekit_value_decode(input, CACHEKIT_DECODE_KEEP_SENTINELS, arena, &ours, &error);
    msgpack_unpacked theirs;
    msgpack_unpacked_init(&theirs);
    size_t offset = 0;
    msgpack_unpack_return verdict =
        msgpack_unpack_next(&theirs, (const char *)bytes, document->len, &offset);
    bool is_theirs = verdict == MSGPACK_UNPACK_SUCCESS && offset == document->len;
    struct facts facts = {0};
    if (is_theirs) {
        learn(&theirs.data, &facts);
    }
    if (status == CACHEKIT_OK && is_theirs) {
        cr_assert(same(&theirs.data, &ours));
        if (!facts.has_float32) {
            check_writer(&theirs.data, &ours);
        }
        tally->both++;
    } else if (status == CACHEKIT_OK) {
        cr_assert(gt(int, levels_of(&ours), ORACLE_LEVELS));
        tally->deep++;
    } else if (!is_theirs) {
        tally->neither++;
    } else if (strstr(error.text, "ext types") != NULL) {
        cr_assert(facts.has_ext);
        tally->ext++;
    } else {
        cr_assert_not_null(strstr(error.text, "UTF-8"), "%s", error.text);
        cr_assert(facts.has_bad_text);
        tally->bad_text++;
    }
    msgpack_unpacked_destroy(&theirs);
    free((void *)(uintptr_t)bytes);
    cachekit_arena_reset(arena);
}

Test(reader_oracle, agrees_with_msgpack_c_but_for_the_rules_it_lacks)
{
    static struct random_document document, damaged;
    document.state = 20260726;
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    struct tally tally = {0};
    for (int i = 0; i < DOCUMENTS; i++) {
        random_document_make(&document);
        compare(&document, &arena, &tally);
        for (int k = 0; k < DAMAGES; k++) {
            memcpy(damaged.bytes, document.bytes, document.len);
            damaged.len = document.len;
            damaged.state = document.state + (uint64_t)k;
            random_document_damage(&damaged);
            compare(&damaged, &arena, &tally);
        }
    }
    // None of the classes may be empty, or the test says nothing about it.
    cr_assert(gt(uint, tally.both, DOCUMENTS / 2));
    cr_assert(gt(uint, tally.neither, DOCUMENTS / 2));
    cr_assert(gt(uint, tally.ext, 20u));
    cr_assert(gt(uint, tally.bad_text, 100u));
    cachekit_arena_release(&arena);
}

Test(reader_oracle, what_is_decoded_encodes_and_decodes_to_itself)
{
    static struct random_document document;
    document.state = 7;
    for (int i = 0; i < DOCUMENTS / 4; i++) {
        random_document_make(&document);
        cachekit_arena arena = CACHEKIT_ARENA_INIT;
        cachekit_buffer out = CACHEKIT_BUFFER_INIT, again = CACHEKIT_BUFFER_INIT;
        cachekit_value value, back;
        cachekit_slice input = {document.bytes, document.len};
        if (cachekit_value_decode(input, CACHEKIT_DECODE_COPY, &arena, &value, NULL) ==
            CACHEKIT_OK) {
            cr_assert(eq(int, cachekit_value_encode(&value, &out, NULL), CACHEKIT_OK));
            cachekit_slice own = {out.data, out.len};
            cr_assert(eq(int, cachekit_value_decode(own, 0, &arena, &back, NULL), CACHEKIT_OK));
            cr_assert(cachekit_value_equal(&value, &back));
            cr_assert(eq(int, cachekit_value_encode(&back, &again, NULL), CACHEKIT_OK));
            cr_assert(again.len == out.len && memcmp(again.data, out.data, out.len) == 0);
        }
        cachekit_buffer_release(&out);
        cachekit_buffer_release(&again);
        cachekit_arena_release(&arena);
    }
}
