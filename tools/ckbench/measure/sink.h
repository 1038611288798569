// SPDX-License-Identifier: MIT
// What a child prints, kept within bounds. Layer: measure, for proc.c.
#ifndef CKBENCH_SINK_H
#define CKBENCH_SINK_H

#include <stdbool.h>
#include <stdint.h>

struct sink {
    int pipe; // the read end, non-blocking; -1 once it is closed
    int file;
    int64_t total; // bytes read so far
    char *ring;    // the last bytes that did not go into the file at once
};

// Takes over `pipe` and makes `path` afresh. False with errno set; then `pipe` is still the
// caller's.
bool sink_open(struct sink *sink, int pipe, const char *path);

// Reads what is there, at most 1 MiB a call. Beginning and end of the output reach the file, never
// more than PROC_OUTPUT_KEPT together. False once the pipe is at its end.
bool sink_drain(struct sink *sink);

// Writes the end of a long output after its beginning and closes everything. Callable twice.
void sink_close(struct sink *sink);

#endif
