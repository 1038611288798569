// SPDX-License-Identifier: MIT
// Colour and progress on a real pseudo-terminal and on a pipe.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli/progress.h"
#include "cli/say.h"
#include "cli/term.h"
#include "same.h"

// A terminal of 40 columns; *master reads what is written to it.
static FILE *open_terminal(int *master)
{
    const struct winsize size = {.ws_row = 5, .ws_col = 40};
    *master = posix_openpt(O_RDWR | O_NOCTTY);
    cr_assert(ge(int, *master, 0));
    cr_assert(eq(int, grantpt(*master), 0));
    cr_assert(eq(int, unlockpt(*master), 0));
    FILE *stream = fdopen(open(ptsname(*master), O_RDWR | O_NOCTTY), "r+");
    cr_assert(stream != NULL);
    cr_assert(eq(int, ioctl(fileno(stream), TIOCSWINSZ, &size), 0));
    return stream;
}

static size_t read_all(int master, char *out, size_t size)
{
    size_t len = 0;
    cr_assert(eq(int, fcntl(master, F_SETFL, O_NONBLOCK), 0));
    for (;;) {
        ssize_t got = read(master, out + len, size - 1 - len);
        if (got <= 0) {
            break;
        }
        len += (size_t)got;
    }
    out[len] = '\0';
    return len;
}

Test(term, colour_follows_when_then_no_color_then_the_terminal)
{
    static const struct {
        enum term_when when;
        const char *no_color, *term;
        bool on_terminal, on_file;
    } cases[] = {
        {TERM_AUTO, NULL, "xterm", true, false},   {TERM_AUTO, "1", "xterm", false, false},
        {TERM_AUTO, "", "xterm", true, false},     {TERM_AUTO, NULL, "dumb", false, false},
        {TERM_AUTO, NULL, NULL, false, false},     {TERM_ALWAYS, "1", "dumb", true, true},
        {TERM_NEVER, NULL, "xterm", false, false},
    };
    int master;
    FILE *terminal = open_terminal(&master);
    FILE *file = tmpfile();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        (void)unsetenv("NO_COLOR");
        (void)unsetenv("TERM");
        if (cases[i].no_color != NULL) {
            (void)setenv("NO_COLOR", cases[i].no_color, 1);
        }
        if (cases[i].term != NULL) {
            (void)setenv("TERM", cases[i].term, 1);
        }
        cr_assert(eq(int, term_has_color(terminal, cases[i].when), cases[i].on_terminal), "%zu", i);
        cr_assert(eq(int, term_has_color(file, cases[i].when), cases[i].on_file), "%zu", i);
    }
    cr_assert(eq(u32, term_columns(terminal), 40));
    cr_assert(eq(u32, term_columns(file), 0));
    (void)fclose(file);
    (void)fclose(terminal);
    (void)close(master);
}

static int64_t now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Takes stderr's place while the body runs; Criterion's own is put back.
static int swap_stderr(int fd)
{
    (void)fflush(stderr);
    int before = dup(STDERR_FILENO);
    (void)dup2(fd, STDERR_FILENO);
    return before;
}

static void put_back(int before)
{
    (void)fflush(stderr);
    (void)dup2(before, STDERR_FILENO);
    (void)close(before);
}

Test(progress, is_one_line_within_the_terminal_drawn_sparingly_and_erased)
{
    int master;
    char text[4096];
    FILE *terminal = open_terminal(&master);
    (void)setenv("TERM", "xterm", 1);
    int before = swap_stderr(fileno(terminal));
    struct progress progress;
    int64_t began_ms = now_ms();
    progress_open(&progress, 60, false);
    for (unsigned i = 1; i <= 60; i++) {
        progress_step(&progress, i,
                      "a label that is far too long for a terminal \033[31m so narrow");
    }
    progress_close(&progress);
    int64_t took_ms = now_ms() - began_ms;
    put_back(before);
    (void)read_all(master, text, sizeof text);
    const char *erase = "\r\033[K";
    cr_assert(eq(int, strncmp(text, erase, strlen(erase)), 0));
    cr_assert(eq(int, strcmp(text + strlen(text) - strlen(erase), erase), 0));
    size_t draws = 0;
    for (const char *at = text; (at = strstr(at, erase)) != NULL; at += strlen(erase)) {
        size_t len = strcspn(at + strlen(erase), "\r");
        cr_assert(lt(sz, len, 40), "%zu", len);
        draws++;
    }
    // One at the start, one at the end, ten a second between; sixty steps take a moment.
    cr_assert(le(i64, (int64_t)draws, took_ms / 100 + 2), "%zu in %lld ms", draws,
              (long long)took_ms);
    cr_assert(strstr(text, "1/60") != NULL);
    cr_assert(strstr(text, "\033[31m") == NULL);
    (void)fclose(terminal);
    (void)close(master);
}

static void expect_nothing(FILE *stream, const char *term, bool is_quiet)
{
    (void)setenv("TERM", term, 1);
    int before = swap_stderr(fileno(stream));
    struct progress progress;
    progress_open(&progress, 10, is_quiet);
    progress_step(&progress, 1, "x");
    progress_close(&progress);
    put_back(before);
}

Test(progress, is_nothing_on_a_file_a_dumb_terminal_or_when_quiet)
{
    int master;
    char text[256];
    FILE *terminal = open_terminal(&master);
    FILE *file = tmpfile();
    expect_nothing(file, "xterm", false);
    expect_nothing(terminal, "dumb", false);
    expect_nothing(terminal, "xterm", true);
    cr_assert(eq(int, (int)lseek(fileno(file), 0, SEEK_END), 0));
    cr_assert(eq(sz, read_all(master, text, sizeof text), 0));
    (void)fclose(file);
    (void)fclose(terminal);
    (void)close(master);
}

Test(say, is_one_printable_line)
{
    char text[1024] = "";
    FILE *file = tmpfile();
    int before = swap_stderr(fileno(file));
    int code = say_fail(3, "bad %s", "a\nb\033[2J\xff");
    put_back(before);
    (void)pread(fileno(file), text, sizeof text - 1, 0);
    cr_assert(eq(int, code, 3));
    SAME(text, "ckbench: bad a?b?[2J?\n");
    (void)fclose(file);
}
