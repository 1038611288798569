// SPDX-License-Identifier: MIT
// A process that does what ckbench does while a gate runs: a scratch directory, three children at
// once that grow trees and never end. Tests kill it. It says "ready" on stdout once all trees
// stand, and exits with 100 plus the signal that it was interrupted by.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "measure/interrupt.h"
#include "measure/proc.h"
#include "measure/scratch.h"

enum { CHILDREN = 3 };

static enum proc_word hear(void *context, const char *line, size_t length)
{
    int *trees = context;
    (void)line;
    (void)length;
    if (++*trees == CHILDREN) {
        (void)!write(STDOUT_FILENO, "ready\n", 6);
    }
    return PROC_GO_ON;
}

static bool add_children(struct proc_pool *pool, const struct scratch *scratch,
                         const struct proc_task *like, struct fault *fault)
{
    for (int i = 0; i < CHILDREN; i++) {
        struct proc_task task = *like;
        task.spec.dir = scratch->path;
        if (!proc_pool_add(pool, &task, fault)) {
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    struct scratch scratch;
    struct fault fault;
    int trees = 0;
    char out_path[512];
    const char *const child_argv[] = {argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "", NULL};
    const char *const env[] = {argc > 3 ? argv[3] : NULL, NULL};
    if (!interrupt_install(&fault) || !scratch_open(&scratch, &fault)) {
        (void)fprintf(stderr, "%s\n", fault.text);
        return 3;
    }
    (void)snprintf(out_path, sizeof out_path, "%s/out", scratch.path);
    const struct proc_task task = {
        .spec = {.argv = child_argv, .env = env, .out_path = out_path, .err_path = out_path},
        .on_line = hear,
        .context = &trees};
    struct proc_pool *pool = proc_pool_new(CHILDREN);
    bool good =
        pool != NULL && add_children(pool, &scratch, &task, &fault) && proc_pool_run(pool, &fault);
    proc_pool_free(pool);
    scratch_close(&scratch);
    return good ? 0 : 100 + interrupt_seen();
}
