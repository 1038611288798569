// SPDX-License-Identifier: MIT
// A verb of ckbench: one row in main.c, one file verb_*.c. A verb never includes another one.
#ifndef CKBENCH_VERB_H
#define CKBENCH_VERB_H

struct verb {
    const char *name;
    const char *about; // one line for `ckbench --help`

    // argv[0] is the verb's name. Returns an exit code; keeps nothing at file scope, so that it may
    // run twice in a process. stdout carries the result only; main checks that it was written.
    int (*run)(int argc, char **argv);
};

extern const struct verb verb_ir;
extern const struct verb verb_ab;
extern const struct verb verb_list;
extern const struct verb verb_report;
extern const struct verb verb_time;
extern const struct verb verb_terrain;
extern const struct verb verb_doctor;
extern const struct verb verb_init;

#endif
