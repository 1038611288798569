// SPDX-License-Identifier: MIT
// What an ELF file says about itself: how it was linked, its name, its build id and by which
// compilers. Layer: measure. The file is read piece by piece, not mapped, so one that shrinks
// meanwhile is a fault and no SIGBUS.
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

enum { ELF_NAME_MAX = 255, ELF_BUILD_ID_BYTES_MAX = 64 };

struct elf_image {
    enum elf_kind kind;
    unsigned bits;                 // 64; 32-bit files and those of the other byte order are refused
    unsigned machine;              // e_machine
    const char *arch;              // "x86_64", "aarch64" ...; "other"
    char soname[ELF_NAME_MAX + 1]; // as recorded; empty: none
    char class_name[ELF_NAME_MAX + 1];             // SONAME, else the file's name, without version
    char build_id[2 * ELF_BUILD_ID_BYTES_MAX + 1]; // hex; empty: none
    // What compilers noted in .comment and in uncompressed debug strings: sorted, once each,
    // without paths.
    char **producers;
    size_t producer_count;
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
