// SPDX-License-Identifier: MIT
// Shell scripts that stand for programs: stub valgrinds and odd subjects. For tests.
#ifndef CKBENCH_TEST_PROGRAM_H
#define CKBENCH_TEST_PROGRAM_H

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Writes DIR/NAME with that text and mode; its path is the caller's.
static inline char *program_write(const char *dir, const char *name, const char *text, mode_t mode)
{
    char *path = NULL;
    cr_assert(asprintf(&path, "%s/%s", dir, name) > 0);
    FILE *file = fopen(path, "w");
    cr_assert(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0, "%s", path);
    cr_assert(chmod(path, mode) == 0);
    return path;
}

#endif
