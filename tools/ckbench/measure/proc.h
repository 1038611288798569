// SPDX-License-Identifier: MIT
// Children under supervision. Layer: measure.
// Each child runs below a keeper, a forked copy of ckbench that is the subreaper of everything the
// child starts: so the descendants of one child are told from those of another, whatever session
// they move to, and they die with the child, with the keeper and with ckbench, however each of them
// ends. A process that uses this module must have no other children while a pool runs.
#ifndef CKBENCH_PROC_H
#define CKBENCH_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "fault.h"

enum {
    PROC_LINE_MAX = 4096,           // bytes of one answer line, its newline included
    PROC_OUTPUT_KEPT = 1024 * 1024, // bytes of stdout, and of stderr, that reach the files
    PROC_OUTPUT_MAX = 64 << 20,     // bytes of either after which a child is ended
    PROC_ANSWERS_FD = 3,            // where the child finds its answer pipe
    PROC_OPEN_FILES = 1024,         // its RLIMIT_NOFILE: fixed, because programs adapt to it
};

// What to start. All strings and arrays are the caller's and must live until on_end has returned.
struct proc_spec {
    const char *const *argv;      // NULL-terminated; argv[0] is a path, never looked up in PATH
    const char *const *env;       // NULL-terminated; the whole environment, nothing is added
    const char *dir;              // working directory
    const char *out_path;         // file for stdout, made afresh
    const char *err_path;         // file for stderr
    int64_t timeout_ms;           // silence after which the child is ended; 0: never
    uint64_t address_space_bytes; // RLIMIT_AS; 0: as ckbench's own
    uint64_t data_bytes;          // RLIMIT_DATA: what it may fill with its own; 0: as ckbench's own
    bool is_asked_to_end; // the first interrupt is SIGTERM to it, and it is heard to its end
};

// What became of a child. Exactly one per child; all but the first two mean that ckbench ended it
// or could not start it.
enum proc_end {
    PROC_EXITED,      // `status` is its exit status
    PROC_SIGNALLED,   // `signal` killed it, and it was not ours
    PROC_NOT_STARTED, // `error` is the errno of execve or of what came before
    PROC_TIMED_OUT,   // silent for timeout_ms
    PROC_TALKED,      // wrote more than PROC_OUTPUT_MAX to stdout or stderr
    PROC_BAD_LINE,    // an answer line longer than PROC_LINE_MAX, or cut at the end
    PROC_STOPPED,     // on_line said PROC_STOP
    PROC_INTERRUPTED, // ckbench was
    PROC_LOST,        // its keeper was killed from outside
};

// The whole process, start-up included, as its parent sees it.
struct proc_whole {
    int64_t cpu_us;
    int64_t minor_faults;
    int64_t major_faults;
    int64_t voluntary_switches;
    int64_t involuntary_switches;
    int64_t peak_rss_kib; // never below what the spawner's own peak was
    int64_t spawner_peak_rss_kib;
};

struct proc_result {
    enum proc_end end;
    int status;
    int signal;
    int error;
    int survivors; // descendants that were alive when the child had ended by itself; they are dead
                   // now
    pid_t pid;
    int64_t wall_ms;
    int64_t timeout_ms; // the spec's
    size_t line_count;
    struct proc_whole whole; // PROC_EXITED, PROC_SIGNALLED
};

// What to do after an answer line.
enum proc_word {
    PROC_GO_ON,
    PROC_FRESH, // go on, with a fresh timeout_ms
    PROC_STOP,  // end the child
};

// One child and who listens to it. `on_line` gets one line without its newline, not terminated.
// `on_end` is called once, after all of the child's lines and after its last descendant is dead;
// it may add further tasks to the pool. Either may be NULL.
struct proc_task {
    struct proc_spec spec;
    enum proc_word (*on_line)(void *context, const char *line, size_t length);
    void (*on_end)(void *context, const struct proc_result *result);
    void *context;
};

struct proc_pool;

// A pool that runs at most `concurrent` children at once. NULL: out of memory.
struct proc_pool *proc_pool_new(size_t concurrent);

// Queues a task, which is copied. Tasks start in the order in which they were added.
bool proc_pool_add(struct proc_pool *pool, const struct proc_task *task, struct fault *fault);

// Runs until no task is left. False when interrupted, or when the system gives no process, pipe
// or memory: then every child has been ended (on_end said so), and queued tasks were dropped
// without a call.
bool proc_pool_run(struct proc_pool *pool, struct fault *fault);

// Ends what still runs. NULL allowed.
void proc_pool_free(struct proc_pool *pool);

// Runs one child to its end. False only as proc_pool_run; a child that fails is a result.
bool proc_run(const struct proc_task *task, struct proc_result *result, struct fault *fault);

// "ended with exit status 2", "was killed by SIGSEGV" ...: goes after the child's name in a fault.
const char *proc_end_text(const struct proc_result *result, char *buffer, size_t size);

// "SIGILL" for 4; "signal 63" where there is no name.
const char *proc_signal_text(int signal, char *buffer, size_t size);

#endif
