// SPDX-License-Identifier: MIT
// cpu.stat of the second version of control groups counts microseconds, that of the first
// nanoseconds.
#include "measure/throttle.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_ROOM = 256, NS_PER_US = 1000 };

static int64_t number_behind(const char *line, const char *key)
{
    size_t len = strlen(key);
    char *end = NULL;
    long long number = strncmp(line, key, len) == 0 && line[len] == ' ' && line[len + 1] >= '0' &&
                               line[len + 1] <= '9'
                           ? strtoll(line + len + 1, &end, 10)
                           : -1;
    return end != NULL && (*end == '\n' || *end == '\0') ? number : -1;
}

bool throttle_read_file(const char *path, struct throttle *out)
{
    char line[LINE_ROOM];
    FILE *file = fopen(path, "re");
    *out = (struct throttle){-1, -1};
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        int64_t times = number_behind(line, "nr_throttled");
        int64_t us = number_behind(line, "throttled_usec");
        int64_t ns = number_behind(line, "throttled_time");
        out->times = times >= 0 ? times : out->times;
        out->us = us >= 0 ? us : ns >= 0 ? ns / NS_PER_US : out->us;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    bool is_whole = out->times >= 0 && out->us >= 0;
    if (!is_whole) {
        *out = (struct throttle){-1, -1};
    }
    return is_whole;
}

// Of the line of that beginning in /proc/self/cgroup, what is behind its last colon.
static bool find_group(const char *beginning, char out[PATH_MAX])
{
    char line[PATH_MAX];
    bool is_found = false;
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (file != NULL && !is_found && fgets(line, sizeof line, file) != NULL) {
        const char *hierarchy = strchr(line, ':');
        is_found = hierarchy != NULL && strncmp(hierarchy, beginning, strlen(beginning)) == 0;
        if (is_found) {
            line[strcspn(line, "\n")] = '\0';
            (void)snprintf(out, PATH_MAX, "%s", strrchr(line, ':') + 1);
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return is_found;
}

// In a container the group's own name may not be there: then the root that is seen is the group.
void throttle_read(struct throttle *out)
{
    static const struct {
        const char *beginning, *root;
    } versions[] = {{"::", "/sys/fs/cgroup"},
                    {":cpu:", "/sys/fs/cgroup/cpu"},
                    {":cpu,cpuacct:", "/sys/fs/cgroup/cpu,cpuacct"},
                    {":cpuacct,cpu:", "/sys/fs/cgroup/cpu,cpuacct"}};
    *out = (struct throttle){-1, -1};
    for (size_t i = 0; i < sizeof versions / sizeof versions[0] && out->times < 0; i++) {
        char group[PATH_MAX], path[2 * PATH_MAX];
        if (find_group(versions[i].beginning, group)) {
            (void)snprintf(path, sizeof path, "%s%s/cpu.stat", versions[i].root, group);
            if (!throttle_read_file(path, out)) {
                (void)snprintf(path, sizeof path, "%s/cpu.stat", versions[i].root);
                (void)throttle_read_file(path, out);
            }
        }
    }
}

struct throttle throttle_between(const struct throttle *before, const struct throttle *after)
{
    if (before->times < 0 || after->times < before->times || after->us < before->us) {
        return (struct throttle){-1, -1};
    }
    return (struct throttle){after->times - before->times, after->us - before->us};
}
