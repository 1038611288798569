// SPDX-License-Identifier: MIT
// The other half of the subject `hostile`: what a path can do to its own counting, to the answers
// and to the files that it was given.
#include "hostile.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <valgrind/callgrind.h>

// What callgrind does for whoever asks: each of these makes a count smaller than the work.
static void stop_instrumentation(void *state)
{
    if (is_due(state)) {
        CALLGRIND_STOP_INSTRUMENTATION;
    }
    behave(state);
}

static void flicker(void *state)
{
    CALLGRIND_STOP_INSTRUMENTATION;
    work();
    CALLGRIND_START_INSTRUMENTATION;
    behave(state);
}

static void stop_collecting(void *state)
{
    if (is_due(state)) {
        CALLGRIND_TOGGLE_COLLECT;
    }
    behave(state);
}

static void hide_work(void *state)
{
    CALLGRIND_TOGGLE_COLLECT;
    work();
    CALLGRIND_TOGGLE_COLLECT;
    behave(state);
}

static void zero_counters(void *state)
{
    if (is_due(state)) {
        CALLGRIND_ZERO_STATS;
    }
    behave(state);
}

static void zero_always(void *state)
{
    (void)VALGRIND_MONITOR_COMMAND("zero");
    behave(state);
}

static void dump_itself(void *state)
{
    if (is_due(state)) {
        CALLGRIND_DUMP_STATS;
    }
    behave(state);
}

static void dump_n2(void *state)
{
    if (is_due(state)) {
        (void)VALGRIND_MONITOR_COMMAND("dump n2");
    }
    behave(state);
}

#if defined(__x86_64__)
// Breaks the rule that a function gives rbx back as it found it: the loop around it keeps its count
// there, and ends early.
void lose_register(void *state);
__asm__(".text\n"
        ".globl lose_register\n"
        ".type lose_register, @function\n"
        "lose_register:\n"
        "    incq (%rdi)\n"
        "    cmpq $6, (%rdi)\n"
        "    jb 1f\n"
        "    xorl %ebx, %ebx\n"
        "1:  ret\n"
        ".size lose_register, . - lose_register\n");

static void turn_direction(void *state)
{
    behave(state);
    __asm__ volatile("std" : : : "memory", "cc");
}
#endif

static void write_all(const char *text, size_t len)
{
    for (int fd = 3; fd < HIGHEST_FD; fd++) {
        if (fcntl(fd, F_GETFL) >= 0) {
            (void)!write(fd, text, len);
        }
    }
}

static void flood_answers(void *state)
{
    static char page[MIB];
    memset(page, 'x', sizeof page);
    if (*(size_t *)state == SIXTH) {
        write_all(page, sizeof page);
    }
    behave(state);
}

static void forge_end(void *state)
{
    static const char end[] = "{\"type\":\"end\",\"lines\":3}\n";
    if (*(size_t *)state == SIXTH) {
        write_all(end, sizeof end - 1);
    }
    behave(state);
}

// As its measurement would answer, had it been asked for these numbers.
static void forge_count(void *state)
{
    char line[256];
    if (*(size_t *)state == SIXTH) {
        int len =
            snprintf(line, sizeof line,
                     "{\"type\":\"counted\",\"path\":\"forges_count\",\"layout\":0,\"pid\":%d,"
                     "\"warmup\":2,\"n1\":2,\"n2\":4,\"digest\":null,\"clock_reads\":0,"
                     "\"entropy_reads\":0,\"pid_reads\":0}\n",
                     own_pid());
        write_all(line, (size_t)len);
    }
    behave(state);
}

static void die_ugly(void *state)
{
    static const char ugly[] = "\033]0;owned\a\033[2J\033[31mred\0nul \xff\xfe\xc3( \xe2\x80\xae"
                               "rtl <img src=x> `x` | @all \r\rover\n::error::stop\n\t\x7f\x9b"
                               "5m";
    (void)!write(STDERR_FILENO, ugly, sizeof ugly - 1);
    (void)!write(STDOUT_FILENO, ugly, sizeof ugly - 1);
    behave(state);
    abort();
}

static void ask_password(void *state)
{
    char line[32];
    (void)!write(STDOUT_FILENO, "Password: ", 10);
    (void)!read(STDIN_FILENO, line, sizeof line);
    behave(state);
}

static void make_raw(void *state)
{
    int tty = open("/dev/tty", O_RDWR);
    for (int fd = 0; fd <= (tty > 2 ? tty : 2); fd++) {
        struct termios mode;
        if (tcgetattr(fd, &mode) == 0) {
            cfmakeraw(&mode);
            (void)tcsetattr(fd, TCSANOW, &mode);
        }
    }
    if (tty >= 0) {
        (void)close(tty);
    }
    behave(state);
}

