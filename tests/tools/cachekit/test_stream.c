// SPDX-License-Identifier: MIT
// Inputs that come in pieces, between signals, or not at all.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stream.h"

static volatile sig_atomic_t alarms;

static void count_alarm(int signal)
{
    (void)signal;
    alarms++;
}

// A signal every millisecond that interrupts whatever the process waits in.
static void disturb(void)
{
    struct sigaction action = {.sa_handler = count_alarm};
    struct itimerval often = {{0, 1000}, {0, 1000}};
    cr_assert(sigaction(SIGALRM, &action, NULL) == 0);
    cr_assert(setitimer(ITIMER_REAL, &often, NULL) == 0);
}

// A child that runs `act` on one end of a pipe; the other end becomes `target` of this process.
static pid_t beside(int end, int target, void (*act)(int fd))
{
    int ends[2];
    cr_assert(pipe(ends) == 0);
    pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        close(ends[!end]);
        act(ends[end]);
        _exit(0);
    }
    close(ends[end]);
    cr_assert(dup2(ends[!end], target) == target);
    close(ends[!end]);
    return child;
}

static void write_slowly(int fd)
{
    for (int i = 0; i < 30; i++) {
        char byte = (char)i;
        (void)usleep(5000);
        if (write(fd, &byte, 1) != 1) {
            _exit(1);
        }
    }
}

static void read_slowly(int fd)
{
    static char piece[8192];
    size_t sum = 0;
    for (ssize_t got = 1; got > 0;) {
        (void)usleep(200);
        got = read(fd, piece, sizeof piece);
        for (ssize_t i = 0; i < got; i++, sum++) {
            if (piece[i] != (char)(sum % 251)) {
                _exit(1);
            }
        }
    }
    _exit(sum == 1000000 ? 0 : 2);
}

static void ended_well(pid_t child)
{
    int status = -1;
    while (waitpid(child, &status, 0) < 0) {
        int why = errno;
        cr_assert(why == EINTR);
    }
    cr_assert(status == 0);
}

Test(stream, reading_goes_on_after_a_signal)
{
    cachekit_error error;
    cachekit_buffer in = CACHEKIT_BUFFER_INIT;
    pid_t child = beside(1, STDIN_FILENO, write_slowly);
    disturb();
    cr_assert(stream_read(NULL, 100, &in, &error) == CACHEKIT_OK);
    cr_assert_gt(alarms, 0);
    cr_assert(in.len == 30);
    for (size_t i = 0; i < in.len; i++) {
        cr_assert(in.data[i] == i);
    }
    cachekit_buffer_release(&in);
    ended_well(child);
}

Test(stream, writing_goes_on_after_a_signal)
{
    cachekit_error error;
    int saved = dup(STDOUT_FILENO);
    uint8_t *bytes = malloc(1000000);
    cr_assert(bytes != NULL);
    for (size_t i = 0; i < 1000000; i++) {
        bytes[i] = (uint8_t)(i % 251);
    }
    pid_t child = beside(0, STDOUT_FILENO, read_slowly);
    disturb();
    cachekit_status status = stream_write((cachekit_slice){bytes, 1000000}, &error);
    cr_assert(dup2(saved, STDOUT_FILENO) >= 0);
    cr_assert(status == CACHEKIT_OK);
    cr_assert_gt(alarms, 0);
    ended_well(child);
    free(bytes);
}

Test(stream, the_limit_is_inclusive)
{
    static const struct {
        size_t limit;
        cachekit_status status;
    } rows[] = {{29, CACHEKIT_E_TOO_LARGE}, {30, CACHEKIT_OK}, {31, CACHEKIT_OK}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cachekit_error error;
        cachekit_buffer in = CACHEKIT_BUFFER_INIT;
        int ends[2];
        cr_assert(pipe(ends) == 0);
        cr_assert(write(ends[1], "123456789012345678901234567890", 30) == 30);
        close(ends[1]);
        cr_assert(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
        close(ends[0]);
        cr_assert(stream_read(NULL, rows[i].limit, &in, &error) == rows[i].status);
        cachekit_buffer_release(&in);
    }
}

Test(stream, a_file_that_is_too_long_is_not_read)
{
    char name[] = "/tmp/streamXXXXXX";
    cachekit_error error;
    cachekit_buffer in = CACHEKIT_BUFFER_INIT;
    int fd = mkstemp(name);
    cr_assert(fd >= 0);
    cr_assert(write(fd, "0123456789", 10) == 10);
    cr_assert(stream_read(name, 9, &in, &error) == CACHEKIT_E_TOO_LARGE);
    cr_assert(in.room == 0);
    cr_assert(stream_read(name, 10, &in, &error) == CACHEKIT_OK);
    cr_assert(in.len == 10);
    // Of an open file only the rest counts, from where it stands.
    cr_assert(lseek(fd, 4, SEEK_SET) == 4);
    cr_assert(dup2(fd, STDIN_FILENO) == STDIN_FILENO);
    in.len = 0;
    cr_assert(stream_read(NULL, 6, &in, &error) == CACHEKIT_OK);
    cr_assert(in.len == 6);
    cachekit_buffer_release(&in);
    unlink(name);
    close(fd);
}

// Files of /proc say that they are empty.
Test(stream, a_length_that_a_file_tells_is_a_hint)
{
    cachekit_error error;
    cachekit_buffer in = CACHEKIT_BUFFER_INIT;
    cr_assert(stream_read("/proc/self/maps", 1 << 20, &in, &error) == CACHEKIT_OK);
    cr_assert(in.len > 0);
    cachekit_buffer_release(&in);
}
