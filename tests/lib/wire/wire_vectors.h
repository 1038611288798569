// SPDX-License-Identifier: MIT
// The rows of tests/vectors/wire-format.json as bytes.
#ifndef TESTS_WIRE_VECTORS_H
#define TESTS_WIRE_VECTORS_H

#include <stddef.h>
#include <stdint.h>

enum { WIRE_VECTORS_COUNT = 12, WIRE_VECTOR_ROOM = 2048 };

struct wire_vector {
    char name[64];
    char format[32];
    int is_bin;
    uint8_t payload[WIRE_VECTOR_ROOM];
    size_t payload_len;
    uint8_t envelope[WIRE_VECTOR_ROOM];
    size_t envelope_len;
};

// Number of rows read, or 0 when the file is not what it should be.
size_t wire_vectors_load(struct wire_vector *rows, size_t room);

#endif
