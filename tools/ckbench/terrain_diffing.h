// SPDX-License-Identifier: MIT
// `ckbench terrain diff A.json B.json`; a part of verb_terrain.c.
#ifndef CKBENCH_TERRAIN_DIFFING_H
#define CKBENCH_TERRAIN_DIFFING_H

// argv[0] is "diff". Returns an exit code.
int terrain_diff(int argc, char **argv);

#endif
