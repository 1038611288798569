// SPDX-License-Identifier: MIT
#ifndef CKBENCH_KIT_H
#define CKBENCH_KIT_H

// What the files of the kit share. Every function of the kit starts with ckbench_, static ones
// too: that prefix is how ckbench tells them from the subject's own code.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <ckbench/subject.h>

// Code inside the windows: no copies of it, no coverage counters in it.
#if defined(__clang__)
#    define CKBENCH_KEPT __attribute__((noinline, no_profile_instrument_function))
#else
#    define CKBENCH_KEPT __attribute__((noinline, noclone, no_profile_instrument_function))
#endif

enum { CKBENCH_LINE_BYTES = 4096, CKBENCH_REASON_BYTES = 160 };

enum { CKBENCH_EXIT_OK = 0, CKBENCH_EXIT_USAGE = 2, CKBENCH_EXIT_UNANSWERED = 3 };

// registry.c
const char *ckbench_registry_check(char *fault, size_t room);
struct ckbench_path *ckbench_registry_first(void);
const struct ckbench_path *ckbench_registry_find(const char *name, size_t len);
/** What ckbench_shape() and ckbench_operation() say from now on; NULL: "". */
void ckbench_choose(const char *shape, const char *operation);

// answer.c: one JSON object, built in place and written by one write call.
struct ckbench_line {
    char text[CKBENCH_LINE_BYTES];
    size_t len;
};
int ckbench_answer_open(void);
void ckbench_line_begin(struct ckbench_line *line, const char *type);
void ckbench_line_text(struct ckbench_line *line, const char *key, const char *value);
void ckbench_line_number(struct ckbench_line *line, const char *key, uint64_t value);
void ckbench_line_bool(struct ckbench_line *line, const char *key, bool value);
void ckbench_line_hex(struct ckbench_line *line, const char *key, uint64_t value);
void ckbench_line_list_begin(struct ckbench_line *line, const char *key);
bool ckbench_line_list_item(struct ckbench_line *line, const char *value);
void ckbench_line_list_number(struct ckbench_line *line, uint64_t value);
void ckbench_line_list_end(struct ckbench_line *line);
/** Returns 0, or the errno of the write. */
int ckbench_line_send(struct ckbench_line *line);
void ckbench_send_end(uint64_t lines);
/** False once a line could not be written. */
bool ckbench_is_heard(void);

// build_id.c: the subject line. guest.c: the guest line.
void ckbench_send_subject(const char *compiler);
void ckbench_send_guest(void);

// stamp_default.c, or the file that stamp.cmake generates.
extern const char *const ckbench_stamp_compiler;
extern const char *const ckbench_stamp_flags;
extern const char *const ckbench_stamp_commit;
extern const char *const ckbench_stamp_dirty[];

// count.c and child.c
enum ckbench_step {
    CKBENCH_STEP_LAYOUT,
    CKBENCH_STEP_SETUP,
    CKBENCH_STEP_CALL,
    CKBENCH_STEP_VERIFY,
    CKBENCH_STEP_TEARDOWN,
    CKBENCH_STEP_CHILDREN,
    CKBENCH_STEP_ANSWER,
};

// Shared by parent and child, so that the parent can say where a child ended.
struct ckbench_note {
    volatile uint32_t step;
    volatile uint32_t is_answered;
    volatile uint32_t failed_step;
    char reason[CKBENCH_REASON_BYTES];
};

struct ckbench_reads {
    uint64_t clock;
    uint64_t entropy;
    uint64_t pid;
};

struct ckbench_job {
    const struct ckbench_path *path;
    uint64_t layout;
    uint64_t warmup;
    uint64_t n1;
    uint64_t n2;
    bool is_pinned;
    struct ckbench_note *note;
    void *state;
    uint64_t digest;
    struct ckbench_reads before;
    struct ckbench_reads after;
};

int ckbench_count(int argc, char **argv, const char *compiler);
/** Runs the steps of one measurement, answers and ends the process. */
_Noreturn void ckbench_child(struct ckbench_job *job, pid_t parent, int go);
/** Notes why the measurement failed; the first reason stands. */
void ckbench_fail(struct ckbench_note *note, uint32_t step, const char *reason);
void ckbench_send_start(const struct ckbench_job *job, pid_t pid);
int ckbench_send_failed(const struct ckbench_job *job, pid_t pid);
void ckbench_send_exit(const struct ckbench_job *job, pid_t pid, int status, int signal);

// heap_layout.c
void ckbench_heap_layout(uint64_t layout);

// stack_pin.c: calls `run(context)` with the stack on a 64 KiB boundary.
void ckbench_stack_pin(void (*run)(void *context), void *context);

