// SPDX-License-Identifier: MIT
// The words that linker and compilers left in the file: the build id in a note, and command lines
// in .comment and the debug strings. Compressed sections are passed over, so a file that has only
// those tells its compilers' versions (.comment) and not their options.
#include <stdlib.h>
#include <string.h>

#include "measure/elf_reading.h"

static void set_build_id(struct elf_image *image, const uint8_t *bytes, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < len; i++) {
        image->build_id[2 * i] = digits[bytes[i] >> 4];
        image->build_id[2 * i + 1] = digits[bytes[i] & 15];
    }
    image->build_id[2 * len] = '\0';
}

static uint64_t align_up(uint64_t value, uint64_t align)
{
    return (value + align - 1) / align * align;
}

// Looks for the GNU build id among the notes.
static void scan_notes(struct elf_reading *reading, const uint8_t *notes, uint64_t size,
                       uint64_t align)
{
    uint64_t at = 0;
    while (size - at >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr note;
        memcpy(&note, notes + at, sizeof note);
        uint64_t name = at + sizeof note;
        uint64_t desc = align_up(name + note.n_namesz, align);
        uint64_t next = align_up(desc + note.n_descsz, align);
        if (desc > size || note.n_descsz > size - desc) {
            return;
        }
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            memcmp(notes + name, "GNU", 4) == 0 && note.n_descsz <= ELF_BUILD_ID_BYTES_MAX) {
            set_build_id(reading->image, notes + desc, note.n_descsz);
            return;
        }
        if (next > size) {
            return;
        }
        at = next;
    }
}

static bool read_notes(struct elf_reading *reading)
{
    for (size_t i = 0; i < reading->segment_count; i++) {
        const Elf64_Phdr *segment = &reading->segments[i];
        if (segment->p_type == PT_NOTE && reading->image->build_id[0] == '\0') {
            char *notes = elf_source_copy(&reading->source, segment->p_offset, segment->p_filesz);
            if (notes == NULL) {
                return false;
            }
            scan_notes(reading, (const uint8_t *)notes, segment->p_filesz,
                       segment->p_align == 8 ? 8 : 4);
            free(notes);
        }
    }
    return true;
}

static bool add_section(struct elf_reading *reading, const Elf64_Shdr *section, bool all)
{
    char *bytes = elf_source_copy(&reading->source, section->sh_offset, section->sh_size);
    if (bytes == NULL) {
        return false;
    }
    bool ok = producers_add(&reading->producers, bytes, (size_t)section->sh_size, all);
    free(bytes);
    return ok ? true : elf_reading_fail(reading, "no memory");
}

static bool read_producers(struct elf_reading *reading)
{
    static const struct {
        const char *name;
        bool all; // every string in it is a compiler's
    } wanted[] = {{".comment", true}, {".debug_str", false}, {".debug_line_str", false}};
    for (size_t i = 0; i < reading->section_count; i++) {
        const Elf64_Shdr *section = &reading->sections[i];
        if (section->sh_name >= reading->section_names_size || section->sh_type == SHT_NOBITS ||
            (section->sh_flags & SHF_COMPRESSED) != 0) {
            continue;
        }
        const char *name = reading->section_names + section->sh_name;
        for (size_t j = 0; j < sizeof wanted / sizeof *wanted; j++) {
            if (strcmp(name, wanted[j].name) == 0 &&
                !add_section(reading, section, wanted[j].all)) {
                return false;
            }
        }
    }
    producers_finish(&reading->producers);
    return true;
}

bool elf_words_read(struct elf_reading *reading)
{
    return read_notes(reading) && read_producers(reading);
}
