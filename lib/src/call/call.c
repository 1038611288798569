// SPDX-License-Identifier: MIT
// The hit and its release: nothing else, since every instruction here counts. Calls go from the
// shortest way that may do to longer ones, by jumps: one number or one brief text where its hash
// says; brief scalars where their hash says; any scalars anywhere; and the slow way in function.c.
#include "call/args.h"
#include "call/cache.h"
#include "memory/hit.h"

// Not to be inlined, and to be jumped to with arguments where they are. gcc would drop an argument
// that is not used and move the others.
#if defined(__clang__)
#    define CKI_NOINLINE __attribute__((noinline))
#else
#    define CKI_NOINLINE __attribute__((noipa))
#endif

// Does this thread's cell count this memory's hits?
CKI_ALWAYS_INLINE bool can_count(const struct cki_cell *cell, const struct cki_memory *memory)
{
    return memory->number < atomic_load_explicit(&cell->counter_room, memory_order_relaxed);
}

// What a call was given, kept on the stack over the clock's call: registers that survive one cost a
// push, a move and a pop each. Filled member by member: an initialiser would be built and copied.
struct given {
    cachekit_function *f;
    const cachekit_arg *args;
    size_t count;
    cachekit_hit *hit;
    cachekit_error *error;
};

// Looks through all slots that the key may be in.
CKI_ALWAYS_INLINE bool hit_anywhere(struct cki_memory *memory, uint64_t hash, int64_t now_ns,
                                    cki_key_test *test, const void *key, cachekit_hit *hit)
{
    struct cki_cell *cell = cki_cell;
    cki_pin *pin;
    if (!can_count(cell, memory) || !cki_pin_free(cell, &pin)) {
        return false;
    }
    struct cki_slots *slots = atomic_load_explicit(&memory->slots, memory_order_acquire);
    const struct cki_probe probe = {memory, slots, cell, pin, hash, now_ns};
    struct cki_entry *entry = cki_probe_all(&probe, test, key);
    if (entry != NULL) {
        cki_hit_pinned(hit, entry, pin, CACHEKIT_LAYER_L1);
    }
    return entry != NULL;
}

// Looks where the hash says, which is where most are. A plain variable `hit` would be kept in a
// register all the way.
// NOLINTNEXTLINE(readability-function-size): inlined, so its parameters cost nothing.
CKI_ALWAYS_INLINE bool hit_at_home(struct cki_memory *memory, uint64_t hash, int64_t now_ns,
                                   cki_key_test *test, const void *key,
                                   cachekit_hit *const volatile *hit, struct cki_cell *cell,
                                   cki_pin *pin)
{
    struct cki_slots *slots = atomic_load_explicit(&memory->slots, memory_order_acquire);
    const struct cki_probe probe = {memory, slots, cell, pin, hash, now_ns};
    size_t slot = hash & slots->mask;
    uint64_t word = atomic_load_explicit(&slots->words[slot], memory_order_acquire);
    bool go_on;
    if (!cki_word_matches(word, hash) || word == 0) {
        return false;
    }
    struct cki_entry *entry = cki_probe_take(&probe, slot, word, test, key, &go_on);
    if (entry != NULL) {
        cki_hit_pinned(*hit, entry, pin, CACHEKIT_LAYER_L1);
    }
    return entry != NULL;
}

static bool args_match(const struct cki_entry *entry, const void *key)
{
    return cki_args_match(entry, key, false);
}

static bool brief_args_match(const struct cki_entry *entry, const void *key)
{
    return cki_args_match(entry, key, true);
}

CKI_NOINLINE static cachekit_status hit_any(cachekit_function *f, const cachekit_arg *args,
                                            size_t count, cachekit_hit *hit, cachekit_error *error)
{
    struct cki_args key = {args, count, 0};
    uint64_t hash;
    if (cki_args_hash(&key, f->seed, false, &hash) &&
        hit_anywhere(&f->memory, hash, cki_memory_now(&f->memory), args_match, &key, hit)) {
        return CACHEKIT_OK;
    }
    return cki_call_slowly(f, args, count, hit, error);
}

CKI_NOINLINE static cachekit_status hit_args(cachekit_function *f, const cachekit_arg *args,
                                             size_t count, cachekit_hit *hit, cachekit_error *error)
{
    volatile struct given given;
    given.f = f;
    given.args = args;
    given.count = count;
    given.hit = hit;
    given.error = error;
    int64_t now_ns = cki_memory_now(&f->memory);
    struct cki_args key = {given.args, given.count, 0};
    struct cki_cell *cell = cki_cell;
    cki_pin *pin;
    uint64_t hash;
    f = given.f;
    if (cki_args_hash(&key, f->seed, true, &hash) && can_count(cell, &f->memory) &&
        cki_pin_near(cell, &pin) &&
        hit_at_home(&f->memory, hash, now_ns, brief_args_match, &key, &given.hit, cell, pin)) {
        return CACHEKIT_OK;
    }
    return hit_any(given.f, given.args, given.count, given.hit, given.error);
}

