// SPDX-License-Identifier: MIT
// liburcu's rculfhash, read within a section of the memory-barrier flavour.
#include "compare/peers.h"

#ifdef WITH_URCU

#    include <stdlib.h>
#    include <string.h>
#    include <urcu.h>
#    include <urcu/rculfhash.h>

struct node {
    struct cds_lfht_node link;
    uint32_t number;
    const char *text;
    uint64_t *value;
};

static struct cds_lfht *table;
static struct node *nodes;

static unsigned long hash_of(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325U;
    for (int i = 0; i < PEER_TEXT; i += 8) {
        uint64_t word;
        memcpy(&word, text + i, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 32;
    }
    return hash;
}

static unsigned long hash_number(uint32_t number)
{
    uint64_t hash = (number + 1) * 0x9e3779b97f4a7c15U;
    return hash ^ hash >> 32;
}

static int same_number(struct cds_lfht_node *link, const void *key)
{
    return caa_container_of(link, struct node, link)->number == *(const uint32_t *)key;
}

static int same_text(struct cds_lfht_node *link, const void *key)
{
    return memcmp(caa_container_of(link, struct node, link)->text, key, PEER_TEXT) == 0;
}

static void enter(void)
{
    rcu_register_thread();
}

static void leave(void)
{
    rcu_unregister_thread();
}

static bool open_with(bool text)
{
    table = cds_lfht_new(1 << 14, 1 << 14, 0, 0, NULL);
    nodes = calloc(PEER_KEYS, sizeof *nodes);
    if (table == NULL || nodes == NULL) {
        return false;
    }
    enter();
    rcu_read_lock();
    for (uint32_t i = 0; i < PEER_KEYS; i++) {
        nodes[i].number = i;
        nodes[i].text = peer_texts[i];
        nodes[i].value = &peer_values[i];
        cds_lfht_add(table, text ? hash_of(peer_texts[i]) : hash_number(i), &nodes[i].link);
    }
    rcu_read_unlock();
    leave();
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

static uint64_t get_by(unsigned long hash, cds_lfht_match_fct match, const void *key)
{
    struct cds_lfht_iter at;
    rcu_read_lock();
    cds_lfht_lookup(table, hash, match, key, &at);
    struct cds_lfht_node *link = cds_lfht_iter_get_node(&at);
    uint64_t value = *caa_container_of(link, struct node, link)->value;
    rcu_read_unlock();
    return value;
}

static uint64_t get_number(uint32_t key)
{
    return get_by(hash_number(key), same_number, &key);
}

static uint64_t get_text(uint32_t key)
{
    return get_by(hash_of(peer_texts[key]), same_text, peer_texts[key]);
}

// The table is left to the end of the process: emptying it needs a grace period for each node.
static void close_table(void)
{
}

const peer peers_urcu[] = {
    {"int", "rculfhash", open_number, enter, get_number, leave, close_table},
    {"text", "rculfhash", open_text, enter, get_text, leave, close_table},
    {"key", "rculfhash", open_text, enter, get_text, leave, close_table},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL},
};

#else
const peer peers_urcu[] = {{NULL, NULL, NULL, NULL, NULL, NULL, NULL}};
#endif
