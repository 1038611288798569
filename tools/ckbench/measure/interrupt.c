// SPDX-License-Identifier: MIT
// The handler does two async-signal-safe things, a store and a write. The byte stays in the pipe,
// so every later poll returns at once: nothing that waits can miss it.
#include "measure/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNAL_COUNT = sizeof signals / sizeof signals[0] };

static struct sigaction earlier[SIGNAL_COUNT];
static int pipe_fds[2] = {-1, -1};
static volatile sig_atomic_t first_signal;
static volatile sig_atomic_t signal_count;

static void note_signal(int number)
{
    int error = errno;
    if (first_signal == 0) {
        first_signal = number;
    }
    if (signal_count < 100) {
        signal_count = signal_count + 1;
    }
    (void)!write(pipe_fds[1], "", 1);
    errno = error;
}

bool interrupt_install(struct fault *fault)
{
    if (pipe_fds[0] >= 0) {
        return true;
    }
    if (pipe2(pipe_fds, O_CLOEXEC | O_NONBLOCK) != 0) {
        return fault_set(fault, "cannot make a pipe: %s", strerror(errno));
    }
    first_signal = 0;
    signal_count = 0;
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
    (void)sigfillset(&action.sa_mask);
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        (void)sigaction(signals[i], NULL, &earlier[i]);
        if (earlier[i].sa_handler != SIG_IGN) {
            (void)sigaction(signals[i], &action, NULL);
        }
    }
    return true;
}

int interrupt_seen(void)
{
    return first_signal;
}

int interrupt_fd(void)
{
    return pipe_fds[0];
}

int interrupt_count(void)
{
    return signal_count;
}

void interrupt_remove(void)
{
    if (pipe_fds[0] < 0) {
        return;
    }
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        (void)sigaction(signals[i], &earlier[i], NULL);
    }
    (void)close(pipe_fds[0]);
    (void)close(pipe_fds[1]);
    pipe_fds[0] = -1;
    pipe_fds[1] = -1;
    first_signal = 0;
    signal_count = 0;
}
