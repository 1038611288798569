// SPDX-License-Identifier: MIT
// Every offset and length in an ELF file is foreign; they are held against the size here, once.
#include "measure/elf_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COPY_BYTES_MAX = 1 << 30 };

static bool read_fd(const struct elf_source *source, uint64_t offset, uint8_t *out, size_t len)
{
    size_t have = 0;
    while (have < len) {
        ssize_t got = pread(source->fd, out + have, len - have, (off_t)(offset + have));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return fault_set(source->fault, "%s: %s", source->name,
                             got < 0 ? strerror(errno) : "became shorter while it was read");
        }
        have += (size_t)got;
    }
    return true;
}

bool elf_source_read(const struct elf_source *source, uint64_t offset, void *out, size_t len)
{
    if (offset > source->size || len > source->size - offset) {
        return fault_set(source->fault, "%s: cut or no sound ELF file: wants bytes behind its end",
                         source->name);
    }
    if (source->bytes == NULL) {
        return read_fd(source, offset, out, len);
    }
    if (len > 0) {
        memcpy(out, source->bytes + offset, len);
    }
    return true;
}

char *elf_source_copy(const struct elf_source *source, uint64_t offset, uint64_t len)
{
    if (len > COPY_BYTES_MAX || len > source->size) {
        (void)fault_set(source->fault, "%s: no sound ELF file: a part of %llu bytes", source->name,
                        (unsigned long long)len);
        return NULL;
    }
    char *copy = malloc((size_t)len + 1);
    if (copy == NULL) {
        (void)fault_set(source->fault, "%s: no memory", source->name);
        return NULL;
    }
    if (!elf_source_read(source, offset, copy, (size_t)len)) {
        free(copy);
        return NULL;
    }
    copy[len] = '\0';
    return copy;
}
