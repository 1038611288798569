// SPDX-License-Identifier: MIT
// What one counting window executed: functions, call edges and source lines with their costs,
// summed over threads, and the counts that follow from them.
// Layer: measure. Everything here is read-only data that lives as long as the dump it came from;
// any thread may read it.
#ifndef CKBENCH_PROFILE_H
#define CKBENCH_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A mapped file that executed code, or was called from code that did.
struct profile_object {
    const char *path;       // as in the dump: the real path; "???" for code of no file
    const char *class_name; // the same on both sides: SONAME without version, or "exe"
    uint64_t self_ir;       // 0: it only appears as a caller
};

struct profile_function {
    uint32_t object;     // index into objects
    const char *name;    // cleaned of recursion, clone and version suffixes
    const char *source;  // file as in the dump; empty when unknown
    uint32_t first_line; // first line in `source` that the dump names; 0 when unknown
    uint64_t self_ir;
    uint64_t sys_count; // system calls made by it, vDSO clock reads among them (valgrind hides it)
    uint64_t calls;     // sum over incoming edges; 0 for what was running when the window opened
};

struct profile_edge {
    uint32_t caller; // indices into functions; equal for a function that calls itself
    uint32_t callee;
    uint64_t calls;
    uint64_t inclusive_ir; // counts a cycle's cost more than once
};

struct profile_line {
    uint32_t function;
    uint32_t line;
    const char *source; // differs from the function's own where code was inlined
    uint64_t self_ir;
};

// Events of the simulated caches, in callgrind's words: data reads and writes, misses of the first
// level (I1mr D1mr D1mw) and of the last (ILmr DLmr DLmw).
enum profile_cache_event {
    PROFILE_DR,
    PROFILE_DW,
    PROFILE_I1MR,
    PROFILE_D1MR,
    PROFILE_D1MW,
    PROFILE_ILMR,
    PROFILE_DLMR,
    PROFILE_DLMW,
    PROFILE_CACHE_EVENTS
};

struct profile_thread {
    uint32_t id; // valgrind's number
    uint64_t total_ir;
    uint64_t sys_count;
    uint64_t cache[PROFILE_CACHE_EVENTS]; // 0 when no cache was simulated
};

struct profile {
    const char *window; // "n1"
    uint64_t total_ir;  // never 0
    uint64_t sys_count;
    struct profile_object *objects; // sorted by class_name, path
    size_t object_count;
    struct profile_function *functions; // sorted by class_name, name, source
    size_t function_count;
    struct profile_edge *edges; // sorted by caller, callee
    size_t edge_count;
    struct profile_line *lines; // sorted by function, source, line; empty without debug information
    size_t line_count;
    struct profile_thread *threads; // sorted by id; a thread that was idle may be absent
    size_t thread_count;
};

// Which objects are the subject's own. The kit's functions never are: those that start with
// ckbench_, and the clock, entropy and pid functions of the executable.
struct own_rule {
    const char *root;         // real path of the checkout; NULL: none
    const char *const *names; // own objects besides: class name, file name or path below the root
    size_t name_count;
    bool exe;       // the executable is own wherever it lies
    bool by_source; // static subject: own are functions whose source lies under the root
};

// Does `path` lie under `root`? Nothing does when that is NULL or empty.
bool profile_is_under(const char *path, const char *root);

// Instructions of own code in the window. False: unknown, for a static subject without debug
// information; own_ir is then 0. A window in which no own code ran has 0 and is known.
bool profile_own(const struct profile *profile, const struct own_rule *rule, uint64_t *own_ir);
// Is this function own by the rule? By source when the rule says so.
bool profile_is_own(const struct profile *profile, size_t function, const struct own_rule *rule);

// Calls into the allocator's entry points from outside them: realloc(NULL) that calls malloc is
// one, operator new that calls malloc is one. free is none.
uint64_t profile_allocations(const struct profile *profile);

// Cycles as the simulated caches suggest: 1 per instruction or access served by the first level, 5
// by the last, 35 by memory. For people, never for a verdict. 0: no cache was simulated.
uint64_t profile_cycles(const struct profile *profile);

// The function's place in `other`: same object class and name, and among several of that name the
// one whose source has the same file name. SIZE_MAX: none.
size_t profile_find_match(const struct profile *profile, size_t function,
                          const struct profile *other);

// Is every call edge taken equally often per call of the path? Exact, by cross multiplication.
// Ops are the window's numbers of calls and must not be 0.
bool profile_same_edges(const struct profile *head, uint64_t head_ops, const struct profile *base,
                        uint64_t base_ops);

// Called with a C library function and the variant the dynamic linker chose for this CPU:
// "memcpy", "avx_unaligned_erms". False stops the walk.
typedef bool (*profile_ifunc_visit)(void *context, const char *root, const char *variant);
// Visits each variant that executed, sorted by root, variant. False when the visitor stopped it.
bool profile_ifuncs(const struct profile *profile, profile_ifunc_visit visit, void *context);

enum profile_input {
    PROFILE_INPUT_CLOCK,   // clock_gettime time gettimeofday ...
    PROFILE_INPUT_ENTROPY, // getrandom getentropy arc4random ...
    PROFILE_INPUT_PID,     // getpid
};
// Who reads a changing input in the window.
struct profile_reader {
    enum profile_input input;
    const char *callee; // "clock_gettime"
    const char *caller;
    uint64_t calls;
};
// Fills at most `cap` readers, most calls first, and returns how many there are. Calls by the kit
// and between readers (time calling clock_gettime) are left out.
size_t profile_readers(const struct profile *profile, struct profile_reader *out, size_t cap);

#endif
