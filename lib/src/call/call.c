// SPDX-License-Identifier: MIT
// The hit and its release: nothing else, since every instruction here counts. Calls go from the
// shortest way that may do to longer ones, by jumps that leave the arguments in their registers:
// one number or one brief text where its hash says; brief scalars where their hash says; any
// scalars anywhere; and the slow way in function.c. The time is the last argument of all of them: a
// tick is read at once, a clock's function is called before anything else is in a register.
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
    return memory->number < cell->counter_room;
}

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

// Looks where the hash says, which is where most are.
CKI_ALWAYS_INLINE bool hit_at_home(struct cki_memory *memory, struct cki_probe *probe,
                                   cki_key_test *test, const void *key, cachekit_hit *hit)
{
    probe->memory = memory;
    probe->slots = atomic_load_explicit(&memory->slots, memory_order_acquire);
    size_t slot = probe->hash & probe->slots->mask;
    uint64_t word = atomic_load_explicit(&probe->slots->words[slot], memory_order_acquire);
    bool go_on;
    if (!cki_word_matches(word, probe->hash)) {
        return false;
    }
    struct cki_entry *entry = cki_probe_take(probe, slot, word, test, key, &go_on);
    if (entry != NULL) {
        cki_hit_pinned(hit, entry, probe->pin, CACHEKIT_LAYER_L1);
    }
    return entry != NULL;
}

// The first two pins are tried one after the other by two copies of a function: one that knows its
// pin is shorter. TAKEN: try the next.
enum outcome { HIT, TAKEN, DOUBT };

CKI_ALWAYS_INLINE enum outcome pin_of(const struct cki_memory *memory, int index,
                                      struct cki_probe *probe)
{
    probe->cell = cki_cell;
    probe->pin = &probe->cell->pins[index];
    if (!can_count(probe->cell, memory)) {
        return DOUBT;
    }
    return atomic_load_explicit(probe->pin, memory_order_relaxed) == NULL ? HIT : TAKEN;
}

typedef cachekit_status hit_way(cachekit_function *f, const cachekit_arg *args, size_t count,
                                cachekit_hit *hit, cachekit_error *error, int64_t now_ns);

static bool args_match(const struct cki_entry *entry, const void *key)
{
    return cki_args_match(entry, key);
}

CKI_NOINLINE static cachekit_status hit_any(cachekit_function *f, const cachekit_arg *args,
                                            size_t count, cachekit_hit *hit, cachekit_error *error,
                                            int64_t now_ns)
{
    struct cki_args key = {args, count, 0};
    uint64_t hash;
    if (cki_args_hash(&key, &f->seed, &hash) &&
        hit_anywhere(&f->memory, hash, now_ns, args_match, &key, hit)) {
        return CACHEKIT_OK;
    }
    return cki_call_slowly(f, args, count, hit, error);
}

struct briefs {
    const cachekit_arg *args;
    size_t count;
};

CKI_ALWAYS_INLINE bool briefs_match(const struct cki_entry *entry, const void *key)
{
    const struct briefs *briefs = key;
    return cki_briefs_match(entry, briefs->args, briefs->count);
}

// What the ways below do with a pin: one memory, one hash, one comparison each.
CKI_ALWAYS_INLINE bool try_briefs(cachekit_function *f, const cachekit_arg *args, size_t count,
                                  cachekit_hit *hit, struct cki_probe *probe)
{
    const struct briefs key = {args, count};
    return cki_briefs_hash(args, count, &f->seed, &probe->hash) &&
           hit_at_home(&f->memory, probe, briefs_match, &key, hit);
}

CKI_ALWAYS_INLINE bool try_number(cachekit_function *f, const cachekit_arg *arg, size_t one,
                                  cachekit_hit *hit, struct cki_probe *probe)
{
    (void)one;
    probe->hash = cki_number_hash(arg, f->seed.a, &f->seed);
    return hit_at_home(&f->memory, probe, cki_number_matches, arg, hit);
}

CKI_ALWAYS_INLINE bool try_text(cachekit_function *f, const cachekit_arg *arg, size_t one,
                                cachekit_hit *hit, struct cki_probe *probe)
{
    (void)one;
    probe->hash = cki_text_hash(arg, f->seed.a, &f->seed);
    return hit_at_home(&f->memory, probe, cki_text_matches, arg, hit);
}