typedef uint64_t hash_one(const cachekit_arg *arg, uint64_t seed);

CKI_ALWAYS_INLINE cachekit_status hit_one(cachekit_function *f, const cachekit_arg *arg,
                                          cachekit_hit *hit, cachekit_error *error, hash_one *hash,
                                          cki_key_test *test)
{
    volatile struct given given;
    given.f = f;
    given.args = arg;
    given.hit = hit;
    given.error = error;
    int64_t now_ns = cki_memory_now(&f->memory);
    struct cki_cell *cell = cki_cell;
    cki_pin *pin;
    f = given.f;
    if (can_count(cell, &f->memory) && cki_pin_near(cell, &pin) &&
        hit_at_home(&f->memory, hash(given.args, f->seed), now_ns, test, given.args, &given.hit,
                    cell, pin)) {
        return CACHEKIT_OK;
    }
    return hit_any(given.f, given.args, 1, given.hit, given.error);
}

// `one` is not used: with it the arguments stay in the registers they came in.
CKI_NOINLINE static cachekit_status hit_number(cachekit_function *f, const cachekit_arg *arg,
                                               size_t one, cachekit_hit *hit, cachekit_error *error)
{
    (void)one;
    return hit_one(f, arg, hit, error, cki_one_hash, cki_one_matches);
}

CKI_NOINLINE static cachekit_status hit_text(cachekit_function *f, const cachekit_arg *arg,
                                             size_t one, cachekit_hit *hit, cachekit_error *error)
{
    (void)one;
    return hit_one(f, arg, hit, error, cki_text_hash, cki_text_matches);
}

cachekit_status cachekit_call(cachekit_function *function, const cachekit_arg *args, size_t count,
                              cachekit_hit *hit, cachekit_error *error)
{
    if (__builtin_expect(function != NULL && count == 1 && args != NULL, 1)) {
        if (__builtin_expect(args->type < CACHEKIT_ARG_STR, 1)) {
            return hit_number(function, args, count, hit, error);
        }
        return cki_is_brief_text(args) ? hit_text(function, args, count, hit, error)
                                       : hit_any(function, args, count, hit, error);
    }
    if (function == NULL || (args == NULL && count > 0)) {
        return cki_call_slowly(function, args, count, hit, error);
    }
    return hit_args(function, args, count, hit, error);
}

static bool bytes_match(const struct cki_entry *entry, const void *context)
{
    const cachekit_slice *key = context;
    return entry->shape == cki_shape(CKI_KEY_BYTES, (uint32_t)key->len) &&
           cki_same_text(entry->key, key->data, key->len);
}

static bool brief_bytes_match(const struct cki_entry *entry, const void *context)
{
    const cachekit_slice *key = context;
    return entry->shape == cki_shape(CKI_KEY_BYTES, (uint32_t)key->len) &&
           cki_same_brief(entry->key, key->data, key->len);
}

CKI_NOINLINE static cachekit_status get_any(cachekit_cache *cache, cachekit_slice key,
                                            cachekit_hit *hit)
{
    int64_t now_ns = cki_memory_now(&cache->store);
    uint64_t hash = cki_hash_text(key.data, key.len, cache->seed);
    return hit_anywhere(&cache->store, hash, now_ns, bytes_match, &key, hit)
               ? CACHEKIT_OK
               : cki_get_slowly(cache, key, hit);
}

CKI_NOINLINE static cachekit_status get_brief(cachekit_cache *cache, cachekit_slice key,
                                              cachekit_hit *hit)
{
    struct {
        cachekit_cache *cache;
        const uint8_t *data;
        size_t len;
        cachekit_hit *hit;
    } volatile given;
    given.cache = cache;
    given.data = key.data;
    given.len = key.len;
    given.hit = hit;
    int64_t now_ns = cki_memory_now(&cache->store);
    struct cki_cell *cell = cki_cell;
    cki_pin *pin;
    cache = given.cache;
    cachekit_slice kept = {given.data, given.len};
    if (can_count(cell, &cache->store) && cki_pin_near(cell, &pin) &&
        hit_at_home(&cache->store, cki_hash_brief(kept.data, kept.len, cache->seed), now_ns,
                    brief_bytes_match, &kept, &given.hit, cell, pin)) {
        return CACHEKIT_OK;
    }
    return get_any(cache, kept, given.hit);
}

cachekit_status cachekit_get(cachekit_cache *cache, cachekit_slice key, cachekit_hit *hit)
{
    if (cache == NULL || !cki_is_key(key)) {
        return cki_get_slowly(cache, key, hit);
    }
    return key.len <= CKI_BRIEF_MAX ? get_brief(cache, key, hit) : get_any(cache, key, hit);
}

void cachekit_release(cachekit_hit *hit)
{
    uintptr_t grip = hit->grip;
    if ((grip & CKI_GRIP_TAGS) == 0) {
        if (grip != 0) {
            hit->grip = 0;
            hit->object = NULL;
            cki_pin_release((cki_pin *)grip);
        }
        return;
    }
    cki_release_slowly(hit);
}
