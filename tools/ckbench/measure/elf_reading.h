// SPDX-License-Identifier: MIT
// An ELF file that is being read, shared by the files of the reader. Layer: measure, private.
#ifndef CKBENCH_ELF_READING_H
#define CKBENCH_ELF_READING_H

#include <elf.h>

#include "measure/elf.h"
#include "measure/elf_source.h"
#include "measure/producers.h"

// The file being read, with its tables.
struct elf_reading {
    struct elf_source source;
    struct elf_image *image;
    Elf64_Ehdr header;
    Elf64_Phdr *segments;
    size_t segment_count;
    Elf64_Shdr *sections;
    size_t section_count;
    char *section_names;
    uint64_t section_names_size;
    struct producers producers;
};

bool elf_reading_fail(struct elf_reading *reading, const char *cause);
// Finds the build id in the notes, and the producers.
bool elf_words_read(struct elf_reading *reading);

#endif
