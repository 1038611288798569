// SPDX-License-Identifier: MIT
// Names of functions and objects, made comparable between two builds, and what the well-known ones
// are for. Layer: measure.
#ifndef CKBENCH_SYMBOL_H
#define CKBENCH_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>

#define SYMBOL_EXE "exe" // class name of the executable

// Length of `name` without what compilers and linkers add: recursion ('2), clones (.part.0,
// .constprop.1, .isra.2, .cold, .lto_priv.3, " [clone .cold]"), versions (@@GLIBC_2.17), and the
// hash of Rust names.
size_t symbol_clean_len(const char *name, size_t len);
// Is it an address or ???, for code without a symbol?
bool symbol_is_unresolved(const char *name, size_t len);
// The file name of a path, up to and with ".so" where it has that; *len is its length.
const char *symbol_class_of_path(const char *path, size_t *len);
// The part after the last slash.
const char *symbol_file_name(const char *path);

// Does the name start with ckbench_, the kit's mark?
bool symbol_is_kit(const char *name);
// Is it a way into an allocator? Names of glibc, jemalloc, mimalloc and tcmalloc, in any object;
// operator new only in an allocator's own object, for elsewhere it calls malloc.
bool symbol_is_allocator(const char *class_name, const char *name);
// Is it the C library's allocator or string code, whose cost hangs on addresses and heap state?
bool symbol_is_libc_heap(const char *class_name, const char *name);
bool symbol_is_libc_string(const char *class_name, const char *name);

// Splits "__memcpy_avx_unaligned_erms" into root "memcpy" of *root_len bytes and the variant
// "avx_unaligned_erms". False: no function that the linker chooses by CPU.
bool symbol_ifunc(const char *class_name, const char *name, const char **root, size_t *root_len,
                  const char **variant);

enum symbol_input { SYMBOL_INPUT_NONE, SYMBOL_INPUT_CLOCK, SYMBOL_INPUT_ENTROPY, SYMBOL_INPUT_PID };
// Which changing input it reads; wrappers by prefix (__wrap_, __vdso_) count.
enum symbol_input symbol_input(const char *name);

#endif
