// SPDX-License-Identifier: MIT
// `ck-inputs` lists the inputs of the workloads; `ck-inputs NAME` writes one to stdout.

#include <stdio.h>

#include "gen/inputs.h"

static int list(void)
{
    for (size_t i = 0; i < inputs_count; i++) {
        printf("%-12s %s\n", inputs[i].name, inputs[i].about);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 1) {
        return list();
    }
    pack out = {0};
    int rc = 2;
    if (argc != 2 || !input_make(argv[1], &out)) {
        fprintf(stderr,
                "ck-inputs: no such input: give one name out of those that ck-inputs lists\n");
    } else if (fwrite(out.bytes, 1, out.len, stdout) != out.len || fflush(stdout) != 0) {
        fprintf(stderr, "ck-inputs: cannot write to stdout: is there room?\n");
        rc = 1;
    } else {
        rc = 0;
    }
    pack_release(&out);
    return rc;
}
