// SPDX-License-Identifier: MIT
// SHA-256 as 64 lower-case hex digits, by libmd. Layer: store.
#ifndef CKBENCH_SHA256_H
#define CKBENCH_SHA256_H

#include <stddef.h>

enum { SHA256_TEXT_SIZE = 65 };

void sha256_text(const void *data, size_t len, char out[SHA256_TEXT_SIZE]);

#endif
