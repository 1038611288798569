// SPDX-License-Identifier: MIT
// Keys of Python's auto mode. Lengths are counted in characters, as Python counts them; only the
// name space can hold others than ASCII, since all else is replaced or digits.
#include "key/protocol_key.h"

#include <string.h>

#include "base/digest.h"
#include "base/status.h"
#include "key/canon.h"
#include "key/key_hex.h"
#include "key/put.h"
#include "value/utf8.h"

enum {
    DIGEST_LEN = 32,
    FUNCTION_MAX = 200,
    KEY_MAX = 250,   // characters; a longer key keeps its first KEPT, and
    KEPT = 50,       // of its digest the first
    KEPT_DIGEST = 16 // bytes
};

// ---- the names ----

static bool is_utf8(const char *text)
{
    return cki_utf8_valid_len((const uint8_t *)text, strlen(text)) == strlen(text);
}

static bool is_kept(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
}

static bool is_tail(char c)
{
    return ((uint8_t)c & 0xc0) == 0x80;
}

// A character that is not kept becomes one `_`, a run of dots one.
static size_t copy_function(const char *function, char to[FUNCTION_MAX])
{
    size_t len = 0;
    for (; *function != '\0' && len < FUNCTION_MAX; function++) {
        bool is_dot_again = *function == '.' && len > 0 && to[len - 1] == '.';
        if (!is_tail(*function) && !is_dot_again) {
            to[len++] = is_kept(*function) ? *function : '_';
        }
    }
    return len;
}

static cachekit_status append_text(struct cki_scratch *head, const char *text)
{
    return cki_scratch_append(head, text, strlen(text));
}

static cachekit_status put_head(struct cki_scratch *head, const char *name_space,
                                const char *function)
{
    char name[FUNCTION_MAX];
    cachekit_status status = CACHEKIT_OK;
    if (name_space != NULL && name_space[0] != '\0') {
        status = append_text(head, "ns:");
        status = status == CACHEKIT_OK ? append_text(head, name_space) : status;
        status = status == CACHEKIT_OK ? append_text(head, ":") : status;
    }
    for (size_t i = 0; i < head->len; i++) {
        uint8_t c = head->data[i];
        head->data[i] = c == ' ' || c == '\n' || c == '\r' ? '_' : c;
    }
    status = status == CACHEKIT_OK ? append_text(head, "func:") : status;
    if (status == CACHEKIT_OK) {
        status = cki_scratch_append(head, name, copy_function(function, name));
    }
    return status == CACHEKIT_OK ? append_text(head, ":args:") : status;
}

static bool is_code(const char *code)
{
    size_t len = strnlen(code, CACHEKIT_SERIALIZER_CODE_ROOM);
    return len > 0 && len < CACHEKIT_SERIALIZER_CODE_ROOM &&
           strspn(code, "abcdefghijklmnopqrstuvwxyz0123456789") == len;
}

static const char *fault_of(const cachekit_key_auto_parts *parts)
{
    const char *name_space = parts->name_space;
    if (parts->function == NULL || parts->function[0] == '\0' || !is_utf8(parts->function)) {
        return "the function needs a name in UTF-8";
    }
    if (name_space != NULL && !is_utf8(name_space)) {
        return "the name space is not UTF-8";
    }
    if (name_space != NULL && strncmp(name_space, "ck", 2) == 0 &&
        (name_space[2] == '\0' || name_space[2] == ':')) {
        return "the name space ck and those that begin with ck: are reserved";
    }
    if (parts->serializer_code != NULL && !is_code(parts->serializer_code)) {
        return "the serializer's code must be 1 to 5 of a-z, 0-9";
    }
    return NULL;
}

cachekit_status cki_auto_name_init(struct cki_auto_name *name, const cachekit_key_auto_parts *parts,
                                   const cachekit_allocator *allocator, cachekit_error *error)
{
    const char *fault = fault_of(parts);
    cki_scratch_init(&name->head, name->head_room, sizeof name->head_room, allocator);
    if (fault != NULL) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "%s", fault);
    }
    if (put_head(&name->head, parts->name_space, parts->function) != CACHEKIT_OK) {
        cki_auto_name_release(name);
        return cki_fail(error, CACHEKIT_E_NOMEM, 0, "no memory for a key");
    }
    const char *code = parts->serializer_code != NULL ? parts->serializer_code : "s";
    name->tail[0] = ':';
    name->tail[1] = parts->no_integrity ? '0' : '1';
    memcpy(name->tail + 2, code, strlen(code) + 1);
    return CACHEKIT_OK;
}

