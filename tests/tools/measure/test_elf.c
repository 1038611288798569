// SPDX-License-Identifier: MIT
// ELF files whose names, ids and kinds the build chose, readelf's word on the C library, and every
// way a file can be cut.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <dlfcn.h>
#include <elf.h>
#include <gnu/libc-version.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "callgrind_sample.h"
#include "measure/elf.h"
#include "measure/objects.h"
#include "measure/producers.h"

static struct elf_image read_elf(const char *path)
{
    struct elf_image image;
    struct fault fault = {""};
    cr_assert(elf_read(path, &image, &fault), "%s", fault.text);
    return image;
}

static char *read_bytes(const char *path, size_t *size)
{
    char *bytes = NULL;
    struct fault fault = {""};
    cr_assert(slurp_file(path, 64 << 20, &bytes, size, &fault), "%s", fault.text);
    return bytes;
}

Test(elf, a_shared_object_tells_its_name_id_and_machine)
{
    struct utsname host;
    struct elf_image image = read_elf(FIXTURE_SHARED);
    cr_assert(eq(int, uname(&host), 0));
    cr_assert(image.kind == ELF_IMAGE_SHARED);
    cr_assert(image.bits == 64);
    sample_same(image.arch, host.machine);
    sample_same(image.soname, "libfixture.so.3.1");
    sample_same(image.class_name, "libfixture.so");
    sample_same(image.build_id, "00112233445566778899aabbccddeeff");
    elf_release(&image);
}

Test(elf, executables_are_dynamic_or_static_by_their_interpreter)
{
    static const struct {
        const char *path;
        enum elf_kind kind;
    } files[] = {{FIXTURE_BASE, ELF_IMAGE_DYNAMIC},
                 {FIXTURE_STATIC, ELF_IMAGE_STATIC},
                 {FIXTURE_STATIC_PIE, ELF_IMAGE_STATIC},
                 {FIXTURE_STRIPPED, ELF_IMAGE_SHARED},
                 {"/proc/self/exe", ELF_IMAGE_DYNAMIC}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct elf_image image = read_elf(files[i].path);
        cr_assert(image.kind == files[i].kind, "%s is %d", files[i].path, image.kind);
        elf_release(&image);
    }
}

// The first word behind `mark` in what a command prints.
static void word_of(const char *command, const char *mark, char *word, size_t size)
{
    char line[512];
    FILE *output = popen(command, "r");
    cr_assert(output != NULL);
    word[0] = '\0';
    while (fgets(line, sizeof line, output) != NULL) {
        char *at = strstr(line, mark);
        if (at != NULL && word[0] == '\0') {
            at += strlen(mark);
            at[strcspn(at, "]\n")] = '\0';
            (void)snprintf(word, size, "%s", at);
        }
    }
    cr_assert(eq(int, pclose(output), 0));
}

Test(elf, readelf_says_the_same_of_the_c_library)
{
    Dl_info where;
    char command[512];
    char word[256];
    cr_assert(ne(int, dladdr((void *)(uintptr_t)&gnu_get_libc_version, &where), 0));
    struct elf_image image = read_elf(where.dli_fname);
    cr_assert(image.kind == ELF_IMAGE_SHARED); // although it has an interpreter
    (void)snprintf(command, sizeof command, "LC_ALL=C readelf -n %s", where.dli_fname);
    word_of(command, "Build ID: ", word, sizeof word);
    sample_same(image.build_id, word);
    (void)snprintf(command, sizeof command, "LC_ALL=C readelf -d %s", where.dli_fname);
    word_of(command, "Library soname: [", word, sizeof word);
    sample_same(image.soname, word);
    sample_same(image.class_name, "libc.so");
    elf_release(&image);
}

