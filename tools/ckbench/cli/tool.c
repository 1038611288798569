// SPDX-License-Identifier: MIT
// The one file that is compiled again when the version changes.
#include "cli/tool.h"

const char *tool_version(void)
{
    return CKBENCH_VERSION;
}
