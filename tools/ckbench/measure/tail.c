// SPDX-License-Identifier: MIT
// Only the end of the file is read, and not one byte of it reaches a terminal as it was.
#include "measure/tail.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { TEXT_MAX = 4096, LINE_MAX_SHOWN = 200, READ_MAX = 64 * 1024 };

static size_t read_end(const char *file, int64_t from, char *buffer, size_t size)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) {
        return 0;
    }
    off_t end = lseek(fd, 0, SEEK_END);
    from = end - from > (off_t)size ? end - (off_t)size : from;
    ssize_t got = end > from ? pread(fd, buffer, size, from) : 0;
    (void)close(fd);
    return got > 0 ? (size_t)got : 0;
}

// Where the last `lines` lines of `text` begin; the newline at its end counts for nothing.
static size_t last_lines(const char *text, size_t length, size_t lines)
{
    size_t from = length;
    while (from > 0 && lines > 0) {
        from--;
        if (from > 0 && text[from - 1] == '\n') {
            lines--;
        }
    }
    return from;
}

static size_t copy_clean(char *out, const char *text, size_t length)
{
    size_t used = 0;
    size_t column = 0;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        column = c == '\n' ? 0 : column + 1;
        if (column <= LINE_MAX_SHOWN) {
            out[used++] = c == '\n' || (c >= 0x20 && c <= 0x7e) ? c : '?';
        }
    }
    return used;
}

char *tail_read(const char *file, int64_t from, size_t lines)
{
    char *raw = malloc(READ_MAX);
    char *clean = malloc(READ_MAX + 1);
    char *text = NULL;
    if (raw != NULL && clean != NULL) {
        size_t length = read_end(file, from, raw, READ_MAX);
        while (length > 0 && (raw[length - 1] == '\n' || raw[length - 1] == '\r')) {
            length--;
        }
        size_t first = last_lines(raw, length, lines);
        size_t used = copy_clean(clean, raw + first, length - first);
        size_t skipped = used > TEXT_MAX ? used - TEXT_MAX : 0;
        clean[used] = '\0';
        text = used > 0 ? strdup(clean + skipped) : NULL;
    }
    free(raw);
    free(clean);
    return text;
}
