// SPDX-License-Identifier: MIT
// Who we are, as stamped by the build. Layer: cli.
#ifndef CKBENCH_TOOL_H
#define CKBENCH_TOOL_H

// The command that speaks, "ckbench": every program that links this room defines it.
const char *tool_name(void);

const char *tool_version(void); // "0.1.0"
const char *tool_commit(void);  // 40 hex digits; NULL: not built from a repository

#endif
