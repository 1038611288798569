// SPDX-License-Identifier: MIT
// The beginning of an output goes to the file as it comes, its last 64 KiB through a ring: both
// ends of a long story are worth reading, the middle is not worth a disk.
#include "measure/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/proc.h"

enum {
    RING_BYTES = 64 * 1024,
    NOTE_BYTES = 128,
    HEAD_BYTES = PROC_OUTPUT_KEPT - RING_BYTES - NOTE_BYTES,
    CHUNK_BYTES = 64 * 1024,
    CHUNKS_A_CALL = 16,
};

bool sink_open(struct sink *sink, int pipe, const char *path)
{
    *sink = (struct sink){.pipe = -1, .file = -1};
    sink->ring = malloc(RING_BYTES);
    if (sink->ring == NULL) {
        return false;
    }
    sink->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (sink->file < 0) {
        int error = errno;
        free(sink->ring);
        sink->ring = NULL;
        errno = error;
        return false;
    }
    sink->pipe = pipe;
    return true;
}

// A full disk loses output, not the run: the text is for people only.
static void write_file(int file, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t done = write(file, text, length);
        if (done <= 0 && errno != EINTR) {
            return;
        }
        if (done > 0) {
            text += done;
            length -= (size_t)done;
        }
    }
}

static void take(struct sink *sink, const char *text, size_t length)
{
    if (sink->total < HEAD_BYTES) {
        size_t room = (size_t)(HEAD_BYTES - sink->total);
        size_t now = length < room ? length : room;
        write_file(sink->file, text, now);
        sink->total += (int64_t)now;
        text += now;
        length -= now;
    }
    while (length > 0) {
        size_t at = (size_t)((sink->total - HEAD_BYTES) % RING_BYTES);
        size_t now = length < RING_BYTES - at ? length : RING_BYTES - at;
        memcpy(sink->ring + at, text, now);
        sink->total += (int64_t)now;
        text += now;
        length -= now;
    }
}

bool sink_drain(struct sink *sink)
{
    char chunk[CHUNK_BYTES];
    for (int i = 0; i < CHUNKS_A_CALL && sink->pipe >= 0; i++) {
        ssize_t got = read(sink->pipe, chunk, sizeof chunk);
        if (got > 0) {
            take(sink, chunk, (size_t)got);
        } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
            (void)close(sink->pipe);
            sink->pipe = -1;
        } else {
            break;
        }
    }
    return sink->pipe >= 0;
}

static void write_end(const struct sink *sink)
{
    int64_t beyond = sink->total - HEAD_BYTES;
    if (beyond <= 0) {
        return;
    }
    if (beyond > RING_BYTES) {
        char note[NOTE_BYTES];
        int length = snprintf(note, sizeof note, "\n[%lld bytes left out]\n",
                              (long long)(beyond - RING_BYTES));
        write_file(sink->file, note, (size_t)length);
        size_t at = (size_t)(beyond % RING_BYTES);
        write_file(sink->file, sink->ring + at, RING_BYTES - at);
        write_file(sink->file, sink->ring, at);
    } else {
        write_file(sink->file, sink->ring, (size_t)beyond);
    }
}

void sink_close(struct sink *sink)
{
    if (sink->ring == NULL) {
        return;
    }
    write_end(sink);
    (void)close(sink->file);
    if (sink->pipe >= 0) {
        (void)close(sink->pipe);
    }
    free(sink->ring);
    *sink = (struct sink){.pipe = -1, .file = -1};
}
