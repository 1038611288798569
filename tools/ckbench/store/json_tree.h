// SPDX-License-Identifier: MIT
// How a document lies in memory. Layer: store, for json*.c only.
#ifndef CKBENCH_JSON_TREE_H
#define CKBENCH_JSON_TREE_H

#include "store/json.h"

struct json_value {
    enum json_kind kind;
    bool truth;
    unsigned line;
    size_t count;     // members or elements
    size_t text_len;  // of a text
    const char *raw;  // where it stands in the file
    size_t raw_len;   // 0 until it was read to its end
    const char *key;  // in the parent
    const char *text; // decoded, terminated
    int64_t integer;
    const struct json_doc *doc;
    struct json_value *parent, *first, *last, *next;
};

struct json_chunk;

struct json_doc {
    char *name;
    char *raw;   // the file, terminated
    char *texts; // decoded texts one after the other: together never longer than the file
    size_t len;
    struct json_value *root;
    struct json_chunk *chunks;
    size_t value_count;
};

// Reads `doc->raw` into the tree.
bool json_scan(struct json_doc *doc, struct fault *fault);

// A zeroed value that belongs to `doc`; NULL when there are too many or no memory.
struct json_value *json_value_new(struct json_doc *doc);

// "a.b[2]" of the value, "" of the root.
void json_path(const struct json_value *value, char *out, size_t size);

#endif
