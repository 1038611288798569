// SPDX-License-Identifier: MIT
// Files of /proc and /sys, each of which may be missing in a container: a fact that cannot be read
// is unknown, never a guess and never a failure.
#include "measure/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#ifdef __x86_64__
#    include <cpuid.h>
#endif
#ifdef __GLIBC__
#    include <gnu/libc-version.h>
#endif

static void clean(char *text)
{
    text[strcspn(text, "\n")] = '\0';
    for (char *c = text; *c != '\0'; c++) {
        *c = *c < 0x20 || *c > 0x7e ? '?' : *c;
    }
}

// The first line of a small file, "" when there is none.
static void read_line(const char *path, char *out, int size)
{
    FILE *file = fopen(path, "re");
    out[0] = '\0';
    if (file == NULL) {
        return;
    }
    if (fgets(out, size, file) == NULL) {
        out[0] = '\0';
    }
    (void)fclose(file);
    clean(out);
}

static void read_cpu(char *out, size_t size)
{
    static const char key[] = "model name";
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");
    if (file == NULL) {
        return;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (colon != NULL && strncmp(line, key, sizeof key - 1) == 0) {
            colon += 1 + strspn(colon + 1, " \t");
            (void)snprintf(out, size, "%s", colon);
            break;
        }
    }
    (void)fclose(file);
    clean(out);
}

// The hypervisor's own name out of its CPUID leaf; "" on bare metal or another architecture.
static void read_hypervisor(char out[13])
{
    out[0] = '\0';
#ifdef __x86_64__
    unsigned a;
    unsigned b;
    unsigned c;
    unsigned d;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & 1U << 31) == 0) {
        return;
    }
    __cpuid(0x40000000, a, b, c, d);
    memcpy(out, &b, 4);
    memcpy(out + 4, &c, 4);
    memcpy(out + 8, &d, 4);
    out[12] = '\0';
    clean(out);
    if (out[0] == '\0') {
        (void)snprintf(out, 13, "hypervisor");
    }
#endif
}

static void read_virtualisation(char *out, size_t size)
{
    char hypervisor[13];
    char product[64];
    read_hypervisor(hypervisor);
    read_line("/sys/class/dmi/id/product_name", product, sizeof product);
#ifdef __x86_64__
    const char *fallback = "none";
#else
    const char *fallback = "";
#endif
    if (hypervisor[0] == '\0') {
        (void)snprintf(out, size, "%s", fallback);
    } else {
        (void)snprintf(out, size, "%s%s%s", hypervisor, product[0] != '\0' ? ", " : "", product);
    }
}

static int64_t read_load_milli(void)
{
    double load;
    if (getloadavg(&load, 1) != 1 || load < 0 || load > 1e6) {
        return -1;
    }
    return (int64_t)(load * 1000 + 0.5);
}

void host_read(struct host *host)
{
    struct utsname kernel;
    memset(host, 0, sizeof *host);
    read_cpu(host->cpu, sizeof host->cpu);
    host->cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (uname(&kernel) == 0) {
        (void)snprintf(host->kernel, sizeof host->kernel, "%.40s %.80s %.30s", kernel.sysname,
                       kernel.release, kernel.machine);
        clean(host->kernel);
    }
#ifdef __GLIBC__
    (void)snprintf(host->libc, sizeof host->libc, "glibc %s", gnu_get_libc_version());
#endif
    read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", host->governor,
              sizeof host->governor);
    read_virtualisation(host->virtualisation, sizeof host->virtualisation);
    host->load_milli = read_load_milli();
}

// The line is "cpu user nice system idle iowait irq softirq steal guest guest_nice"; guest time is
// in user time already.
void host_ticks_read(struct host_ticks *ticks)
{
    enum { FIELDS = 8 }; // the last of them is steal
    char line[256];
    *ticks = (struct host_ticks){-1, -1};
    read_line("/proc/stat", line, sizeof line);
    if (strncmp(line, "cpu ", 4) != 0) {
        return;
    }
    char *at = line + 4;
    int64_t total = 0;
    int64_t value = 0;
    for (int i = 0; i < FIELDS; i++) {
        char *end;
        value = strtoll(at, &end, 10);
        if (end == at || value < 0) {
            return;
        }
        total += value;
        at = end;
    }
    *ticks = (struct host_ticks){total, value};
}

int64_t host_steal_milli(const struct host_ticks *before, const struct host_ticks *after)
{
    if (before->total < 0 || after->total <= before->total || after->steal < before->steal) {
        return -1;
    }
    return (after->steal - before->steal) * 1000 / (after->total - before->total);
}