Test(elf, compilers_are_told_by_what_they_left)
{
    struct elf_image full = read_elf(FIXTURE_SHARED);
    struct elf_image compressed = read_elf(FIXTURE_COMPRESSED);
    struct elf_image stripped = read_elf(FIXTURE_STRIPPED);
    size_t with_options = 0;
    for (size_t i = 0; i < full.producer_count; i++) {
        const char *line = full.producers[i];
        cr_assert(strchr(line, '/') == NULL, "%s", line);
        cr_assert(i == 0 || strcmp(full.producers[i - 1], line) < 0);
        with_options += strncmp(line, "GNU C", 5) == 0 || strstr(line, "clang") != NULL ? 1 : 0;
    }
    cr_assert(ge(sz, with_options, 1));
    // Compression hides the debug strings, not .comment.
    cr_assert(ge(sz, compressed.producer_count, 1));
    cr_assert(lt(sz, compressed.producer_count, full.producer_count + 1));
    for (size_t i = 0; i < compressed.producer_count; i++) {
        cr_assert(strncmp(compressed.producers[i], "GNU C", 5) != 0);
    }
    cr_assert(eq(sz, stripped.producer_count, 0));
    sample_same(stripped.build_id, "00112233445566778899aabbccddeeff");
    elf_release(&full);
    elf_release(&compressed);
    elf_release(&stripped);
}

