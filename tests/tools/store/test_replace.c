// SPDX-License-Identifier: MIT
// The old file or the new one, whole, and never a third.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/replace.h"
#include "same.h"

static char dir[] = "/tmp/test_replace.XXXXXX";

static void enter(void)
{
    cr_assert(mkdtemp(dir) != NULL);
    cr_assert(eq(int, chdir(dir), 0));
}

static size_t count_files(void)
{
    size_t count = 0;
    DIR *stream = opendir(".");
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        count += entry->d_name[0] != '.';
    }
    (void)closedir(stream);
    return count;
}

static void leave(void)
{
    DIR *stream = opendir(".");
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        (void)unlink(entry->d_name);
        (void)rmdir(entry->d_name);
    }
    (void)closedir(stream);
    (void)chdir("/");
    (void)rmdir(dir);
}

static const char *content(const char *path)
{
    static char text[256];
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return "(none)";
    }
    size_t len = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[len] = '\0';
    return text;
}

TestSuite(replace, .init = enter, .fini = leave);

Test(replace, makes_and_replaces_a_file_and_keeps_its_mode)
{
    struct fault fault;
    struct stat info;
    cr_assert(replace_file("new", "one", 3, &fault), "%s", fault.text);
    SAME(content("new"), "one");
    cr_assert(eq(int, chmod("new", 0640), 0));
    cr_assert(replace_file("./new", "two", 3, &fault), "%s", fault.text);
    SAME(content("new"), "two");
    cr_assert(eq(int, stat("new", &info), 0));
    cr_assert(eq(int, (int)(info.st_mode & 07777), 0640));
    cr_assert(eq(sz, count_files(), 1));
}

Test(replace, follows_a_link_and_keeps_it)
{
    struct fault fault;
    char target[64];
    cr_assert(replace_file("real", "one", 3, &fault));
    cr_assert(eq(int, symlink("real", "link"), 0));
    cr_assert(replace_file("link", "two", 3, &fault));
    SAME(content("real"), "two");
    cr_assert(eq(int, (int)readlink("link", target, sizeof target), 4));
    cr_assert(eq(sz, count_files(), 2));
}

Test(replace, a_place_that_cannot_be_written_is_one_line)
{
    static const char *const paths[] = {"missing/x", "file/x",    "subdir",
                                        "",          "/dev/full", "/proc/version"};
    struct fault fault;
    cr_assert(replace_file("file", "kept", 4, &fault));
    cr_assert(eq(int, mkdir("subdir", 0700), 0));
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        cr_assert_not(replace_file(paths[i], "x", 1, &fault), "%s", paths[i]);
        cr_assert(strncmp(fault.text, "could not write ", 16) == 0, "%s", fault.text);
    }
    SAME(content("file"), "kept");
    cr_assert(eq(sz, count_files(), 2));
}

// A limit on the size of files stands for the disk that fills in the middle of the text.
Test(replace, a_disk_that_fills_leaves_the_old_file_and_no_other)
{
    struct fault fault;
    static char text[100000];
    const struct rlimit limit = {4096, RLIM_INFINITY};
    memset(text, 'x', sizeof text);
    cr_assert(replace_file("file", "kept", 4, &fault));
    (void)signal(SIGXFSZ, SIG_IGN);
    struct rlimit before;
    (void)getrlimit(RLIMIT_FSIZE, &before);
    (void)setrlimit(RLIMIT_FSIZE, &limit);
    bool is_taken = replace_file("file", text, sizeof text, &fault);
    bool is_new_taken = replace_file("other", text, sizeof text, &fault);
    (void)setrlimit(RLIMIT_FSIZE, &before);
    cr_assert_not(is_taken);
    cr_assert_not(is_new_taken);
    SAME(content("file"), "kept");
    cr_assert(eq(sz, count_files(), 1));
}

// A reader that looks all the time sees one of the two texts, never a part.
Test(replace, a_reader_never_sees_a_part)
{
    struct fault fault;
    static char texts[2][60000];
    memset(texts[0], 'a', sizeof texts[0]);
    memset(texts[1], 'b', sizeof texts[1]);
    cr_assert(replace_file("file", texts[0], sizeof texts[0], &fault));
    pid_t writer = fork();
    if (writer == 0) {
        for (int i = 0; i < 200; i++) {
            (void)replace_file("file", texts[i & 1], sizeof texts[0], &fault);
        }
        _exit(0);
    }
    static char seen[70000];
    while (waitpid(writer, NULL, WNOHANG) == 0) {
        int fd = open("file", O_RDONLY);
        ssize_t len = read(fd, seen, sizeof seen);
        (void)close(fd);
        cr_assert(eq(int, (int)len, 60000));
        cr_assert(memcmp(seen, texts[seen[0] == 'b'], 60000) == 0);
    }
    cr_assert(eq(sz, count_files(), 1));
}

Test(replace, writes_into_what_is_no_file)
{
    struct fault fault;
    struct stat info;
    cr_assert(eq(int, mkfifo("pipe", 0600), 0));
    int reader = open("pipe", O_RDONLY | O_NONBLOCK);
    char text[8] = "";
    cr_assert(replace_file("pipe", "text", 4, &fault), "%s", fault.text);
    cr_assert(eq(int, (int)read(reader, text, 8), 4));
    SAME(text, "text");
    cr_assert(eq(int, stat("pipe", &info), 0));
    cr_assert(eq(int, S_ISFIFO(info.st_mode), 1));
    (void)close(reader);
    cr_assert_not(replace_file("pipe", "text", 4, &fault));
    SAME(fault.text, "could not write pipe: No such device or address");
}

// The pipe holds less than the text and its reader goes away: an error, not a death.
Test(replace, a_reader_that_goes_away_is_a_failure)
{
    struct fault fault;
    static char text[1 << 20];
    cr_assert(eq(int, mkfifo("pipe", 0600), 0));
    pid_t reader = fork();
    if (reader == 0) {
        char some[16];
        int fd = open("pipe", O_RDONLY);
        _exit(read(fd, some, sizeof some) == 16 ? 0 : 1);
    }
    bool is_taken = true;
    do { // until the reader has opened its end
        is_taken = replace_file("pipe", text, sizeof text, &fault);
    } while (!is_taken && strstr(fault.text, "No such device") != NULL);
    (void)waitpid(reader, NULL, 0);
    cr_assert_not(is_taken);
    SAME(fault.text, "could not write pipe: Broken pipe");
}
