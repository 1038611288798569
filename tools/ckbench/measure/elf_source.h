// SPDX-License-Identifier: MIT
// Bounded access to the bytes of an ELF file, in memory or on disk. Layer: measure; private to the
// reader of ELF files.
#ifndef CKBENCH_ELF_SOURCE_H
#define CKBENCH_ELF_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault.h"

struct elf_source {
    const char *name;
    const uint8_t *bytes; // NULL: read from fd
    int fd;
    uint64_t size;
    struct fault *fault;
};

// Copies len bytes at offset to `out`. False: not all of them are there, with the fault filled.
bool elf_source_read(const struct elf_source *source, uint64_t offset, void *out, size_t len);
// The same into fresh memory, with a NUL behind; the caller's to free(). NULL: failed.
char *elf_source_copy(const struct elf_source *source, uint64_t offset, uint64_t len);

#endif
