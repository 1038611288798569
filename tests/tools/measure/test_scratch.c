// SPDX-License-Identifier: MIT
// The scratch directory: private, gone afterwards, and nothing outside it touched.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/scratch.h"
#include "measure/tail.h"
#include "same.h"

TestSuite(test_scratch);

static bool exists(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0;
}

static char *join(const char *dir, const char *name)
{
    char *path = NULL;
    cr_assert(asprintf(&path, "%s/%s", dir, name) > 0);
    return path;
}

static void write_file(const char *path, const char *text, size_t length)
{
    FILE *file = fopen(path, "w");
    cr_assert(file != NULL);
    cr_assert(fwrite(text, 1, length, file) == length && fclose(file) == 0);
}

Test(test_scratch, it_is_private_and_named_at_random)
{
    struct scratch one;
    struct scratch two;
    struct fault fault;
    struct stat status;
    (void)umask(0);
    cr_assert(scratch_open(&one, &fault), "%s", fault.text);
    cr_assert(scratch_open(&two, &fault), "%s", fault.text);
    cr_assert(stat(one.path, &status) == 0 && S_ISDIR(status.st_mode));
    cr_assert(eq(uint, status.st_mode & 07777, 0700));
    cr_assert(eq(sz, strlen(one.path), strlen(two.path)));
    cr_assert(strcmp(one.path, two.path) != 0);
    cr_assert(strlen(strrchr(one.path, '/')) > 32);
    scratch_close(&one);
    scratch_close(&two);
    scratch_close(&two);
}

Test(test_scratch, everything_in_it_goes_and_nothing_behind_a_link)
{
    struct scratch outside;
    struct scratch scratch;
    struct fault fault;
    cr_assert(scratch_open(&outside, &fault) && scratch_open(&scratch, &fault));
    char *kept = join(outside.path, "kept");
    write_file(kept, "x", 1);
    char *namesake = join(scratch.path, "deep-1");
    cr_assert(mkdir(namesake, 0700) == 0);
    char *deep = scratch_dir(&scratch, "deep", &fault);
    cr_assert(deep != NULL, "%s", fault.text);
    for (int i = 0; i < 150; i++) { // beyond any sensible number of open directories
        char *deeper = join(deep, "d");
        free(deep);
        deep = deeper;
        cr_assert(mkdir(deep, 0700) == 0);
    }
    char *file = join(deep, "file");
    char *link = join(deep, "link");
    char *direct = join(scratch.path, "link");
    write_file(file, "x", 1);
    cr_assert(symlink(outside.path, link) == 0 && symlink(outside.path, direct) == 0);
    cr_assert(chmod(deep, 0500) == 0);
    char *path = strdup(scratch.path);
    scratch_close(&scratch);
    cr_expect(not(exists(path)));
    cr_expect(exists(kept));
    cr_expect(eq(ptr, scratch.path, NULL));
    scratch_close(&outside);
    free(kept);
    free(namesake);
    free(deep);
    free(file);
    free(link);
    free(direct);
    free(path);
}

Test(test_scratch, a_name_twice_is_a_fault)
{
    struct scratch scratch;
    struct fault fault;
    cr_assert(scratch_open(&scratch, &fault));
    char *dir = scratch_dir(&scratch, "a", &fault);
    cr_assert(dir != NULL);
    cr_assert(scratch_dir(&scratch, "a", &fault) == NULL);
    cr_assert(strstr(fault.text, "File exists") != NULL, "%s", fault.text);
    free(dir);
    scratch_close(&scratch);
}

Test(test_scratch, an_odd_tmpdir_is_one_line)
{
    static const char *const rows[][2] = {
        {"/nonexistent/place", "No such file or directory"},
        {"/etc/passwd", "Not a directory"},
        {"/proc/self", "cannot make a scratch directory in /proc/self"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct scratch scratch;
        struct fault fault;
        cr_assert(setenv("TMPDIR", rows[i][0], 1) == 0);
        cr_assert(not(scratch_open(&scratch, &fault)));
        cr_expect(strstr(fault.text, rows[i][1]) != NULL, "%s", fault.text);
        cr_expect(strstr(fault.text, "TMPDIR") != NULL, "%s", fault.text);
        scratch_close(&scratch);
    }
    struct scratch scratch;
    struct fault fault;
    cr_assert(setenv("TMPDIR", "", 1) == 0);
    cr_assert(scratch_open(&scratch, &fault), "%s", fault.text);
    cr_assert(strncmp(scratch.path, "/tmp/ckbench-", 13) == 0);
    scratch_close(&scratch);
}

// A disk that is full takes a directory but no file; a file size limit of 0 is the same to us.
Test(test_scratch, a_full_disk_is_seen_at_once)
{
    struct scratch scratch;
    struct fault fault;
    struct rlimit before;
    (void)signal(SIGXFSZ, SIG_IGN);
    cr_assert(getrlimit(RLIMIT_FSIZE, &before) == 0);
    struct rlimit little = {.rlim_cur = 4096, .rlim_max = before.rlim_max};
    cr_assert(setrlimit(RLIMIT_FSIZE, &little) == 0);
    bool opened = scratch_open(&scratch, &fault);
    cr_assert(setrlimit(RLIMIT_FSIZE, &before) == 0);
    cr_assert(not(opened));
    cr_assert(strstr(fault.text, "cannot make a scratch directory") != NULL, "%s", fault.text);
    cr_assert(eq(ptr, scratch.path, NULL));
}

Test(test_scratch, the_tail_is_short_and_clean)
{
    struct scratch scratch;
    struct fault fault;
    cr_assert(scratch_open(&scratch, &fault));
    char *path = join(scratch.path, "text");
    static const char odd[] = "one\ntwo\033[31m\0\xff\r\nthree\n\n";
    write_file(path, odd, sizeof odd - 1);
    char *tail = tail_read(path, 0, 2);
    SAME(tail, "two?[31m???\nthree");
    free(tail);
    tail = tail_read(path, 4, 20);
    SAME(tail, "two?[31m???\nthree");
    free(tail);
    char big[9000];
    memset(big, 'y', sizeof big);
    write_file(path, big, sizeof big);
    tail = tail_read(path, 0, 20);
    cr_assert(eq(sz, strlen(tail), 200));
    free(tail);
    write_file(path, "", 0);
    cr_assert(eq(ptr, tail_read(path, 0, 20), NULL));
    cr_assert(eq(ptr, tail_read("/nonexistent", 0, 20), NULL));
    free(path);
    scratch_close(&scratch);
}