Test(elf, options_that_name_places_are_dropped)
{
    static const struct {
        const char *text, *kept; // NULL: no compiler's words
    } rows[] = {
        {"GNU C11 12.2.0 -mtune=generic -g -O2 -std=c11",
         "GNU C11 12.2.0 -mtune=generic -g -O2 -std=c11"},
        {"GNU C17 12.2.0 -ffile-prefix-map=/a/b=. -O2", "GNU C17 12.2.0 -O2"},
        {"GNU C17 12.2.0 -fdebug-prefix-map=x=y -O3", "GNU C17 12.2.0 -O3"},
        {"GNU C17 12.2.0 -I /a -I/b -Isub -O3", "GNU C17 12.2.0 -O3"},
        {"GNU C17 12.2.0 -DNDEBUG -DP=/a/b -DQ=\"x\" -O1", "GNU C17 12.2.0 -DNDEBUG -DQ=\"x\" -O1"},
        {"GNU C++17 12.2.0  -O2   -isystem /usr/x -g", "GNU C++17 12.2.0 -O2 -g"},
        {"Debian clang version 14.0.6", "Debian clang version 14.0.6"},
        {"clang version 15 -o a.o -main-file-name a.c -O2", "clang version 15 -O2"},
        {"clang LLVM (rustc version 1.63.0)", "clang LLVM (rustc version 1.63.0)"},
        {"GNU AS 2.40", "GNU AS 2.40"},
        {"GNU General Public License", NULL},
        {"a GNU C11", NULL},
        {"clang_getCursor", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct producers producers = {0};
        cr_assert(producers_add(&producers, rows[i].text, strlen(rows[i].text), false));
        cr_assert(eq(sz, producers.count, rows[i].kept != NULL ? 1 : 0));
        if (rows[i].kept != NULL) {
            sample_same(producers.lines[0], rows[i].kept);
        }
        producers_free(&producers);
    }
}

Test(elf, producers_are_sorted_and_once_each)
{
    static const char bytes[] = "GNU C b\0x\0GNU C a -I/p\0\0GNU C b\0GNU C a -I/q";
    struct producers producers = {0};
    cr_assert(producers_add(&producers, bytes, sizeof bytes - 1, false));
    producers_finish(&producers);
    cr_assert(eq(sz, producers.count, 2));
    sample_same(producers.lines[0], "GNU C a");
    sample_same(producers.lines[1], "GNU C b");
    producers_free(&producers);
}

// Parses the first `len` bytes, in a block of their own so that reading on is seen.
static bool parse_prefix(const char *bytes, size_t len)
{
    struct elf_image image;
    struct fault fault = {""};
    char *exact = malloc(len > 0 ? len : 1);
    cr_assert(exact != NULL);
    memcpy(exact, bytes, len);
    bool ok = elf_parse("cut", exact, len, &image, &fault);
    cr_assert(ok == (fault.text[0] == '\0'));
    cr_assert(ok || image.producers == NULL);
    elf_release(&image);
    free(exact);
    return ok;
}

Test(elf, no_truncation_of_a_file_is_a_file)
{
    static const struct {
        const char *path;
        size_t step;
    } files[] = {{FIXTURE_STRIPPED, 1}, {FIXTURE_SHARED, 61}};
    for (size_t i = 0; i < 2; i++) {
        size_t size = 0;
        char *bytes = read_bytes(files[i].path, &size);
        cr_assert(parse_prefix(bytes, size));
        for (size_t len = 0; len < size; len += files[i].step) {
            cr_assert(not(parse_prefix(bytes, len)), "%zu of %s", len, files[i].path);
        }
        free(bytes);
    }
}

Test(elf, a_damaged_file_is_read_or_refused)
{
    uint64_t seed = 88172645463325252u;
    size_t size = 0;
    char *bytes = read_bytes(FIXTURE_SHARED, &size);
    for (int i = 0; i < 3000; i++) {
        char kept[8];
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        // Half of the damage goes to the headers, a quarter to the section table at the end.
        size_t span = i % 4 == 0 ? size - 8 : 1024;
        size_t at = i % 4 == 1 ? size - 8 - (size_t)(seed % 1024) : (size_t)(seed % span);
        memcpy(kept, bytes + at, sizeof kept);
        memcpy(bytes + at, &seed, 1u << (seed >> 62));
        (void)parse_prefix(bytes, size);
        memcpy(bytes + at, kept, sizeof kept);
    }
    free(bytes);
}

Test(elf, what_is_no_elf_file_of_ours_is_refused_by_name)
{
    struct elf_image image;
    struct fault fault = {""};
    static const struct {
        const char *path, *cause;
    } paths[] = {{"/nowhere/lib.so", "/nowhere/lib.so: No such file"},
                 {"/", "not a regular file"},
                 {"/dev/null", "not a regular file"},
                 {CACHEKIT_TEST_DIR "/CMakeLists.txt", "not an ELF file"}};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        cr_assert(not(elf_read(paths[i].path, &image, &fault)));
        cr_assert(strstr(fault.text, paths[i].cause) != NULL, "%s", fault.text);
        cr_assert(not(elf_is_elf(paths[i].path)));
    }
    cr_assert(elf_is_elf("/proc/self/exe"));
    size_t size = 0;
    char *bytes = read_bytes(FIXTURE_STRIPPED, &size);
    bytes[EI_CLASS] = ELFCLASS32;
    cr_assert(not(elf_parse("other", bytes, size, &image, &fault)));
    cr_assert(strstr(fault.text, "not 64-bit") != NULL);
    free(bytes);
}

Test(elf, a_table_reads_each_file_once_and_remembers_failures)
{
    struct fault fault = {""};
    struct objects *objects = objects_new();
    cr_assert(objects != NULL);
    const struct elf_image *image = objects_image(objects, FIXTURE_SHARED, &fault);
    cr_assert(image != NULL);
    sample_same(objects_class(objects, FIXTURE_SHARED), "libfixture.so");
    cr_assert(objects_class(objects, "???") == NULL);
    for (int i = 0; i < 100; i++) { // the table grows; what was handed out stays
        char path[32];
        (void)snprintf(path, sizeof path, "/nowhere/%d", i);
        cr_assert(objects_image(objects, path, &fault) == NULL);
    }
    cr_assert(objects_image(objects, FIXTURE_SHARED, &fault) == image);
    sample_same(image->soname, "libfixture.so.3.1");
    cr_assert(objects_image(objects, "/nowhere/7", &fault) == NULL);
    cr_assert(strstr(fault.text, "/nowhere/7: No such file") != NULL);
    objects_free(objects);
}