static void empty_directory(const char *dir)
{
    char path[512];
    DIR *list = opendir(dir);
    for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
        (void)snprintf(path, sizeof path, "%s/%s", dir, entry->d_name);
        (void)unlink(path);
    }
    if (list != NULL) {
        (void)closedir(list);
    }
    (void)rmdir(dir);
}

static void delete_dumps(void *state)
{
    if (*(size_t *)state == SIXTH) {
        empty_directory("../dumps");
    }
    behave(state);
}

// Where valgrind is about to write: a name that is no file, and one that is another file.
static void plant_at_dump(void *state, int is_link)
{
    char path[64];
    if (*(size_t *)state == 0) {
        (void)snprintf(path, sizeof path, "../dumps/%d.out", own_pid());
        (void)!(is_link ? symlink("/dev/null", path) : mkdir(path, 0700));
    }
    behave(state);
}

static void plant_directory(void *state)
{
    plant_at_dump(state, 0);
}

static void plant_link(void *state)
{
    plant_at_dump(state, 1);
}

static void fill_disk(void *state)
{
    static char page[MIB];
    int fd = *(size_t *)state == SIXTH ? open("full", O_WRONLY | O_CREAT, 0600) : -1;
    for (int i = 0; i < 64 && fd >= 0 && write(fd, page, sizeof page) > 0; i++) {
    }
    behave(state);
}

static void litter(void *state)
{
    char name[32] = "d";
    for (int i = 0; i < 40 && *(size_t *)state == SIXTH; i++) {
        if (mkdir(name, 0) != 0 || chmod(name, 0700) != 0 || chdir(name) != 0) {
            break;
        }
    }
    (void)chmod(".", 0);
    behave(state);
}

static uint64_t digest_of_time(void *state)
{
    struct timespec now;
    (void)state;
    (void)syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_nsec * 1000003U + (uint64_t)now.tv_sec;
}

static const struct ckbench_extra changing = {.digest = digest_of_time};

CKBENCH_PATH(asks_password, "prompts and reads stdin", setup, ask_password, verify, NULL)
CKBENCH_PATH(deletes_dumps, "the folder of its dumps", setup, delete_dumps, verify, NULL)
CKBENCH_PATH(dies_ugly, "terminal codes, then abort()", setup, die_ugly, verify, NULL)
CKBENCH_PATH(dumps_itself, "callgrind's dump request", setup, dump_itself, verify, NULL)
CKBENCH_PATH(dumps_n2, "a window of its own", setup, dump_n2, verify, NULL)
CKBENCH_PATH(fills_disk, "writes until there is no room", setup, fill_disk, verify, NULL)
CKBENCH_PATH(flickers, "instrumentation off and on", setup, flicker, verify, NULL)
CKBENCH_PATH(floods_answers, "1 MiB on all descriptors", setup, flood_answers, verify, NULL)
CKBENCH_PATH(forges_count, "an answer of its own", setup, forge_count, verify, NULL)
CKBENCH_PATH(forges_end, "the end of all answers", setup, forge_end, verify, NULL)
CKBENCH_PATH(hides_work, "collecting off and on", setup, hide_work, verify, NULL)
CKBENCH_PATH(litters, "a deep tree of no rights", setup, litter, verify, NULL)
CKBENCH_PATH(makes_raw, "the terminal, if there is one", setup, make_raw, verify, NULL)
CKBENCH_PATH(plants_directory, "where its dump goes", setup, plant_directory, verify, NULL)
CKBENCH_PATH(plants_link, "where its dump goes", setup, plant_link, verify, NULL)
CKBENCH_PATH(stops_collecting, "callgrind's toggle", setup, stop_collecting, verify, NULL)
CKBENCH_PATH(stops_instrumentation, "once", setup, stop_instrumentation, verify, NULL)
CKBENCH_PATH(zeroes, "callgrind's counters, at times", setup, zero_counters, verify, NULL)
CKBENCH_PATH(zeroes_always, "callgrind's counters", setup, zero_always, verify, NULL)
CKBENCH_PATH_EX(digest_changes, "digests the time of day", setup, behave, verify, NULL, &changing)
#if defined(__x86_64__)
CKBENCH_PATH(loses_register, "one that it must keep", setup, lose_register, verify, NULL)
CKBENCH_PATH(turns_direction, "leaves the direction flag set", setup, turn_direction, verify, NULL)
#endif
