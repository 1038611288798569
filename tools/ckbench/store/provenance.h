// SPDX-License-Identifier: MIT
// Members of `provenance` that every document has. Layer: store.
#ifndef CKBENCH_PROVENANCE_H
#define CKBENCH_PROVENANCE_H

struct json_out;

// Who wrote the document. Texts are borrowed.
struct provenance_tool {
    const char *version;
    const char *commit; // NULL: unknown
    int argc;
    char *const *argv;
    const char *valgrind; // NULL: none was used
};

// "tool" and "argv", inside an open object.
void provenance_put_tool(struct json_out *out, const struct provenance_tool *tool);

#endif
