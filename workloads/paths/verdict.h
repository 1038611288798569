// SPDX-License-Identifier: MIT
#ifndef WORKLOADS_VERDICT_H
#define WORKLOADS_VERDICT_H

/** What verify() returns; the number stands in the kit's `failed` line. */
enum {
    VERDICT_OK = 0,
    VERDICT_CALL_FAILED = 1,  /* a measured call did not say CACHEKIT_OK, or there was none */
    VERDICT_WRONG_OUTPUT = 2, /* not what the call's name promises */
    VERDICT_READ_HOSTILE = 3  /* hostile input was read, or its lawful neighbour was not */
};

#endif
