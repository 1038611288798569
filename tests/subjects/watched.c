// SPDX-License-Identifier: MIT
// Writes down what it was given: its environment, one file for each process, into the folder `seen`
// beside the program, when there is one. A path and a terrain, so that every verb starts it.
#include <ckbench/terrain.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

__attribute__((constructor)) static void write_down(void)
{
    char program[PATH_BYTES] = "";
    char file[PATH_BYTES + 64];
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash = len > 0 ? strrchr(program, '/') : NULL;
    if (slash == NULL) {
        return;
    }
    *slash = '\0';
    (void)snprintf(file, sizeof file, "%s/seen/%d", program, (int)getpid());
    int fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    for (char **entry = environ; fd >= 0 && *entry != NULL; entry++) {
        (void)!write(fd, *entry, strlen(*entry) + 1);
    }
    (void)close(fd);
}

static size_t calls;

static void *setup(void)
{
    return &calls;
}

static void count(void *state)
{
    ++*(size_t *)state;
}

static int verify(void *state)
{
    return *(size_t *)state > 0 ? 0 : 1;
}

static const char *const layers[] = {"miss", NULL};

static void *open_server(const struct ckbench_terrain_setup *setup_of_terrain)
{
    (void)setup_of_terrain;
    return &calls;
}

static int call_server(void *state, const struct ckbench_ask *ask)
{
    size_t bytes;
    (void)ckbench_load(ask->key, &bytes);
    count(state);
    return 0;
}

static int count_server(void *state, uint64_t *served)
{
    served[0] = *(size_t *)state;
    return 0;
}

CKBENCH_PATH(counts, "one more", setup, count, verify, NULL)
CKBENCH_TERRAIN(server, "every call loads", layers, open_server, call_server, count_server, NULL)
CKBENCH_MAIN
