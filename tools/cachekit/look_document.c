// SPDX-License-Identifier: MIT
// Documents of values, in MessagePack and in JSON: their shape, and whether a writer of interop/v1
// would have written the same bytes.
#include <string.h>

#include <cachekit/envelope.h>
#include <cachekit/interop.h>
#include <cachekit/json.h>

#include "complain.h"
#include "look.h"

struct shape {
    size_t levels;
    uint64_t nodes;
};

struct level {
    const cachekit_value *next;
    size_t left;
};

static size_t children(const cachekit_value *value)
{
    return value->type == CACHEKIT_MAP     ? 2 * (size_t)value->len
           : value->type == CACHEKIT_ARRAY ? value->len
                                           : 0;
}

// Trees come from readers that hold the bound, so the levels suffice.
static struct shape measure(const cachekit_value *root)
{
    struct level levels[CACHEKIT_VALUE_DEPTH_MAX + 1] = {{root, 1}};
    struct shape shape = {0, 0};
    size_t depth = 1;
    while (depth > 0) {
        struct level *level = &levels[depth - 1];
        if (level->left == 0) {
            depth--;
            continue;
        }
        const cachekit_value *value = level->next++;
        level->left--;
        shape.nodes++;
        if (value->type == CACHEKIT_MAP || value->type == CACHEKIT_ARRAY) {
            levels[depth] = (struct level){value->as.items, children(value)};
            shape.levels = depth > shape.levels ? depth : shape.levels;
            depth += depth <= CACHEKIT_VALUE_DEPTH_MAX ? 1 : 0;
        }
    }
    return shape;
}

static void find_shape(struct finding *out, const cachekit_value *root)
{
    struct shape shape = measure(root);
    finding_text(out, "type", cachekit_type_name(root->type));
    finding_number(out, "items", root->type == CACHEKIT_MAP ? root->len : children(root));
    finding_number(out, "levels", shape.levels);
    finding_number(out, "nodes", shape.nodes);
}

// The place of the first byte that the canonical form has not.
static size_t first_difference(cachekit_slice a, cachekit_slice b)
{
    size_t at = 0;
    while (at < a.len && at < b.len && a.data[at] == b.data[at]) {
        at++;
    }
    return at;
}

static void find_canon(struct finding *out, cachekit_slice bytes, const cachekit_value *root)
{
    cachekit_error error = {.text = ""};
    cachekit_buffer canon = CACHEKIT_BUFFER_INIT;
    cachekit_status status = cachekit_interop_encode(root, &canon, &error);
    bool is_same =
        status >= 0 && canon.len == bytes.len && memcmp(canon.data, bytes.data, canon.len) == 0;
    finding_bool(out, "canonical", is_same);
    if (status == CACHEKIT_E_NOMEM) {
        out->is_out_of_memory = true;
    } else if (status < 0) {
        finding_fault(out, "not_canonical", status, &error);
    } else if (!is_same) {
        finding_format(out, "not_canonical",
                       "another order of keys, or wider than need be, at "
                       "byte %zu",
                       first_difference((cachekit_slice){canon.data, canon.len}, bytes));
    }
    cachekit_buffer_release(&canon);
}

static void find_whole(struct finding *out, const char *kind, cachekit_slice bytes)
{
    finding_text(out, "kind", kind);
    finding_number(out, "bytes", bytes.len);
    finding_number(out, "limit_bytes", CACHEKIT_ENVELOPE_MAX_BYTES);
}

bool look_document(const struct look *look, cachekit_slice bytes, enum look_at at,
                   struct finding *out)
{
    cachekit_value root;
    cachekit_status status =
        cachekit_interop_decode(bytes, CACHEKIT_DECODE_KEEP_SENTINELS, look->arena, &root, NULL);
    if (status == CACHEKIT_E_NOMEM) {
        out->is_out_of_memory = true;
        return true;
    }
    if (status < 0) {
        return false;
    }
    bool is_payload = at >= LOOK_AT_FRAMED;
    find_whole(out, is_payload ? "msgpack document" : "interop document", bytes);
    find_shape(out, &root);
    if (!is_payload) {
        find_canon(out, bytes, &root);
    }
    finding_nil(out, "refused");
    return true;
}

// A container of Python from before its frames.
static bool is_legacy(const cachekit_value *root)
{
    return cachekit_value_get(root, "data") != NULL &&
           cachekit_value_get(root, "metadata") != NULL &&
           cachekit_value_get(root, "serializer") != NULL;
}

bool look_json(const struct look *look, cachekit_slice bytes, struct finding *out)
{
    cachekit_value root;
    cachekit_status status =
        cachekit_json_decode(bytes, CACHEKIT_JSON_PLAIN, look->arena, &root, NULL);
    if (status == CACHEKIT_E_NOMEM) {
        out->is_out_of_memory = true;
        return true;
    }
    if (status < 0) {
        return false;
    }
    find_whole(out, is_legacy(&root) ? "legacy container" : "json", bytes);
    find_shape(out, &root);
    finding_nil(out, "refused");
    return true;
}
