// SPDX-License-Identifier: MIT
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>
#include <string.h>

#include "stats/fingerprint.h"

static struct fingerprint *make(void)
{
    struct fingerprint *print = calloc(1, sizeof *print);
    strcpy(print->arch, "x86_64");
    strcpy(print->valgrind, "3.19.0");
    strcpy(print->cpuid, "aa");
    strcpy(print->tunables, "t=1");
    cr_assert(fingerprint_producer(print, "GNU C11 12.2.0 -O2"));
    cr_assert(fingerprint_note(&print->objects, "libc.so", "11"));
    cr_assert(fingerprint_note(&print->ifuncs, "memcpy", "avx_unaligned"));
    return print;
}

Test(fingerprint, every_condition_is_compared_and_named)
{
    struct fault why;
    for (int row = 0; row < 7; row++) {
        struct fingerprint *head = make(), *base = make();
        cr_assert(fingerprint_agrees(head, base, false, &why));
        static const char *const named[] = {"architecture", "valgrind", "CPUID", "TUNABLES",
                                            "compiler",     "libc.so",  "memcpy"};
        char *fields[] = {head->arch,
                          head->valgrind,
                          head->cpuid,
                          head->tunables,
                          head->producers[0],
                          head->objects.pairs[0].value,
                          head->ifuncs.pairs[0].value};
        fields[row][0] ^= 1;
        cr_expect(not(fingerprint_agrees(head, base, false, &why)), "row %d", row);
        cr_expect(strstr(why.text, named[row]) != NULL, "row %d: %s", row, why.text);
        cr_expect(eq(int, fingerprint_agrees(head, base, true, NULL), row == 4));
        free(head);
        free(base);
    }
}

Test(fingerprint, code_that_one_side_alone_has_is_no_other_condition)
{
    struct fingerprint *head = make(), *base = make();
    cr_assert(fingerprint_note(&head->objects, "libz.so", "22"));
    cr_assert(fingerprint_note(&base->ifuncs, "strlen", "avx2"));
    cr_expect(fingerprint_agrees(head, base, false, NULL));
    free(head);
    free(base);
}

Test(fingerprint, notes_and_producers_are_kept_once)
{
    struct fingerprint *print = make();
    cr_expect(fingerprint_note(&print->objects, "libc.so", "11"));
    cr_expect(not(fingerprint_note(&print->objects, "libc.so", "12")));
    cr_expect(eq(sz, print->objects.count, 1));
    cr_expect(fingerprint_producer(print, "GNU AS 2.40"));
    cr_expect(fingerprint_producer(print, "GNU C11 12.2.0 -O2"));
    cr_expect(eq(sz, print->producer_count, 2));
    cr_expect(strcmp(print->producers[0], "GNU AS 2.40") == 0);
    free(print);
}

Test(fingerprint, long_producers_that_differ_at_the_end_differ)
{
    struct fingerprint *print = make();
    char text[2000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    cr_expect(fingerprint_producer(print, text));
    cr_expect(fingerprint_producer(print, text));
    cr_expect(eq(sz, print->producer_count, 2));
    text[sizeof text - 2] = 'y';
    cr_expect(fingerprint_producer(print, text));
    cr_expect(eq(sz, print->producer_count, 3));
    free(print);
}
