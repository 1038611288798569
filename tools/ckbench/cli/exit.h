// SPDX-License-Identifier: MIT
// The exit codes of every verb. "Could not measure" is never EXIT_GOOD.
#ifndef CKBENCH_EXIT_H
#define CKBENCH_EXIT_H

enum exit_code {
    EXIT_GOOD = 0,       // done; the verdict, if any, is good
    EXIT_BAD = 1,        // measured, and the verdict is bad
    EXIT_USAGE = 2,      // the command line cannot be understood
    EXIT_INCOMPLETE = 3, // could not measure, compare, read or write
    EXIT_SIGINT = 130,   // interrupted, after all children are gone
    EXIT_SIGTERM = 143
};

// The code of a run that `signal` ended, as a shell tells it.
static inline int exit_by_signal(int signal)
{
    return 128 + signal;
}

#endif
