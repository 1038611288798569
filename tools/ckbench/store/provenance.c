// SPDX-License-Identifier: MIT
// What the writing program says of itself.
#include "store/provenance.h"

#include "store/json_out.h"

void provenance_put_tool(struct json_out *out, const char *version, const char *commit, int argc,
                         char *const *argv)
{
    json_begin_object(out, "tool");
    json_put_text(out, "name", "ckbench");
    json_put_text(out, "version", version);
    json_put_text(out, "commit", commit);
    json_end_object(out);
    json_begin_array(out, "argv");
    for (int i = 0; i < argc; i++) {
        json_put_text(out, NULL, argv[i]);
    }
    json_end_array(out);
}
