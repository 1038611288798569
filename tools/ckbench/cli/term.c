// SPDX-License-Identifier: MIT
// The one place that decides whether a stream is a terminal and whether it gets colour.
#include "cli/term.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

const char *const term_when_words[] = {"auto", "always", "never", NULL};

static bool is_dumb(void)
{
    const char *term = getenv("TERM");
    return term == NULL || term[0] == '\0' || strcmp(term, "dumb") == 0;
}

static bool is_tty(FILE *stream)
{
    int fd = fileno(stream);
    return fd >= 0 && isatty(fd) == 1;
}

bool term_has_color(FILE *stream, enum term_when when)
{
    if (when != TERM_AUTO) {
        return when == TERM_ALWAYS;
    }
    const char *no_color = getenv("NO_COLOR");
    if (no_color != NULL && no_color[0] != '\0') {
        return false;
    }
    return is_tty(stream) && !is_dumb();
}

bool term_can_redraw(FILE *stream)
{
    return is_tty(stream) && !is_dumb();
}

unsigned term_columns(FILE *stream)
{
    struct winsize size = {0};
    if (!is_tty(stream)) {
        return 0;
    }
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
        return 80;
    }
    return size.ws_col;
}
