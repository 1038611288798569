// SPDX-License-Identifier: MIT
// Concurrency Kit's ck_ht, read within an epoch section.
#include "compare/peers.h"

#ifdef WITH_CK

#    include <ck_epoch.h>
#    include <ck_ht.h>
#    include <stdlib.h>
#    include <string.h>

static ck_ht_t table;
static ck_epoch_t epoch;
static _Thread_local ck_epoch_record_t *record;

static void *take(size_t size)
{
    return malloc(size);
}

static void give_back(void *block, size_t size, bool defer)
{
    (void)size;
    (void)defer;
    free(block);
}

static struct ck_malloc allocator = {.malloc = take, .free = give_back};

static void enter(void)
{
    if (record == NULL) {
        record = malloc(sizeof *record);
        ck_epoch_register(&epoch, record, NULL);
    }
}

static bool open_with(bool text)
{
    unsigned mode = text ? CK_HT_MODE_BYTESTRING : CK_HT_MODE_DIRECT;
    ck_epoch_init(&epoch);
    record = NULL;
    if (!ck_ht_init(&table, mode, NULL, &allocator, PEER_KEYS * 2, 6602834)) {
        return false;
    }
    for (uint32_t i = 0; i < PEER_KEYS; i++) {
        ck_ht_hash_t hash;
        ck_ht_entry_t entry;
        if (text) {
            ck_ht_hash(&hash, &table, peer_texts[i], PEER_TEXT);
            ck_ht_entry_set(&entry, hash, peer_texts[i], PEER_TEXT, &peer_values[i]);
        } else {
            ck_ht_hash_direct(&hash, &table, i + 1);
            ck_ht_entry_set_direct(&entry, hash, i + 1, (uintptr_t)&peer_values[i]);
        }
        if (!ck_ht_put_spmc(&table, hash, &entry)) {
            return false;
        }
    }
    return true;
}

static bool open_number(void)
{
    return open_with(false);
}

static bool open_text(void)
{
    return open_with(true);
}

static uint64_t get_number(uint32_t key)
{
    ck_ht_hash_t hash;
    ck_ht_entry_t entry;
    ck_epoch_begin(record, NULL);
    ck_ht_hash_direct(&hash, &table, key + 1);
    ck_ht_entry_key_set_direct(&entry, key + 1);
    uint64_t value = 0;
    if (ck_ht_get_spmc(&table, hash, &entry)) {
        value = *(const uint64_t *)ck_ht_entry_value_direct(&entry);
    }
    ck_epoch_end(record, NULL);
    return value;
}

static uint64_t get_text(uint32_t key)
{
    ck_ht_hash_t hash;
    ck_ht_entry_t entry;
    ck_epoch_begin(record, NULL);
    ck_ht_hash(&hash, &table, peer_texts[key], PEER_TEXT);
    ck_ht_entry_key_set(&entry, peer_texts[key], PEER_TEXT);
    uint64_t value = 0;
    if (ck_ht_get_spmc(&table, hash, &entry)) {
        value = *(const uint64_t *)ck_ht_entry_value(&entry);
    }
    ck_epoch_end(record, NULL);
    return value;
}

static void close_table(void)
{
    ck_ht_destroy(&table);
}

const peer peers_ck[] = {
    {"int", "ck_ht + epoch", open_number, enter, get_number, NULL, close_table},
    {"text", "ck_ht + epoch", open_text, enter, get_text, NULL, close_table},
    {"key", "ck_ht + epoch", open_text, enter, get_text, NULL, close_table},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL},
};

#else
const peer peers_ck[] = {{NULL, NULL, NULL, NULL, NULL, NULL, NULL}};
#endif
