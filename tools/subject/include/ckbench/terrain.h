// SPDX-License-Identifier: MIT
#ifndef CKBENCH_TERRAIN_H
#define CKBENCH_TERRAIN_H

/**
 * Terrains: caches whose layers are measured under a load that the kit makes.
 *
 *     static const char *const layers[] = {"l1", "l2", "miss", NULL};
 *     static void *open(const struct ckbench_terrain_setup *setup) { ... }     NULL is a failure
 *     static int call(void *state, const struct ckbench_ask *ask) { ... }      who answered
 *     static int counters(void *state, uint64_t *calls) { ... }               0: filled in
 *     static void close(void *state) { ... }
 *
 *     CKBENCH_TERRAIN(mine, "memory over a server", layers, open, call, counters, close)
 *
 * Where the cache does not have what is asked for, it runs its loader, and that calls
 * ckbench_load(). The layer of such a call is the one that is named "miss".
 */

#include <ckbench/subject.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What one call asks for. */
struct ckbench_ask {
    uint64_t key;
    uint32_t value_bytes; /* of the value that the loader would make */
};

/** What a terrain is opened for. Lives until it is closed. Members are only ever appended. */
struct ckbench_terrain_setup {
    size_t size;
    /**
     * NULL: real time. Else the virtual time in ns, at least 1: the cache and whatever belongs to
     * it must live by it. Written by the one thread that calls; nothing may sleep.
     */
    int64_t *tick_ns;
    uint32_t callers; /* threads that call at the same time */
    uint64_t seed;
    uint64_t keys;    /* how many there are to be asked for; 0: not known */
    uint64_t l1_keys; /* bounds of the first layer; 0: none */
    uint64_t l1_bytes;
    int64_t ttl_ms;
    const char *name_space; /* goes before all keys that others could see */
};

/** The value of an option that is the terrain's own, NULL when it is not given. For open(). */
CKBENCH_API const char *ckbench_terrain_option(const char *name);

/** Says why open() is about to return NULL: one line, copied. */
CKBENCH_API void ckbench_terrain_refuse(const char *reason);

/**
 * Makes the value for the call under way, and takes as long as the run's law says. The bytes are
 * the kit's and stay as they are until the end of the run.
 */
CKBENCH_API const void *ckbench_load(uint64_t key, size_t *bytes);

/**
 * For layers that are simulated: how long the next question shall take, in ns, by the run's law.
 * In virtual time it has passed already, and the answer is 0.
 */
CKBENCH_API int64_t ckbench_terrain_l2_ns(void *unused);

/**
 * More that the cache knows of itself, from its opening on: for counters() to tell, whatever it
 * likes. `name` is [a-z0-9_]{1,32}; up to 16 names are kept. README.md has those that ckbench
 * reads.
 */
CKBENCH_API void ckbench_terrain_count(const char *name, uint64_t count);

/** A registered terrain. Written by the macro below only. */
struct ckbench_terrain {
    size_t size;
    const char *name;
    const char *about;
    const char *const *layers;
    void *(*open)(const struct ckbench_terrain_setup *setup);
    int (*call)(void *state, const struct ckbench_ask *ask);
    int (*counters)(void *state, uint64_t *calls);
    void (*close)(void *state);
    struct ckbench_terrain *next;
};

/** Adds `terrain`, which must live as long as the process. Called before main() by the macro. */
CKBENCH_API void ckbench_terrain_register(struct ckbench_terrain *terrain);

#ifdef __cplusplus
}
#endif

/**
 * Offers a terrain. `name` and `about` as for CKBENCH_PATH. `layers`: up to 8 names
 * ([a-z0-9-]{1,32}), ended by NULL. `call` returns the index of the layer that answered, -1 when
 * none did; it is called by several threads at once when `callers` says so. `counters` says how
 * many calls each layer has answered so far, by the cache's own books, with no call under way; may
 * be NULL, like `close`. No semicolon.
 */
#define CKBENCH_TERRAIN(name, about, layers, open, call, counters, close)                          \
    static struct ckbench_terrain ckbench_terrain_##name = {                                       \
        sizeof(struct ckbench_terrain), #name, about, layers, open, call, counters, close, NULL};  \
    __attribute__((constructor)) static void ckbench_enter_terrain_##name(void)                    \
    {                                                                                              \
        ckbench_terrain_register(&ckbench_terrain_##name);                                         \
    }

#endif