// loop.c
void ckbench_loop(void (*op)(void *), void *state, uint64_t calls);
void ckbench_windows(void *job);

// allocations.c: calls into the allocator so far, from where it was started.
bool ckbench_allocations_start(void); // false: they cannot be counted here
uint64_t ckbench_allocations(void);

// wish.c: what `time` and `phases` are asked for.
struct ckbench_wish {
    const struct ckbench_path *path;
    const char *shape, *operation;
    uint64_t calls, warmup, batches, bytes, threads, rate;
    bool is_settling, has_bytes, is_counting, can_count;
};

/** False: the request is refused, and stderr says why. Shape and operation are chosen. */
bool ckbench_wish_take(const char *request, int argc, char **argv, struct ckbench_wish *wish);
/** Path, shape, operation and pid. */
void ckbench_line_wish(struct ckbench_line *line, const struct ckbench_wish *wish);
/** Sends `failed`; how many lines that are. */
uint64_t ckbench_send_untimed(const struct ckbench_wish *wish, const char *step,
                              const char *reason);
/** False: setup returned NULL. */
bool ckbench_wish_set_up(const struct ckbench_wish *wish, void **state);
/** Runs verify; lines sent about what is wrong, 0: nothing is. */
uint64_t ckbench_wish_check(const struct ckbench_wish *wish, void *state);

// crowd.c: `batches` calls at instants of their own, by `threads` threads.
struct ckbench_bracket;
struct ckbench_crowd;
bool ckbench_crowd_open(const struct ckbench_wish *wish, struct ckbench_bracket *bracket,
                        struct ckbench_crowd **out);
/** False: fewer threads than asked for. */
bool ckbench_crowd_calls(struct ckbench_crowd *crowd);
/** Sends what each call took; how many lines. */
uint64_t ckbench_crowd_send(const struct ckbench_crowd *crowd);
void ckbench_crowd_close(struct ckbench_crowd *crowd);

// phases.c
int ckbench_phases(int argc, char **argv, const char *compiler);

// timing.c and bracket.c
struct ckbench_bracket {
    void (*op)(void *);
    void *state;
    uint64_t calls; // of a batch
    uint64_t warmup;
    uint64_t batches;
    uint64_t *samples_ns; // one for each batch; NULL: one loop of `calls`
    bool is_settling;
    bool has_peak;
    uint64_t cpu_ns, wall_ns, minor_faults, major_faults, voluntary_switches, involuntary_switches;
    uint64_t peak_kib;
    uint64_t allocations;        // 0 where they are not counted
    struct ckbench_crowd *crowd; // NULL: no threads; who makes the calls
    bool is_short;               // not all threads were to be had
};
int ckbench_time(int argc, char **argv, const char *compiler);
/** Warms up, runs the loop and fills in what it cost. */
void ckbench_bracket(void *bracket);

// terrain.c and terrain_*.c, which share terrain_parts.h
int ckbench_terrain_request(int argc, char **argv, const char *compiler);
/** Why a terrain of the program cannot be one, in `fault`; NULL: they all can. */
const char *ckbench_terrain_check(char *fault, size_t room);
/** Sends the terrains of the program and returns how many there are. */
uint64_t ckbench_list_terrains(void);

// self_paths.c
extern const char ckbench_self_prefix[];
const struct ckbench_path *ckbench_self_find(const char *name, size_t len);
bool ckbench_self_is_unpinned(const struct ckbench_path *path);

// pin_table.c
typedef void (*ckbench_any)(void);
struct ckbench_pin {
    const char *name;
    int glibc_minor; /* asked for in glibc 2.x from here on */
    void *slot;
    ckbench_any fallback;
    ckbench_any pinned;
};
extern const struct ckbench_pin ckbench_clock_pins[];
extern const struct ckbench_pin ckbench_entropy_pins[];
extern const struct ckbench_pin ckbench_pid_pins[];
extern struct ckbench_reads ckbench_read_counts;
// Constructors of shared libraries run before those of the program: whoever comes first resolves.
#define CKBENCH_READY(name)                                                                        \
    (ckbench_to_##name != NULL ? ckbench_to_##name : (ckbench_pins_resolve(), ckbench_to_##name))
// Weak, so that a static link against a C library that brings its own does not fail.
#define CKBENCH_SEEN __attribute__((weak, visibility("default")))
void ckbench_pins_resolve(void);
void ckbench_pins_start(void);
void ckbench_pin_sodium(void);

// leftovers.c
/** Ends every process that descends from this one; true when one was still alive. */
bool ckbench_end_leftovers(void);
/** A figure that grows when a child of this process has ended and was waited for. */
uint64_t ckbench_children_mark(void);

#endif
