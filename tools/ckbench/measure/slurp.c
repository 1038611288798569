// SPDX-License-Identifier: MIT
// Read, not mapped: a file that is cut while it is mapped kills the reader by SIGBUS.
#include "measure/slurp.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Reads until `size` bytes are there and one more is not.
static bool read_all(int fd, char *bytes, size_t size, const char **cause)
{
    size_t have = 0;
    while (have <= size) {
        ssize_t got = read(fd, bytes + have, size + 1 - have);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            *cause = strerror(errno);
            return false;
        }
        if (got == 0) {
            break;
        }
        have += (size_t)got;
    }
    if (have != size) {
        *cause = "changed while it was read";
        return false;
    }
    bytes[size] = '\0';
    return true;
}

bool slurp_file(const char *path, size_t bytes_max, char **bytes, size_t *size, struct fault *fault)
{
    bool ok = false;
    const char *cause = NULL;
    char *block = NULL;
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &about) != 0) {
        cause = strerror(errno);
        goto done;
    }
    if (!S_ISREG(about.st_mode)) {
        cause = "not a regular file";
        goto done;
    }
    if ((uintmax_t)about.st_size > bytes_max || (uintmax_t)about.st_size >= SIZE_MAX) {
        cause = "too large";
        goto done;
    }
    block = malloc((size_t)about.st_size + 1);
    if (block == NULL) {
        cause = "no memory";
        goto done;
    }
    if (!read_all(fd, block, (size_t)about.st_size, &cause)) {
        goto done;
    }
    *bytes = block;
    *size = (size_t)about.st_size;
    block = NULL;
    ok = true;
done:
    if (fd >= 0) {
        (void)close(fd);
    }
    free(block);
    return ok ? true : fault_set(fault, "%s: %s", path, cause);
}
