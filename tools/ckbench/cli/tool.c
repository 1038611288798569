// SPDX-License-Identifier: MIT
// The one file that is compiled again when the version changes. The commit lies in a source that
// every build looks at again.
#include "cli/tool.h"

#include <stddef.h>

extern const char *const ckbench_stamp_commit;

const char *tool_name(void)
{
    return "ckbench";
}

const char *tool_version(void)
{
    return CKBENCH_VERSION;
}

const char *tool_commit(void)
{
    return ckbench_stamp_commit;
}