void cki_auto_name_release(struct cki_auto_name *name)
{
    cki_scratch_release(&name->head);
}

// ---- the key ----

static cachekit_status hash(struct cki_scratch bytes, uint8_t digest[DIGEST_LEN],
                            cachekit_error *error)
{
    cachekit_status status = cki_blake2b(bytes.data, bytes.len, digest, DIGEST_LEN);
    return status == CACHEKIT_OK ? status : cki_fail(error, status, 0, "libsodium does not start");
}

static cachekit_status hash_args(const struct cki_auto_args *args,
                                 const cachekit_allocator *allocator, uint8_t digest[DIGEST_LEN],
                                 cachekit_error *error)
{
    struct cki_canon c;
    cki_canon_init(&c, &cki_profile_auto, allocator, error);
    c.bytes.len = (size_t)(cki_put_array(c.bytes.data, 2) - c.bytes.data);
    cachekit_status status = cki_canon_list(&c, args->args, args->count);
    if (status == CACHEKIT_OK) {
        status = cki_canon_named(&c, args->kwargs, args->pairs);
    }
    if (status == CACHEKIT_OK) {
        status = hash(c.bytes, digest, error);
    }
    cki_canon_release(&c);
    return status;
}

// Where the character after the first `chars` begins.
static size_t place_after(const struct cki_scratch *key, size_t chars)
{
    size_t at = 0;
    for (; at < key->len && (chars > 0 || is_tail((char)key->data[at])); at++) {
        chars -= !is_tail((char)key->data[at]);
    }
    return at;
}

static cachekit_status shorten(const struct cki_scratch *key, char out[CACHEKIT_KEY_AUTO_ROOM],
                               cachekit_error *error)
{
    uint8_t digest[DIGEST_LEN];
    // Few bytes are few characters.
    if (key->len <= KEY_MAX || place_after(key, KEY_MAX) == key->len) {
        memcpy(out, key->data, key->len);
        out[key->len] = '\0';
        return CACHEKIT_OK;
    }
    cachekit_status status = hash(*key, digest, error);
    if (status == CACHEKIT_OK) {
        size_t kept = place_after(key, KEPT);
        memcpy(out, key->data, kept);
        out[kept] = ':';
        *cki_put_hex(out + kept + 1, digest, KEPT_DIGEST) = '\0';
    }
    return status;
}

cachekit_status cki_key_auto(const struct cki_auto_name *name, const struct cki_auto_args *args,
                             const cachekit_allocator *allocator, char out[CACHEKIT_KEY_AUTO_ROOM],
                             cachekit_error *error)
{
    uint8_t digest[DIGEST_LEN], room[sizeof name->head_room + 2 * DIGEST_LEN + sizeof name->tail];
    struct cki_scratch key;
    out[0] = '\0';
    cachekit_status status = hash_args(args, allocator, digest, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    cki_scratch_init(&key, room, sizeof room, allocator);
    if (cki_scratch_reserve(&key, name->head.len + 2 * DIGEST_LEN + sizeof name->tail) !=
        CACHEKIT_OK) {
        return cki_fail(error, CACHEKIT_E_NOMEM, 0, "no memory for a key");
    }
    uint8_t *at = cki_put_body(key.data, name->head.data, name->head.len);
    at = (uint8_t *)cki_put_hex((char *)at, digest, DIGEST_LEN);
    at = cki_put_body(at, name->tail, strlen(name->tail));
    key.len = (size_t)(at - key.data);
    status = shorten(&key, out, error);
    cki_scratch_release(&key);
    return status;
}

// NOLINTNEXTLINE(readability-function-size): two arrays and their lengths are in the contract
cachekit_status cachekit_key_auto(const cachekit_key_auto_parts *parts, const cachekit_arg *args,
                                  size_t count, const cachekit_arg *kwargs, size_t pairs,
                                  char out[CACHEKIT_KEY_AUTO_ROOM], cachekit_error *error)
{
    struct cki_auto_name name;
    if (out == NULL) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "out is NULL");
    }
    out[0] = '\0';
    if (parts == NULL) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "the parts of the key are NULL");
    }
    cachekit_status status = cki_auto_name_init(&name, parts, NULL, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    const struct cki_auto_args all = {args, count, kwargs, pairs};
    status = cki_key_auto(&name, &all, NULL, out, error);
    cki_auto_name_release(&name);
    return status;
}
