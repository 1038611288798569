// SPDX-License-Identifier: MIT
#include "memory/entry.h"

#include <string.h>

#include "base/alloc.h"
#include "memory/order.h"

size_t cki_entry_bytes(const struct cki_entry *entry)
{
    return sizeof *entry + cki_shape_len(entry->shape);
}

struct cki_entry *cki_entry_new(const cachekit_allocator *allocator, const struct cki_key *key)
{
    struct cki_entry *entry = cki_alloc(allocator, sizeof *entry + key->len);
    if (entry == NULL) {
        return NULL;
    }
    memset(entry, 0, sizeof *entry);
    for (int i = 0; i < CKI_ORDERS; i++) {
        entry->places[i].index = CKI_NOWHERE;
    }
    entry->hash = key->hash;
    entry->shape = cki_shape(key->kind, key->len);
    if (key->len > 0) {
        memcpy(entry->key, key->bytes, key->len);
    }
    return entry;
}

void cki_entry_free(const cachekit_allocator *allocator, struct cki_entry *entry)
{
    if (entry->destroy != NULL) {
        entry->destroy(entry->object, entry->object_size, entry->destroy_context);
    }
    cki_free(allocator, entry, cki_entry_bytes(entry));
}
