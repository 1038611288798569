// SPDX-License-Identifier: MIT
// Members of `provenance` that every document has. Layer: store.
#ifndef CKBENCH_PROVENANCE_H
#define CKBENCH_PROVENANCE_H

struct json_out;

// "tool" and "argv", inside an open object. `commit` may be NULL.
void provenance_put_tool(struct json_out *out, const char *version, const char *commit, int argc,
                         char *const *argv);

#endif
