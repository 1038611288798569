// SPDX-License-Identifier: MIT
// What an ELF file says about itself: how it was linked, its name, its build id and by which
// compilers. Layer: measure. The file is read, not mapped, so one that shrinks meanwhile is a
// fault and no SIGBUS.
#ifndef CKBENCH_ELF_H
#define CKBENCH_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault.h"

enum elf_kind {
    ELF_IMAGE_OTHER,   // an object file, a core
    ELF_IMAGE_SHARED,  // a shared object
    ELF_IMAGE_DYNAMIC, // an executable with an interpreter
    ELF_IMAGE_STATIC,  // an executable without, static-pie included
};

enum { ELF_NAME_MAX = 255, ELF_BUILD_ID_BYTES_MAX = 64, ELF_PRODUCERS_MAX = 64 };

struct elf_image {
    enum elf_kind kind;
    unsigned bits;    // 32 or 64; of a 32-bit file only kind and machine are read
    unsigned machine; // e_machine: 62 is x86-64, 183 is aarch64
    const char *arch; // "x86_64", "aarch64" ...; "machine N" is not told apart: "other"
    char soname[ELF_NAME_MAX + 1];     // as recorded; empty: none
    char class_name[ELF_NAME_MAX + 1]; // SONAME without version; by the file's name without one
    char build_id[2 * ELF_BUILD_ID_BYTES_MAX + 1]; // hex; empty: none
    char **producers;      // sorted, once each, without paths; see elf_producer()
    size_t producer_count; // 0 for a stripped file
};

// Does the file start as an ELF file does? False also when it cannot be read.
bool elf_is_elf(const char *path);
// Reads the file. False: the fault names the file and the cause, and `image` is empty. Release it
// with elf_release() either way.
bool elf_read(const char *path, struct elf_image *image, struct fault *fault);
// The same on memory; `name` stands for the file.
bool elf_parse(const char *name, const void *bytes, size_t size, struct elf_image *image,
               struct fault *fault);
void elf_release(struct elf_image *image);

#endif
