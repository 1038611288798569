// SPDX-License-Identifier: MIT
// What main.c is for the command: whoever links its objects says who speaks.
#include "cli/tool.h"

const char *tool_name(void)
{
    return "cachekit";
}
