// SPDX-License-Identifier: MIT
// The first lines of main. Layer: cli.
#ifndef CKBENCH_STARTUP_H
#define CKBENCH_STARTUP_H

// Makes sure of three descriptors, of a mask under which our own files are ours, and that a limit
// on file sizes fails a write instead of killing. Call it before anything is opened.
void startup(void);

#endif
