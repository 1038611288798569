// SPDX-License-Identifier: MIT
// Two texts that must be equal, shown when they are not.
#ifndef TESTS_SAME_H
#define TESTS_SAME_H

#include <criterion/criterion.h>

#include <string.h>

#define SAME(actual, expected)                                                                     \
    do {                                                                                           \
        const char *same_actual = (actual);                                                        \
        const char *same_expected = (expected);                                                    \
        cr_assert(strcmp(same_actual, same_expected) == 0, "this: %s\nwanted: %s", same_actual,    \
                  same_expected);                                                                  \
    } while (0)

#endif
