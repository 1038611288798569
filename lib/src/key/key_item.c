// SPDX-License-Identifier: MIT
// What stands in an array of arguments or in a value tree, seen as one argument. Nodes and
// arguments have the same shape, so a node becomes one by a copy and a table of types.
#include "key/key_item.h"

#include <string.h>

const char *cki_arg_fault(const cachekit_arg *arg)
{
    if (arg->type > CACHEKIT_ARG_VALUE) {
        return "no known type";
    }
    if (arg->type < CACHEKIT_ARG_STR || arg->type == CACHEKIT_ARG_DATETIME_US) {
        return NULL;
    }
    if (arg->len == UINT32_MAX || (arg->len > 0 && arg->as.data == NULL)) {
        return "NULL or too long";
    }
    if ((arg->type == CACHEKIT_ARG_UUID && arg->len != 16) ||
        (arg->type == CACHEKIT_ARG_VALUE && arg->len != 1)) {
        return "not made by the function of its type";
    }
    return NULL;
}

bool cki_node_to_arg(const cachekit_value *node, cachekit_arg *arg)
{
    static const uint8_t types[] = {
        [CACHEKIT_NIL] = CACHEKIT_ARG_NULL,  [CACHEKIT_BOOL] = CACHEKIT_ARG_BOOL,
        [CACHEKIT_INT] = CACHEKIT_ARG_I64,   [CACHEKIT_UINT] = CACHEKIT_ARG_U64,
        [CACHEKIT_FLOAT] = CACHEKIT_ARG_F64, [CACHEKIT_STR] = CACHEKIT_ARG_STR,
        [CACHEKIT_BIN] = CACHEKIT_ARG_BYTES, [CACHEKIT_ARRAY] = CACHEKIT_ARG_LIST,
        [CACHEKIT_MAP] = CACHEKIT_ARG_MAP,   [CACHEKIT_DATETIME] = CACHEKIT_ARG_DATETIME_TEXT,
    };
    if (node->type >= sizeof types) {
        return false;
    }
    *arg = (cachekit_arg){types[node->type], node->len, {0}};
    if (node->type == CACHEKIT_BOOL) {
        arg->as.bits = node->as.boolean;
    } else {
        memcpy(&arg->as, &node->as, sizeof arg->as);
    }
    return true;
}

enum cki_key_sort cki_key_sort_of(const cachekit_arg *key)
{
    static const uint8_t sorts[] = {
        [CACHEKIT_ARG_NULL] = CKI_KEY_NIL,  [CACHEKIT_ARG_BOOL] = CKI_KEY_BOOL,
        [CACHEKIT_ARG_I64] = CKI_KEY_INT,   [CACHEKIT_ARG_U64] = CKI_KEY_INT,
        [CACHEKIT_ARG_F64] = CKI_KEY_FLOAT, [CACHEKIT_ARG_STR] = CKI_KEY_STR,
        [CACHEKIT_ARG_BYTES] = CKI_KEY_BIN,
    };
    bool is_nan = key->type == CACHEKIT_ARG_F64 && key->as.bits << 1 > 0xffe0000000000000U;
    return key->type < sizeof sorts && !is_nan ? (enum cki_key_sort)sorts[key->type]
                                               : CKI_KEY_OTHER;
}

// Numbers as unsigned ones in the same order: negative ones rank below the others.
void cki_span_order(const cachekit_arg *key, struct cki_span *span)
{
    const uint64_t sign = UINT64_C(1) << 63;
    if (span->sort == CKI_KEY_FLOAT) {
        span->number = key->as.bits & sign ? ~key->as.bits : key->as.bits | sign;
    } else if (span->sort == CKI_KEY_INT || span->sort == CKI_KEY_BOOL) {
        span->number = key->as.bits;
        span->rank = key->type == CACHEKIT_ARG_U64 || key->as.i64 >= 0;
    }
}
