// SPDX-License-Identifier: MIT
// Keys of one map mostly differ in their first eight bytes. Those bytes as a big-endian number
// compare as the keys do, in one instruction; only equal numbers ask for the texts.
#include "value/interop_order.h"

#include <string.h>

#include "value/json_sort.h"

static uint32_t be32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint64_t be64(const uint8_t *at)
{
    return (uint64_t)be32(at) << 32 | be32(at + 4);
}

// The first eight bytes, zeros where the key has none.
static inline uint64_t prefix_of(const cachekit_value *key)
{
    const uint8_t *text = (const uint8_t *)key->as.text;
    uint32_t len = key->len;
    if (len >= 8) {
        return be64(text);
    }
    if (len >= 4) { // two loads that overlap, the doubled bytes shifted out of the second
        uint64_t last = (uint64_t)be32(text + len - 4) << 8 * (8 - len);
        return (uint64_t)be32(text) << 32 | (uint32_t)last;
    }
    uint64_t prefix = 0;
    for (uint32_t i = 0; i < len; i++) {
        prefix |= (uint64_t)text[i] << (56 - 8 * i);
    }
    return prefix;
}

static int compare(const cachekit_value *a, const cachekit_value *b)
{
    uint32_t len = a->len < b->len ? a->len : b->len;
    int order = len > 0 ? memcmp(a->as.text, b->as.text, len) : 0;
    return order != 0 ? order : (a->len > b->len) - (a->len < b->len);
}

enum cki_keys cki_keys_look(const cachekit_value *items, uint32_t pairs)
{
    enum cki_keys found = CKI_KEYS_SORTED;
    uint64_t last = 0;
    for (uint32_t i = 0; i < pairs; i++) {
        const cachekit_value *key = &items[2 * (size_t)i];
        if (key->type != CACHEKIT_STR) {
            return CKI_KEYS_NO_TEXT;
        }
        uint64_t prefix = prefix_of(key);
        if (i > 0 && prefix <= last && found == CKI_KEYS_SORTED) {
            int order = prefix < last ? -1 : compare(key, key - 2);
            if (order == 0) {
                return CKI_KEYS_TWICE;
            }
            found = order < 0 ? CKI_KEYS_UNSORTED : found;
        }
        last = prefix;
    }
    return found;
}

struct row {
    uint64_t prefix;
    uint32_t pair;
};

// By insertion, which finds equal keys on its way: the new key stops at the first that is not
// larger.
static bool insert(const cachekit_value *items, struct row *rows, uint32_t count, struct row row)
{
    const cachekit_value *key = &items[2 * (size_t)row.pair];
    uint32_t at = count;
    for (; at > 0 && row.prefix <= rows[at - 1].prefix; at--) {
        const struct row *before = &rows[at - 1];
        int order = row.prefix < before->prefix ? -1 : compare(key, &items[2 * before->pair]);
        if (order == 0) {
            return false;
        }
        if (order > 0) {
            break;
        }
        rows[at] = *before;
    }
    rows[at] = row;
    return true;
}

bool cki_order_packed(const cachekit_value *items, uint32_t pairs, uint64_t *order)
{
    struct row rows[CKI_ORDER_PACKED_MAX];
    uint64_t packed = 0;
    for (uint32_t i = 0; i < pairs; i++) {
        struct row row = {prefix_of(&items[2 * (size_t)i]), i};
        if (!insert(items, rows, i, row)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < pairs; i++) {
        packed = packed << 4 | rows[i].pair;
    }
    *order = packed;
    return true;
}

bool cki_order(const cachekit_value *items, uint32_t pairs, uint32_t *order)
{
    cki_json_sort(items, pairs, order);
    for (uint32_t i = 1; i < pairs; i++) {
        if (compare(&items[2 * (size_t)order[i - 1]], &items[2 * (size_t)order[i]]) == 0) {
            return false;
        }
    }
    for (uint32_t low = 0, high = pairs - 1; low < high; low++, high--) {
        uint32_t pair = order[low];
        order[low] = order[high];
        order[high] = pair;
    }
    return true;
}
