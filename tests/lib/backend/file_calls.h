// SPDX-License-Identifier: MIT
// The system calls of the file backend, in a test's hands: counted, listed, made to fail once, to
// write short, or to be preceded by something that somebody else does. Linked in front of the C
// library by the linker's --wrap; nothing happens while `armed` is false.
#ifndef TESTS_FILE_CALLS_H
#define TESTS_FILE_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum file_call {
    CALL_MKDIR,
    CALL_OPEN,
    CALL_OPENAT,
    CALL_FSTAT,
    CALL_FSTATAT,
    CALL_FLOCK,
    CALL_READ,
    CALL_WRITEV,
    CALL_FSYNC,
    CALL_CLOSE,
    CALL_RENAMEAT,
    CALL_UNLINKAT,
    CALL_FDOPENDIR,
    CALL_READDIR,
    CALL_KINDS
};

enum { FILE_CALLS_MAX = 4096 };

struct file_calls {
    bool armed;
    int count;                          // calls since they were armed
    unsigned char list[FILE_CALLS_MAX]; // enum file_call of each
    int fail_at;                        // which one fails, -1: none
    int fail_always;                    // an enum file_call of which all fail, -1: none
    int code;                           // with this errno
    int fired;
    size_t write_max; // bytes that a writev() may write at once, 0: all
    void (*before)(int index, enum file_call call);
    int64_t wall_ns; // not 0: what CLOCK_REALTIME says, armed or not
    int64_t past_ns; // added to CLOCK_MONOTONIC, armed or not
};

extern struct file_calls file_calls;

// Starts counting, nothing failing.
void file_calls_arm(void);
// Stops, and returns the number of calls.
int file_calls_disarm(void);
int file_calls_of(enum file_call call);
const char *file_call_name(enum file_call call);

#endif
