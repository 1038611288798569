// SPDX-License-Identifier: MIT
// Compares two trees side by side, with a stack of what is left to compare on each level.
#include <cachekit/value.h>

#include <string.h>

struct level {
    const cachekit_value *a;
    const cachekit_value *b;
    size_t left; // nodes
};

// Whether two nodes agree in all but their children.
static bool same_node(const cachekit_value *a, const cachekit_value *b)
{
    if (a->type != b->type || a->type > CACHEKIT_TIME) {
        return false;
    }
    switch (a->type) {
    case CACHEKIT_NIL:
        return true;
    case CACHEKIT_BOOL:
        return a->as.boolean == b->as.boolean;
    case CACHEKIT_ARRAY:
    case CACHEKIT_MAP:
        return a->len == b->len;
    case CACHEKIT_INT:
    case CACHEKIT_UINT:
    case CACHEKIT_FLOAT:
        return memcmp(&a->as.u64, &b->as.u64, sizeof a->as.u64) == 0;
    default:
        return a->len == b->len && (a->len == 0 || memcmp(a->as.text, b->as.text, a->len) == 0);
    }
}

static bool is_collection(const cachekit_value *value)
{
    return value->type == CACHEKIT_ARRAY || value->type == CACHEKIT_MAP;
}

bool cachekit_value_equal(const cachekit_value *a, const cachekit_value *b)
{
    struct level levels[CACHEKIT_VALUE_DEPTH_MAX + 1];
    size_t depth = 0; // of levels[depth]
    levels[0] = (struct level){a, b, 1};
    for (;;) {
        struct level *level = &levels[depth];
        if (level->left == 0) {
            if (depth == 0) {
                return true;
            }
            depth--;
            continue;
        }
        a = level->a++;
        b = level->b++;
        level->left--;
        if (!same_node(a, b)) {
            return false;
        }
        if (is_collection(a)) {
            if (depth == CACHEKIT_VALUE_DEPTH_MAX) {
                return false;
            }
            size_t slots = a->type == CACHEKIT_MAP ? 2 * (size_t)a->len : a->len;
            levels[++depth] = (struct level){a->as.items, b->as.items, slots};
        }
    }
}
