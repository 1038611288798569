// SPDX-License-Identifier: MIT
#ifndef PLANT_H
#define PLANT_H

// Fills the text that plant_copy and plant_lz4 work on.
__attribute__((visibility("default"))) void plant_fill(void);

// The measured calls: each is an op as it stands.
__attribute__((visibility("default"))) void plant_ir(void *state);
__attribute__((visibility("default"))) void plant_alloc(void *state);
__attribute__((visibility("default"))) void plant_syscall(void *state);
__attribute__((visibility("default"))) void plant_copy(void *state);
__attribute__((visibility("default"))) void plant_lz4(void *state);

#endif
