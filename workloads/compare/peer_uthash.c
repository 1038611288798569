// SPDX-License-Identifier: MIT
// uthash as a least-recently-used cache behind a mutex: found entries go to the end.
#include "compare/peers.h"

#ifdef WITH_UTHASH

#    include <pthread.h>
#    include <stdlib.h>
#    include <uthash.h>

struct item {
    uint32_t number;
    const char *text;
    uint64_t *value;
    UT_hash_handle hh;
};

// NOLINTBEGIN: what these functions are long with is uthash's macros
static struct item *items;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool open_with(bool text)
{
    items = NULL;
    for (uint32_t i = 0; i < PEER_KEYS; i++) {
        struct item *item = calloc(1, sizeof *item);
        if (item == NULL) {
            return false;
        }
        *item = (struct item){.number = i, .text = peer_texts[i], .value = &peer_values[i]};
        if (text) {
            HASH_ADD_KEYPTR(hh, items, item->text, PEER_TEXT, item);
        } else {
            HASH_ADD(hh, items, number, sizeof item->number, item);
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

static uint64_t get_by(const void *key, size_t len)
{
    struct item *item;
    (void)pthread_mutex_lock(&lock);
    HASH_FIND(hh, items, key, len, item);
    const void *at = item->hh.key;
    HASH_DEL(items, item);
    HASH_ADD_KEYPTR(hh, items, at, len, item);
    uint64_t value = *item->value;
    (void)pthread_mutex_unlock(&lock);
    return value;
}

static uint64_t get_number(uint32_t key)
{
    return get_by(&key, sizeof key);
}

static uint64_t get_text(uint32_t key)
{
    return get_by(peer_texts[key], PEER_TEXT);
}

static void close_items(void)
{
    struct item *item, *next;
    HASH_ITER(hh, items, item, next)
    {
        HASH_DEL(items, item);
        free(item);
    }
}

// NOLINTEND

const peer peers_uthash[] = {
    {"int", "uthash LRU + mutex", open_number, NULL, get_number, NULL, close_items},
    {"text", "uthash LRU + mutex", open_text, NULL, get_text, NULL, close_items},
    {"key", "uthash LRU + mutex", open_text, NULL, get_text, NULL, close_items},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL},
};

#else
const peer peers_uthash[] = {{NULL, NULL, NULL, NULL, NULL, NULL, NULL}};
#endif
