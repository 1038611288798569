// SPDX-License-Identifier: MIT
// What is missing to the longest arm is made up by variables CKBENCH_PADn.
#include "measure/ab_env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/valgrind.h"

enum { PAD_ROOM = 16, NAMES_ON_STACK = 2 };
static const char PAD_FORMAT[] = "CKBENCH_PAD%02zu=";

const char *ab_env_find(const char *const *env, const char *name)
{
    size_t len = strlen(name);
    for (; *env != NULL; env++) {
        if (strncmp(*env, name, len) == 0 && (*env)[len] == '=') {
            return *env + len + 1;
        }
    }
    return NULL;
}

static bool is_replaced(const struct ab_wish *wish, const char *variable)
{
    size_t len = strcspn(variable, "=") + 1;
    for (size_t i = 0; i < wish->count; i++) {
        if (strncmp(wish->items[i], variable, len) == 0) {
            return true;
        }
    }
    return false;
}

// Fills `items` without pads; how many.
static size_t gather(const struct ab_wish *wish, const char **items)
{
    size_t count = 0;
    for (const char *const *fixed = valgrind_native_env(); *fixed != NULL; fixed++) {
        if (!is_replaced(wish, *fixed)) {
            items[count++] = *fixed;
        }
    }
    for (size_t i = 0; i < wish->count; i++) {
        items[count++] = wish->items[i];
    }
    return count;
}

static size_t bytes_of(const char *const *items, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        bytes += strlen(items[i]) + 1;
    }
    return bytes;
}

struct measure {
    size_t count, bytes; // without pads, the program's names included
};

static struct measure measure_of(const struct ab_wish *wish)
{
    const char *items[2 * AB_VARIABLES_MAX];
    size_t count = gather(wish, items);
    return (struct measure){count, bytes_of(items, count) + NAMES_ON_STACK * wish->program_bytes};
}

// `pads` variables that take `bytes` bytes in all, the first one whatever the others leave.
static char *put_pads(char *at, char **slot, size_t pads, size_t bytes)
{
    char name[PAD_ROOM];
    size_t least = (size_t)snprintf(name, sizeof name, PAD_FORMAT, (size_t)0) + 1;
    for (size_t i = 0; i < pads; i++) {
        size_t room = i == 0 ? bytes - (pads - 1) * least : least;
        slot[i] = at;
        (void)snprintf(at, room, PAD_FORMAT, i);
        memset(at + least - 1, 'x', room - least);
        at[room - 1] = '\0';
        at += room;
    }
    return at;
}

static char **build(const struct ab_wish *wish, size_t all, size_t total)
{
    const char *items[2 * AB_VARIABLES_MAX];
    size_t count = gather(wish, items), own = bytes_of(items, count);
    size_t pad_bytes = total - own - NAMES_ON_STACK * wish->program_bytes;
    char **env = malloc((all + 1) * sizeof *env + own + pad_bytes);
    if (env == NULL) {
        return NULL;
    }
    char *at = (char *)(env + all + 1);
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(items[i]) + 1;
        env[i] = memcpy(at, items[i], len);
        at += len;
    }
    (void)put_pads(at, env + count, all - count, pad_bytes);
    env[all] = NULL;
    return env;
}

bool ab_env_build(const struct ab_wish *wishes, size_t count, char ***out, struct fault *fault)
{
    size_t all = 0, total = 0;
    for (size_t i = 0; i < count; i++) {
        size_t variables = measure_of(&wishes[i]).count + 1; // one pad at least
        all = variables > all ? variables : all;
    }
    for (size_t i = 0; i < count; i++) {
        struct measure m = measure_of(&wishes[i]);
        size_t bytes = m.bytes + (all - m.count) * PAD_ROOM;
        total = bytes > total ? bytes : total;
    }
    for (size_t i = 0; i < count; i++) {
        out[i] = build(&wishes[i], all, total);
        if (out[i] == NULL) {
            while (i > 0) {
                ab_env_free(out[--i]);
            }
            return fault_set(fault, "out of memory");
        }
    }
    return true;
}

void ab_env_free(char **env)
{
    free(env);
}
