// SPDX-License-Identifier: MIT
// The small pieces a line of a dump is made of. Layer: measure; private to the reader of dumps.
// Each scan moves `at` behind what it read, and returns false where nothing fits.
#ifndef CKBENCH_CALLGRIND_SCAN_H
#define CKBENCH_CALLGRIND_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct callgrind_scan {
    const char *at;
    const char *end;
};

// A name, given in full, defined for a number ("(3) name"), or referred to by it ("(3)").
struct callgrind_name {
    bool has_id;
    uint64_t id;
    const char *text;
    size_t len; // 0 when it only refers
};

bool callgrind_scan_end(struct callgrind_scan *scan);
// Decimal, or hexadecimal with 0x; false also when it does not fit 64 bits.
bool callgrind_scan_number(struct callgrind_scan *scan, uint64_t *value);
// A position: a number, or +n, -n, * from `*position`, which it replaces.
bool callgrind_scan_position(struct callgrind_scan *scan, uint64_t *position);
bool callgrind_scan_word(struct callgrind_scan *scan, const char **word, size_t *len);
// The word before `mark` at the start of the line: letters and digits. Skips the mark.
bool callgrind_scan_key(struct callgrind_scan *scan, char mark, const char **key, size_t *len);
// What is left of the line, blanks around it cut off. Never false.
bool callgrind_scan_rest(struct callgrind_scan *scan, const char **text, size_t *len);
bool callgrind_scan_name(struct callgrind_scan *scan, struct callgrind_name *name);

#endif
