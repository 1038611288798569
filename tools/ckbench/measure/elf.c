// SPDX-License-Identifier: MIT
// Only what identifies a file is read: header, program headers and the dynamic section here, notes
// and compilers' own words in elf_words.c. Structures are those of the System V ABI, of this
// machine's byte order.
#include "measure/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/elf_reading.h"
#include "measure/symbol.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#    define OUR_ORDER ELFDATA2LSB
#else
#    define OUR_ORDER ELFDATA2MSB
#endif

static const struct arch {
    unsigned machine;
    const char *name;
} arches[] = {
    {EM_X86_64, "x86_64"}, {EM_AARCH64, "aarch64"}, {EM_RISCV, "riscv64"},
    {EM_PPC64, "ppc64"},   {EM_S390, "s390x"},      {EM_MIPS, "mips"},
};

bool elf_reading_fail(struct elf_reading *reading, const char *cause)
{
    return fault_set(reading->source.fault, "%s: %s", reading->source.name, cause);
}

static bool read_header(struct elf_reading *reading)
{
    Elf64_Ehdr *header = &reading->header;
    unsigned char ident[EI_NIDENT];
    if (reading->source.size < sizeof ident) {
        return elf_reading_fail(reading, "not an ELF file; scripts can be timed, not counted");
    }
    if (!elf_source_read(&reading->source, 0, ident, sizeof ident)) {
        return false;
    }
    if (memcmp(ident, ELFMAG, SELFMAG) != 0) {
        return elf_reading_fail(reading, "not an ELF file; scripts can be timed, not counted");
    }
    if (ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != OUR_ORDER) {
        return elf_reading_fail(reading,
                                "an ELF file of another kind of machine, not 64-bit or of another "
                                "byte order");
    }
    if (!elf_source_read(&reading->source, 0, header, sizeof *header)) {
        return false;
    }
    reading->image->bits = 64;
    reading->image->machine = header->e_machine;
    reading->image->arch = "other";
    for (size_t i = 0; i < sizeof arches / sizeof *arches; i++) {
        if (arches[i].machine == header->e_machine) {
            reading->image->arch = arches[i].name;
        }
    }
    return true;
}

static bool read_segments(struct elf_reading *reading)
{
    const Elf64_Ehdr *header = &reading->header;
    if (header->e_phnum == 0 || header->e_phoff == 0) {
        return true;
    }
    if (header->e_phentsize != sizeof(Elf64_Phdr)) {
        return elf_reading_fail(reading, "program headers of a wrong size");
    }
    reading->segments = (void *)elf_source_copy(
        &reading->source, header->e_phoff, (uint64_t)header->e_phnum * sizeof *reading->segments);
    reading->segment_count = header->e_phnum;
    return reading->segments != NULL;
}

static bool read_sections(struct elf_reading *reading)
{
    const Elf64_Ehdr *header = &reading->header;
    if (header->e_shnum == 0 || header->e_shoff == 0) {
        return true;
    }
    if (header->e_shentsize != sizeof(Elf64_Shdr)) {
        return elf_reading_fail(reading, "section headers of a wrong size");
    }
    reading->sections = (void *)elf_source_copy(
        &reading->source, header->e_shoff, (uint64_t)header->e_shnum * sizeof *reading->sections);
    if (reading->sections == NULL) {
        return false;
    }
    reading->section_count = header->e_shnum;
    if (header->e_shstrndx >= reading->section_count) {
        return elf_reading_fail(reading, "no names of sections");
    }
    const Elf64_Shdr *names = &reading->sections[header->e_shstrndx];
    reading->section_names = elf_source_copy(&reading->source, names->sh_offset, names->sh_size);
    reading->section_names_size = names->sh_size;
    return reading->section_names != NULL;
}

static bool has_segment(const struct elf_reading *reading, uint32_t type)
{
    for (size_t i = 0; i < reading->segment_count; i++) {
        if (reading->segments[i].p_type == type) {
            return true;
        }
    }
    return false;
}

static bool to_offset(const struct elf_reading *reading, uint64_t address, uint64_t *offset)
{
    for (size_t i = 0; i < reading->segment_count; i++) {
        const Elf64_Phdr *segment = &reading->segments[i];
        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
            address - segment->p_vaddr < segment->p_filesz) {
            return !__builtin_add_overflow(segment->p_offset, address - segment->p_vaddr, offset);
        }
    }
    return false;
}

struct dynamic {
    uint64_t soname, strings, strings_size, flags;
    bool has_soname, has_strings;
};

static void note_entry(const Elf64_Dyn *entry, struct dynamic *dynamic)
{
    switch (entry->d_tag) {
    case DT_SONAME:
        dynamic->soname = entry->d_un.d_val;
        dynamic->has_soname = true;
        break;
    case DT_STRTAB:
        dynamic->strings = entry->d_un.d_ptr;
        dynamic->has_strings = true;
        break;
    case DT_STRSZ:
        dynamic->strings_size = entry->d_un.d_val;
        break;
    case DT_FLAGS_1:
        dynamic->flags = entry->d_un.d_val;
        break;
    default:
        break;
    }
}

