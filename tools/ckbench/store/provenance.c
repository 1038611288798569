// SPDX-License-Identifier: MIT
// What the writing program says of itself.
#include "store/provenance.h"

#include "store/json_out.h"

void provenance_put_tool(struct json_out *out, const struct provenance_tool *tool)
{
    json_begin_object(out, "tool");
    json_put_text(out, "name", "ckbench");
    json_put_text(out, "version", tool->version);
    json_put_text(out, "commit", tool->commit);
    if (tool->valgrind != NULL) {
        json_put_text(out, "valgrind", tool->valgrind);
    }
    json_end_object(out);
    json_begin_array(out, "argv");
    for (int i = 0; i < tool->argc; i++) {
        json_put_text(out, NULL, tool->argv[i]);
    }
    json_end_array(out);
}