// The ways NAME_first and NAME_second that do `try` with that pin.
#define WAYS(name, try, number)                                                                    \
    CKI_NOINLINE static cachekit_status name##_second(                                             \
        cachekit_function *f, const cachekit_arg *args, size_t count, cachekit_hit *hit,           \
        cachekit_error *error, int64_t now_ns)                                                     \
    {                                                                                              \
        struct cki_probe probe = {.now_ns = now_ns};                                               \
        if (pin_of(&f->memory, 1, &probe) == HIT && try(f, args, count, hit, &probe)) {            \
            return CACHEKIT_OK;                                                                    \
        }                                                                                          \
        return hit_any(f, args, number, hit, error, now_ns);                                       \
    }                                                                                              \
    CKI_NOINLINE static cachekit_status name##_first(                                              \
        cachekit_function *f, const cachekit_arg *args, size_t count, cachekit_hit *hit,           \
        cachekit_error *error, int64_t now_ns)                                                     \
    {                                                                                              \
        cachekit_error *const volatile kept = error;                                               \
        struct cki_probe probe = {.now_ns = now_ns};                                               \
        enum outcome pin = pin_of(&f->memory, 0, &probe);                                          \
        if (__builtin_expect(pin == TAKEN, 0)) {                                                   \
            return name##_second(f, args, number, hit, kept, now_ns);                              \
        }                                                                                          \
        if (pin == HIT && try(f, args, count, hit, &probe)) {                                      \
            return CACHEKIT_OK;                                                                    \
        }                                                                                          \
        return hit_any(f, args, number, hit, kept, now_ns);                                        \
    }

WAYS(hit_number, try_number, 1)
WAYS(hit_text, try_text, 1)
WAYS(hit_briefs, try_briefs, count)

// What a call was given, kept on the stack over the clock's call: registers that survive one cost a
// push, a move and a pop each. Filled member by member: an initialiser would be built and copied.
struct given {
    cachekit_function *f;
    const cachekit_arg *args;
    size_t count;
    cachekit_hit *hit;
    cachekit_error *error;
};

// Asks the clock's function, then goes that way.
// A function with a backend has no objects to look for; it is never given a tick.
CKI_ALWAYS_INLINE cachekit_status by_clock(cachekit_function *f, const cachekit_arg *args,
                                           size_t count, cachekit_hit *hit, cachekit_error *error,
                                           hit_way *way)
{
    volatile struct given given;
    given.f = f;
    given.args = args;
    if (!__builtin_constant_p(count)) {
        given.count = count;
    }
    given.hit = hit;
    given.error = error;
    int64_t now_ns = f->memory.now_ns(f->memory.now_context);
    return way(given.f, given.args, __builtin_constant_p(count) ? count : given.count, given.hit,
               given.error, now_ns);
}

CKI_NOINLINE static cachekit_status number_by_clock(cachekit_function *f, const cachekit_arg *args,
                                                    size_t type, cachekit_hit *hit,
                                                    cachekit_error *error)
{
    (void)type;
    return f->backed != NULL ? cki_call_slowly(f, args, 1, hit, error)
                             : by_clock(f, args, 1, hit, error, hit_number_first);
}

CKI_NOINLINE static cachekit_status text_by_clock(cachekit_function *f, const cachekit_arg *args,
                                                  size_t type, cachekit_hit *hit,
                                                  cachekit_error *error)
{
    (void)type;
    return f->backed != NULL ? cki_call_slowly(f, args, 1, hit, error)
                             : by_clock(f, args, 1, hit, error, hit_text_first);
}

CKI_NOINLINE static cachekit_status briefs_by_clock(cachekit_function *f, const cachekit_arg *args,
                                                    size_t count, cachekit_hit *hit,
                                                    cachekit_error *error)
{
    return f->backed != NULL ? cki_call_slowly(f, args, count, hit, error)
                             : by_clock(f, args, count, hit, error, hit_briefs_first);
}

CKI_NOINLINE static cachekit_status any_by_clock(cachekit_function *f, const cachekit_arg *args,
                                                 size_t count, cachekit_hit *hit,
                                                 cachekit_error *error)
{
    return f->backed != NULL ? cki_call_slowly(f, args, count, hit, error)
                             : by_clock(f, args, count, hit, error, hit_any);
}

// One number or one text is called with its type where the others have their count, which it does
// not need: the type is in that register.
CKI_ALWAYS_INLINE cachekit_status call_one(cachekit_function *f, const cachekit_arg *arg,
                                           cachekit_hit *hit, cachekit_error *error)
{
    const void *tick = f->memory.tick;
    uint32_t type = arg->type;
    if (__builtin_expect(type < CACHEKIT_ARG_STR, 1)) {
        return tick == NULL ? number_by_clock(f, arg, type, hit, error)
                            : hit_number_first(f, arg, type, hit, error, cki_tick(tick));
    }
    if (cki_is_brief_text(arg)) {
        return tick == NULL ? text_by_clock(f, arg, type, hit, error)
                            : hit_text_first(f, arg, type, hit, error, cki_tick(tick));
    }
    if (type > CACHEKIT_ARG_BYTES) {
        return cki_call_slowly(f, arg, 1, hit, error);
    }
    return tick == NULL ? any_by_clock(f, arg, 1, hit, error)
                        : hit_any(f, arg, 1, hit, error, cki_tick(tick));
}

