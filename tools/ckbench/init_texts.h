// SPDX-License-Identifier: MIT
// What `ckbench init` writes, word for word. Part of verb_init.c.
#ifndef CKBENCH_INIT_TEXTS_H
#define CKBENCH_INIT_TEXTS_H

#include <stdbool.h>

// @WORD@ in a text stands for what differs: SOURCE (paths.c), COMPILE (how it is compiled),
// REPOSITORY and COMMIT (where ckbench comes from).
struct init_text {
    const char *path;
    const char *text;
    bool is_program;
};

extern const struct init_text init_texts[];
extern const int init_text_count;

// The measured source, by language: C, C++. Its path is bench/SOURCE.
struct init_language {
    const char *source, *compile;
};
extern const struct init_language init_languages[];

#endif
