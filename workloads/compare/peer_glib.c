// SPDX-License-Identifier: MIT
// GLib's hash table behind a mutex: what a C programmer writes in ten minutes.
#include "compare/peers.h"

#ifdef WITH_GLIB

#    include <glib.h>

static GHashTable *table;
static GMutex lock;

static bool open_with(bool text)
{
    table = text ? g_hash_table_new(g_str_hash, g_str_equal) : g_hash_table_new(NULL, NULL);
    for (uint32_t i = 0; i < PEER_KEYS; i++) {
        gpointer key = text ? (gpointer)peer_texts[i] : GUINT_TO_POINTER(i + 1);
        g_hash_table_insert(table, key, &peer_values[i]);
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

static uint64_t get_by(gconstpointer key)
{
    g_mutex_lock(&lock);
    uint64_t value = *(const uint64_t *)g_hash_table_lookup(table, key);
    g_mutex_unlock(&lock);
    return value;
}

static uint64_t get_number(uint32_t key)
{
    return get_by(GUINT_TO_POINTER(key + 1));
}

static uint64_t get_text(uint32_t key)
{
    return get_by(peer_texts[key]);
}

static void close_table(void)
{
    g_hash_table_destroy(table);
}

const peer peers_glib[] = {
    {"int", "GHashTable + mutex", open_number, NULL, get_number, NULL, close_table},
    {"text", "GHashTable + mutex", open_text, NULL, get_text, NULL, close_table},
    {"key", "GHashTable + mutex", open_text, NULL, get_text, NULL, close_table},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL},
};

#else
const peer peers_glib[] = {{NULL, NULL, NULL, NULL, NULL, NULL, NULL}};
#endif
