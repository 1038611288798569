// SPDX-License-Identifier: MIT
// Who we are, as stamped by the build. Layer: cli.
#ifndef CKBENCH_TOOL_H
#define CKBENCH_TOOL_H

const char *tool_version(void); // "0.1.0"
const char *tool_commit(void);  // 40 hex digits; NULL: not built from a repository

#endif
