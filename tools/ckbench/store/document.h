// SPDX-License-Identifier: MIT
// The frame of every document that ckbench writes: {"body": ..., "provenance": ...,
// "body_sha256": ...}. The hash is over the bytes of the compact body: as it stands, without the
// white space between values. Layer: store.
#ifndef CKBENCH_DOCUMENT_H
#define CKBENCH_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "fault.h"

struct json_doc;
struct json_out;
struct json_value;

// Frames `body` and `provenance`, each one finished object, and puts the document on `stream`,
// whose owner looks whether it arrived.
bool document_print(FILE *stream, const struct json_out *body, const struct json_out *provenance,
                    struct fault *fault);

// The same to a file: the old one or the new one, whole. Bad paths and full disks are faults.
bool document_write(const char *path, const struct json_out *body,
                    const struct json_out *provenance, struct fault *fault);

// Reads, checks the frame, the hash and that body.schema is `schema`; the caller frees `*doc`.
// `*body` and `*provenance` live as long as it.
bool document_read(const char *path, const char *schema, struct json_doc **doc,
                   const struct json_value **body, const struct json_value **provenance,
                   struct fault *fault);

// Does `body` have every member of `again`, the body as it was made once more from what was
// measured, in the same words? Members that `again` does not have are passed over.
bool document_follows(const struct json_value *body, const struct json_out *again,
                      struct fault *fault);

// Prints a document that was read.
bool document_print_again(FILE *stream, const struct json_value *body,
                          const struct json_value *provenance, struct fault *fault);

#endif
