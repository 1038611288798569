// SPDX-License-Identifier: MIT
// What the terminal can do. Layer: cli.
#ifndef CKBENCH_TERM_H
#define CKBENCH_TERM_H

#include <stdbool.h>
#include <stdio.h>

enum term_when { TERM_AUTO, TERM_ALWAYS, TERM_NEVER };

// The words of enum term_when in its order, ended by NULL: the choices of --color.
extern const char *const term_when_words[];

// `when` wins, then a non-empty NO_COLOR or TERM=dumb, then whether `stream` is a terminal.
bool term_has_color(FILE *stream, enum term_when when);

// A terminal on which a line can be erased.
bool term_can_redraw(FILE *stream);

// Columns of the terminal behind `stream`; 0 when it is none, which means: do not cut lines.
unsigned term_columns(FILE *stream);

#endif
