// SPDX-License-Identifier: MIT
// The files that executed, each read once however many windows name it. Layer: measure.
// One side's table; one thread at a time.
#ifndef CKBENCH_OBJECTS_H
#define CKBENCH_OBJECTS_H

#include "fault.h"
#include "measure/elf.h"

struct objects;

// NULL: no memory.
struct objects *objects_new(void);
void objects_free(struct objects *objects);

// What the file at `path` says about itself; kept until the table is freed. NULL: it cannot be
// read (tried once), with the fault filled.
const struct elf_image *objects_image(struct objects *objects, const char *path,
                                      struct fault *fault);

// For callgrind_request.class_of with a table as context: the image's class name, or NULL when
// there is no image.
const char *objects_class(void *objects, const char *path);

#endif
