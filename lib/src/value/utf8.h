// SPDX-License-Identifier: MIT
// Strict UTF-8 (Unicode table 3-7): no overlong form, no surrogate, nothing above U+10FFFF.
#ifndef CKI_UTF8_H
#define CKI_UTF8_H

#include <stddef.h>
#include <stdint.h>

// How many bytes from the start are whole, well-formed characters: `len` when all are.
size_t cki_utf8_valid_len(const uint8_t *text, size_t len);

#endif