cachekit_status cachekit_call(cachekit_function *function, const cachekit_arg *args, size_t count,
                              cachekit_hit *hit, cachekit_error *error)
{
    if (__builtin_expect(function != NULL && count == 1 && args != NULL, 1)) {
        return call_one(function, args, hit, error);
    }
    if (function == NULL || (args == NULL && count > 0)) {
        return cki_call_slowly(function, args, count, hit, error);
    }
    const void *tick = function->memory.tick;
    return tick == NULL ? briefs_by_clock(function, args, count, hit, error)
                        : hit_briefs_first(function, args, count, hit, error, cki_tick(tick));
}

static bool bytes_match(const struct cki_entry *entry, const void *context)
{
    const cachekit_slice *key = context;
    return entry->shape == cki_shape(CKI_KEY_BYTES, (uint32_t)key->len) &&
           cki_same_text(entry->key, key->data, key->len);
}

CKI_ALWAYS_INLINE bool brief_bytes_match(const struct cki_entry *entry, const void *context)
{
    const cachekit_slice *key = context;
    return entry->shape == cki_shape(CKI_KEY_BYTES, (uint32_t)key->len) &&
           cki_same_brief(entry->key, key->data, key->len);
}

CKI_NOINLINE static cachekit_status get_any(cachekit_cache *cache, cachekit_slice key,
                                            cachekit_hit *hit, int64_t now_ns)
{
    uint64_t hash = cki_key_hash(key, &cache->seed);
    return hit_anywhere(&cache->store, hash, now_ns, bytes_match, &key, hit)
               ? CACHEKIT_OK
               : cki_get_slowly(cache, key, hit);
}

CKI_ALWAYS_INLINE bool try_bytes(cachekit_cache *cache, cachekit_slice key, cachekit_hit *hit,
                                 struct cki_probe *probe)
{
    probe->hash = cki_hash_brief(key.data, key.len, cache->seed.a, &cache->seed);
    return hit_at_home(&cache->store, probe, brief_bytes_match, &key, hit);
}

CKI_NOINLINE static cachekit_status get_second(cachekit_cache *cache, cachekit_slice key,
                                               cachekit_hit *hit, int64_t now_ns)
{
    struct cki_probe probe = {.now_ns = now_ns};
    if (pin_of(&cache->store, 1, &probe) == HIT && try_bytes(cache, key, hit, &probe)) {
        return CACHEKIT_OK;
    }
    return get_any(cache, key, hit, now_ns);
}

CKI_NOINLINE static cachekit_status get_brief(cachekit_cache *cache, cachekit_slice key,
                                              cachekit_hit *hit, int64_t now_ns)
{
    struct cki_probe probe = {.now_ns = now_ns};
    enum outcome pin = pin_of(&cache->store, 0, &probe);
    if (__builtin_expect(pin == TAKEN, 0)) {
        return get_second(cache, key, hit, now_ns);
    }
    if (pin == HIT && try_bytes(cache, key, hit, &probe)) {
        return CACHEKIT_OK;
    }
    return get_any(cache, key, hit, now_ns);
}

CKI_NOINLINE static cachekit_status get_by_clock(cachekit_cache *cache, cachekit_slice key,
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
    int64_t now_ns = cache->store.now_ns(cache->store.now_context);
    cachekit_slice kept = {given.data, given.len};
    return kept.len <= CKI_BRIEF_MAX ? get_brief(given.cache, kept, given.hit, now_ns)
                                     : get_any(given.cache, kept, given.hit, now_ns);
}

cachekit_status cachekit_get(cachekit_cache *cache, cachekit_slice key, cachekit_hit *hit)
{
    if (cache == NULL || !cki_is_key(key)) {
        return cki_get_slowly(cache, key, hit);
    }
    const void *tick = cache->store.tick;
    if (tick == NULL) {
        return get_by_clock(cache, key, hit);
    }
    return key.len <= CKI_BRIEF_MAX ? get_brief(cache, key, hit, cki_tick(tick))
                                    : get_any(cache, key, hit, cki_tick(tick));
}

void cachekit_release(cachekit_hit *hit)
{
    uintptr_t grip = hit->grip;
    if (__builtin_expect((grip & CKI_GRIP_PIN) != 0, 1)) {
        hit->grip = 0;
        hit->object = NULL;
        cki_pin_release((cki_pin *)(grip - CKI_GRIP_PIN));
        return;
    }
    if (grip != 0) {
        cki_release_slowly(hit);
    }
}
