// SPDX-License-Identifier: MIT
// What fuzz targets share with their driver, which is libFuzzer or standalone.c.
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room); // the driver's

static inline void fuzz_claim(bool holds, const char *file, int line, const char *text)
{
    if (!holds) {
        fprintf(stderr, "%s:%d: %s\n", file, line, text);
        abort();
    }
}

// A claim about the library; what is behind the comma says what was claimed.
#define FUZZ_CLAIM(holds, text) fuzz_claim((holds), __FILE__, __LINE__, (text))

// Inputs that got through to the end. Told at exit, so that a run that never gets past the first
// check is seen to test nothing.
static unsigned long long fuzz_accepted;

static inline void fuzz_tell(void)
{
    fprintf(stderr, "accepted: %llu\n", fuzz_accepted);
}

static inline void fuzz_tell_at_exit(void)
{
    if (atexit(fuzz_tell) != 0) {
        abort();
    }
}

#endif
