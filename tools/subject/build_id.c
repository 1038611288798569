// SPDX-License-Identifier: MIT
// Who answers: the identity stamped into the program, and the GNU build id read from its own
// image in memory, so that it is that of the code which runs and not of the file at its path.
#include "kit.h"

#include <elf.h>
#include <link.h>
#include <string.h>

enum { BUILD_ID_BYTES = 32 };

struct ckbench_build_id {
    char hex[2 * BUILD_ID_BYTES + 1];
};

static size_t ckbench_padded(size_t size, size_t align)
{
    return (size + align - 1) / align * align;
}

static void ckbench_read_note(struct ckbench_build_id *id, const ElfW(Nhdr) * note,
                              const unsigned char *desc)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < note->n_descsz; i++) {
        id->hex[2 * i] = digits[desc[i] >> 4];
        id->hex[2 * i + 1] = digits[desc[i] & 15];
    }
}

static void ckbench_scan_notes(struct ckbench_build_id *id, const unsigned char *at, size_t len,
                               size_t align)
{
    while (len >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        memcpy(&note, at, sizeof note);
        size_t name = sizeof note;
        size_t desc = name + ckbench_padded(note.n_namesz, align);
        size_t next = desc + ckbench_padded(note.n_descsz, align);
        if (next > len) {
            return;
        }
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof "GNU" &&
            memcmp(at + name, "GNU", sizeof "GNU") == 0 && note.n_descsz <= BUILD_ID_BYTES) {
            ckbench_read_note(id, &note, at + desc);
        }
        at += next;
        len -= next;
    }
}

// The first object is the program itself; a return value other than 0 ends the walk.
static int ckbench_scan_program(struct dl_phdr_info *info, size_t size, void *id)
{
    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_NOTE) {
            // An address in the image is a sum, not an object the compiler knows of.
            const unsigned char *at = (const unsigned char *)(info->dlpi_addr + segment->p_vaddr);
            ckbench_scan_notes(id, at, segment->p_memsz, segment->p_align == 8 ? 8 : 4);
        }
    }
    return 1;
}

static void ckbench_put_dirty(struct ckbench_line *line)
{
    uint64_t more = 0;
    ckbench_line_list_begin(line, "dirty");
    for (size_t i = 0; ckbench_stamp_dirty[i] != NULL; i++) {
        more += more > 0 || !ckbench_line_list_item(line, ckbench_stamp_dirty[i]);
    }
    ckbench_line_list_end(line);
    if (more > 0) {
        ckbench_line_number(line, "dirty_more", more);
    }
}

void ckbench_send_subject(const char *compiler)
{
    struct ckbench_build_id id = {{0}};
    struct ckbench_line line;
    (void)dl_iterate_phdr(ckbench_scan_program, &id);
    ckbench_line_begin(&line, "subject");
    ckbench_line_number(&line, "protocol", 1);
    ckbench_line_text(&line, "kit", CKBENCH_KIT_VERSION);
    ckbench_line_number(&line, "self", 1);
    ckbench_line_text(&line, "compiler",
                      ckbench_stamp_compiler ? ckbench_stamp_compiler : compiler);
    ckbench_line_text(&line, "flags", ckbench_stamp_flags);
    ckbench_line_text(&line, "commit", ckbench_stamp_commit);
    ckbench_put_dirty(&line);
    ckbench_line_text(&line, "build_id", id.hex[0] != '\0' ? id.hex : NULL);
    (void)ckbench_line_send(&line);
}
