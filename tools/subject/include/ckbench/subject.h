// SPDX-License-Identifier: MIT
#ifndef CKBENCH_SUBJECT_H
#define CKBENCH_SUBJECT_H

/**
 * The subject kit: turns C functions into a program that ckbench can measure.
 *
 *     static void *setup(void) { ... }          once per measurement, not counted
 *     static void op(void *state) { ... }       the measured call
 *     static int verify(void *state) { ... }    0: the call did what its name says
 *     static void teardown(void *state) { ... }
 *
 *     CKBENCH_PATH(parse_small, "parse a 1 KB message", setup, op, verify, teardown)
 *     CKBENCH_MAIN
 *
 * C11 and C++11. Link with `ckbench::subject`. Any number of files may hold paths; one of them
 * holds CKBENCH_MAIN. A file that sits in a static library of your own is linked only when
 * something refers to it, so its paths would not be there: put paths into the program itself.
 */

#include <stddef.h>
#include <stdint.h>

/* Shared libraries with paths in them find these functions in the program. */
#define CKBENCH_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/** One named step of a path, run by itself on the path's own state. */
struct ckbench_phase {
    const char *name; /* [a-z0-9-]{1,32} */
    void (*run)(void *state);
};

/**
 * What a path can offer beyond its four functions. Zero in any member means "does not offer it".
 * Members are only ever appended.
 */
struct ckbench_extra {
    /** Names of inputs, ended by NULL; setup() asks ckbench_shape() which one is meant. */
    const char *const *shapes;
    /** Names of operations, ended by NULL; setup() asks ckbench_operation(). */
    const char *const *operations;
    /**
     * Steps of one call in their order, ended by a NULL name. All of them, run one after the other
     * on the state, are one call: what op() does.
     */
    const struct ckbench_phase *phases;
    /** A setup() for an input of `bytes` bytes, for sweeps over sizes. */
    void *(*setup_bytes)(uint64_t bytes);
    /** A digest of what the last call put out, taken after the counted calls, before verify(). */
    uint64_t (*digest)(void *state);
    /** Not 0: several threads may call op() on one state at the same time. */
    int threads;
    /**
     * Where the last run of phase number `phase` read and wrote: the beginnings of its two buffers,
     * which may be gone by now; what is left alone is NULL. Called between phases, never timed.
     */
    void (*phase_buffers)(void *state, size_t phase, const void **from, const void **to);
};

/** A registered path. Written by the macros below only. */
struct ckbench_path {
    size_t size;
    const char *name;
    const char *about;
    void *(*setup)(void);
    void (*op)(void *state);
    int (*verify)(void *state);
    void (*teardown)(void *state);
    const struct ckbench_extra *extra;
    struct ckbench_path *next;
};

/** The shape that is asked for, "" when none is. Valid for the life of the process. */
CKBENCH_API const char *ckbench_shape(void);

/** The operation that is asked for, "" when none is. Valid for the life of the process. */
CKBENCH_API const char *ckbench_operation(void);

/** Adds `path`, which must live as long as the process. Called before main() by the macros. */
CKBENCH_API void ckbench_register(struct ckbench_path *path);

/**
 * Reads the request in `argv`, answers it and returns the exit status of the program. `compiler`
 * names the compiler of the program. Called by CKBENCH_MAIN; a program with a main() of its own
 * calls it as `return ckbench_main(argc, argv, CKBENCH_COMPILER);` with one thread running.
 */
int ckbench_main(int argc, char **argv, const char *compiler);

#ifdef __cplusplus
}
#endif

#define CKBENCH_TEXT_(x) #x
#define CKBENCH_TEXT(x)  CKBENCH_TEXT_(x)
#if defined(__clang__)
#    define CKBENCH_COMPILER                                                                       \
        "clang " CKBENCH_TEXT(__clang_major__) "." CKBENCH_TEXT(__clang_minor__) "." CKBENCH_TEXT( \
            __clang_patchlevel__)
#elif defined(__GNUC__)
#    define CKBENCH_COMPILER                                                                       \
        "gcc " CKBENCH_TEXT(__GNUC__) "." CKBENCH_TEXT(__GNUC_MINOR__) "." CKBENCH_TEXT(           \
            __GNUC_PATCHLEVEL__)
#else
#    define CKBENCH_COMPILER "unknown"
#endif

/**
 * Offers a path. `name` is written without quotes, [a-z0-9_]{1,64}, unique in the program;
 * `about` is one line of at most 200 bytes. `setup` returns the state of the calls, NULL is a
 * failure; NULL instead of a setup means that calls need no state. `op` is the measured call.
 * `verify` and `teardown` may be NULL, but a path without `verify` proves nothing. No semicolon.
 */
#define CKBENCH_PATH(name, about, setup, op, verify, teardown)                                     \
    CKBENCH_PATH_(#name, ckbench_path_##name, ckbench_register_##name, about, setup, op, verify,   \
                  teardown, NULL)

/** The same with a `const struct ckbench_extra *` that lives as long as the process. */
#define CKBENCH_PATH_EX(name, about, setup, op, verify, teardown, extra)                           \
    CKBENCH_PATH_(#name, ckbench_path_##name, ckbench_register_##name, about, setup, op, verify,   \
                  teardown, extra)

#define CKBENCH_PATH_(text, path, enter, about, setup, op, verify, teardown, extra)                \
    static struct ckbench_path path = {                                                            \
        sizeof(struct ckbench_path), text, about, setup, op, verify, teardown, extra, NULL};       \
    __attribute__((constructor)) static void enter(void)                                           \
    {                                                                                              \
        ckbench_register(&path);                                                                   \
    }

/** The program's main(). Once per program, no semicolon. */
#define CKBENCH_MAIN                                                                               \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        return ckbench_main(argc, argv, CKBENCH_COMPILER);                                         \
    }

#endif
