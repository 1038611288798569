// SPDX-License-Identifier: MIT
// Random MessagePack documents of all widths, the same ones for the same seed.
#ifndef TESTS_RANDOM_DOCUMENT_H
#define TESTS_RANDOM_DOCUMENT_H

#include <stddef.h>
#include <stdint.h>

enum { RANDOM_DOCUMENT_MAX = 1 << 18 };

struct random_document {
    uint64_t state; // set it to the seed, once
    size_t len;
    uint8_t bytes[RANDOM_DOCUMENT_MAX];
};

uint64_t random_next(struct random_document *document);

// Well-formed but for an ext object now and then; text is UTF-8.
void random_document_make(struct random_document *document);

// Damages a few bytes, or cuts, or appends. Leaves no marker of a 32-bit collection, for which the
// oracle would reserve gigabytes.
void random_document_damage(struct random_document *document);

#endif
