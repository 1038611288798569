// SPDX-License-Identifier: MIT
#include "terrain_diffing.h"

#include "cli/exit.h"
#include "cli/say.h"

int terrain_diff(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return say_fail(EXIT_USAGE, "diff is not there yet");
}
