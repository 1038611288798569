// SPDX-License-Identifier: MIT
// What the files of count_run.h share. Layer: measure; nobody else includes it.
#ifndef CKBENCH_COUNT_INSIDE_H
#define CKBENCH_COUNT_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "fault.h"
#include "measure/answers.h"
#include "measure/count_run.h"
#include "measure/proc.h"

struct count_unit {
    struct count_plan *plan;
    char *label;
    const struct subject *subject;
    struct count_settings settings;
    struct count_result *results;
    size_t size;
    size_t room;
    bool ran;
    int processes;
    char cpuid[2 * 64 + 1];
};

struct count_plan {
    const struct scratch *scratch;
    const struct valgrind *valgrind;
    char *dir;
    int serial; // of the next process's directory
    struct count_unit **units;
    size_t unit_count;
    struct attempt *attempts; // queued or running
    // While count_run runs:
    struct proc_pool *pool;
    int64_t timeout_ms;
    uint64_t data_bytes; // for each process
    count_progress progress;
    void *progress_context;
    size_t settled;
    size_t total;
};

// One valgrind process over some of a unit's requests, in their order.
struct attempt {
    struct attempt *next;
    struct count_unit *unit;
    size_t *indices;
    size_t *again; // room for as many, for those that must run once more
    size_t size;
    size_t position; // of the request that is running or due
    bool running;    // its `start` was read
    bool counted;    // its `counted` was read
    bool introduced;
    bool broken;   // the protocol is: `why` says how
    bool apart;    // nobody is to blame yet: each path must run alone
    bool hopeless; // and another attempt would be no better
    struct fault why;
    int64_t err_from; // where the stderr of the running request begins
    char *dir;
    char *dump_dir;
    char *work_dir;
    char *out_path;
    char *err_path;
    char *exe;
    char **argv;
    struct valgrind_command command;
    struct answer_stream stream;
    struct answer answer;
};

// count_attempt.c

// Queues a process for the results `indices` of `unit`, which are copied.
bool attempt_queue(struct count_unit *unit, const size_t *indices, size_t size,
                   struct fault *fault);

// Removes the files of a process but for the dumps.
void attempt_free(struct attempt *attempt);

// count_listen.c: the on_line of a process.
enum proc_word attempt_hear(void *context, const char *line, size_t length);

// The request that is running or due, NULL after the last.
struct count_result *attempt_current(const struct attempt *attempt);

// count_judge.c: the on_end of a process; may queue others.
void attempt_end(void *context, const struct proc_result *result);
bool attempt_is_single_path(const struct attempt *attempt);

// count_evidence.c: what the files of a process say.

// How many files in the dump directory belong to no request of it, nor to its own process `main`.
size_t evidence_strays(const struct attempt *attempt, pid_t main);

// The result's dump when it is whole, else NULL with the fault filled. The caller frees it.
char *evidence_dump(const struct attempt *attempt, pid_t pid, struct fault *fault);

// Where the log says that a process died and, for SIGILL, of which bytes: " at ..." or "".
void evidence_death(const struct attempt *attempt, pid_t pid, char *text, size_t size);

// Why a process that ended by itself could not leave its counts: "; ..." or "".
const char *evidence_unwritten(const struct attempt *attempt, pid_t pid);

// The last lines of what the process wrote to stderr from `from` on and of the log of `pid`, 20
// together. NULL: neither said anything.
char *evidence_tail(const struct attempt *attempt, pid_t pid, int64_t from);

// Fills state, step and reason of a result that is not counted.
__attribute__((format(printf, 4, 5))) void result_fail(struct count_result *result,
                                                       enum count_state state, const char *step,
                                                       const char *format, ...);

// Makes a result as if it had not been run.
void result_clear(struct count_result *result);

#endif
