// SPDX-License-Identifier: MIT
// A line is redrawn by carriage return and "erase to the end", so it must never wrap: it is cut to
// the width of the terminal.
#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/term.h"

enum { LINE_SIZE = 256 };
static const int64_t redraw_ns = 100 * 1000 * 1000;

static int64_t now_ns(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
        return 0;
    }
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void erase(void)
{
    (void)fputs("\r\033[K", stderr);
}

// Time left by the rule of three; nothing before anything is done.
static void put_left(char *text, size_t size, const struct progress *progress, uint64_t done,
                     int64_t elapsed_ns)
{
    text[0] = '\0';
    if (done == 0 || done > progress->total) {
        return;
    }
    double share = (double)(progress->total - done) / (double)done;
    double left_s = (double)elapsed_ns / 1e9 * share;
    if (left_s < 86400) {
        (void)snprintf(text, size, ", %u:%02u left", (unsigned)left_s / 60, (unsigned)left_s % 60);
    }
}

void progress_open(struct progress *progress, uint64_t total, bool is_quiet)
{
    *progress = (struct progress){.total = total, .opened_ns = now_ns()};
    progress->is_shown = !is_quiet && term_can_redraw(stderr);
}

void progress_step(struct progress *progress, uint64_t done, const char *label)
{
    if (!progress->is_shown) {
        return;
    }
    int64_t now = now_ns();
    if (progress->is_drawn && now - progress->drawn_ns < redraw_ns) {
        return;
    }
    char left[48];
    char line[LINE_SIZE];
    put_left(left, sizeof left, progress, done, now - progress->opened_ns);
    (void)snprintf(line, sizeof line, "%" PRIu64 "/%" PRIu64 "%s  %s", done, progress->total, left,
                   label);
    unsigned columns = term_columns(stderr);
    size_t room = columns > 1 && columns <= sizeof line ? columns - 1U : sizeof line - 1;
    line[room] = '\0';
    for (char *c = line; *c != '\0'; c++) {
        *c = *c < 0x20 || *c > 0x7e ? '?' : *c;
    }
    erase();
    (void)fputs(line, stderr);
    (void)fflush(stderr);
    progress->is_drawn = true;
    progress->drawn_ns = now;
}

void progress_close(struct progress *progress)
{
    if (progress->is_drawn) {
        erase();
        (void)fflush(stderr);
    }
    progress->is_drawn = false;
}