static bool read_dynamic(struct elf_reading *reading, struct dynamic *dynamic)
{
    for (size_t i = 0; i < reading->segment_count; i++) {
        const Elf64_Phdr *segment = &reading->segments[i];
        if (segment->p_type != PT_DYNAMIC) {
            continue;
        }
        Elf64_Dyn *entries =
            (void *)elf_source_copy(&reading->source, segment->p_offset, segment->p_filesz);
        if (entries == NULL) {
            return false;
        }
        size_t count = (size_t)(segment->p_filesz / sizeof *entries);
        for (size_t j = 0; j < count && entries[j].d_tag != DT_NULL; j++) {
            note_entry(&entries[j], dynamic);
        }
        free(entries);
        return true;
    }
    return true;
}

static bool read_soname(struct elf_reading *reading, const struct dynamic *dynamic)
{
    uint64_t offset = 0;
    char *soname = reading->image->soname;
    if (!dynamic->has_soname || !dynamic->has_strings) {
        return true;
    }
    if (dynamic->soname >= dynamic->strings_size ||
        !to_offset(reading, dynamic->strings, &offset) ||
        __builtin_add_overflow(offset, dynamic->soname, &offset)) {
        return elf_reading_fail(reading, "a SONAME outside the file");
    }
    uint64_t len = dynamic->strings_size - dynamic->soname;
    len = len < ELF_NAME_MAX ? len : ELF_NAME_MAX;
    if (!elf_source_read(&reading->source, offset, soname, (size_t)len)) {
        return false;
    }
    soname[len] = '\0';
    return true;
}

// A position-independent executable says so by its interpreter, a static one by its flag.
static enum elf_kind kind_of(const struct elf_reading *reading, const struct dynamic *dynamic)
{
    if (reading->header.e_type == ET_EXEC) {
        return has_segment(reading, PT_INTERP) ? ELF_IMAGE_DYNAMIC : ELF_IMAGE_STATIC;
    }
    if (reading->header.e_type != ET_DYN) {
        return ELF_IMAGE_OTHER;
    }
    if (dynamic->has_soname) { // the C library has an interpreter too, to be run
        return ELF_IMAGE_SHARED;
    }
    if (has_segment(reading, PT_INTERP)) {
        return ELF_IMAGE_DYNAMIC;
    }
    return (dynamic->flags & DF_1_PIE) != 0 ? ELF_IMAGE_STATIC : ELF_IMAGE_SHARED;
}

static void set_class_name(struct elf_reading *reading)
{
    struct elf_image *image = reading->image;
    size_t len = 0;
    const char *name =
        symbol_class_of_path(image->soname[0] != '\0' ? image->soname : reading->source.name, &len);
    len = len < ELF_NAME_MAX ? len : ELF_NAME_MAX;
    memcpy(image->class_name, name, len);
    image->class_name[len] = '\0';
}

static bool read_image(struct elf_reading *reading)
{
    struct dynamic dynamic = {0};
    *reading->image = (struct elf_image){.kind = ELF_IMAGE_OTHER};
    bool ok = read_header(reading) && read_segments(reading) && read_sections(reading) &&
              read_dynamic(reading, &dynamic) && read_soname(reading, &dynamic) &&
              elf_words_read(reading);
    if (ok) {
        reading->image->kind = kind_of(reading, &dynamic);
        reading->image->producers = reading->producers.lines;
        reading->image->producer_count = reading->producers.count;
        set_class_name(reading);
    } else {
        producers_free(&reading->producers);
        *reading->image = (struct elf_image){.kind = ELF_IMAGE_OTHER};
    }
    free(reading->segments);
    free(reading->sections);
    free(reading->section_names);
    return ok;
}

bool elf_is_elf(const char *path)
{
    char magic[SELFMAG];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        return false;
    }
    struct stat about;
    bool ok = fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
              pread(fd, magic, sizeof magic, 0) == (ssize_t)sizeof magic &&
              memcmp(magic, ELFMAG, sizeof magic) == 0;
    (void)close(fd);
    return ok;
}

bool elf_read(const char *path, struct elf_image *image, struct fault *fault)
{
    struct stat about;
    bool ok = false;
    *image = (struct elf_image){.kind = ELF_IMAGE_OTHER};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &about) != 0) {
        (void)fault_set(fault, "%s: %s", path, strerror(errno));
        goto done;
    }
    if (!S_ISREG(about.st_mode)) {
        (void)fault_set(fault, "%s: not a regular file", path);
        goto done;
    }
    struct elf_reading reading = {
        .source = {.name = path, .fd = fd, .size = (uint64_t)about.st_size, .fault = fault},
        .image = image};
    ok = read_image(&reading);
done:
    if (fd >= 0) {
        (void)close(fd);
    }
    return ok;
}

bool elf_parse(const char *name, const void *bytes, size_t size, struct elf_image *image,
               struct fault *fault)
{
    struct elf_reading reading = {
        .source = {.name = name, .bytes = bytes, .fd = -1, .size = size, .fault = fault},
        .image = image};
    return read_image(&reading);
}

void elf_release(struct elf_image *image)
{
    if (image != NULL) {
        struct producers producers = {image->producers, image->producer_count, 0};
        producers_free(&producers);
        *image = (struct elf_image){.kind = ELF_IMAGE_OTHER};
    }
}
