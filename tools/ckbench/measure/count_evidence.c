// SPDX-License-Identifier: MIT
// valgrind names both the dump and the log of every process after its pid, also of those that were
// forked and became another program: a file that belongs to no request is work that was not
// counted.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/count_inside.h"
#include "measure/tail.h"

enum { TAIL_LINES = 20, LOG_BYTES = 64 * 1024 };

// The pid of "4711.out" or "4711.log", -1 for any other name.
static pid_t owner_of(const char *name)
{
    char *end = NULL;
    long pid = name[0] >= '1' && name[0] <= '9' ? strtol(name, &end, 10) : -1;
    if (pid <= 0 || pid > INT32_MAX || (strcmp(end, ".out") != 0 && strcmp(end, ".log") != 0)) {
        return -1;
    }
    return (pid_t)pid;
}

static bool is_known(const struct attempt *attempt, pid_t pid)
{
    for (size_t i = 0; i < attempt->size; i++) {
        if (attempt->unit->results[attempt->indices[i]].pid == pid) {
            return true;
        }
    }
    return false;
}

// Each process counts once, by its log; a name that is no log counts where there is none.
static bool is_stray(const struct attempt *attempt, int dir, const char *name, pid_t main)
{
    char log[32];
    pid_t pid = owner_of(name);
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || (pid > 0 && pid == main) ||
        (pid > 0 && is_known(attempt, pid))) {
        return false;
    }
    (void)snprintf(log, sizeof log, "%d.log", (int)pid);
    return pid < 0 || strcmp(name, log) == 0 || faccessat(dir, log, F_OK, 0) != 0;
}

size_t evidence_strays(const struct attempt *attempt, pid_t main)
{
    size_t strays = 0;
    DIR *dir = opendir(attempt->dump_dir);
    if (dir == NULL) {
        return 0;
    }
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        strays += is_stray(attempt, dirfd(dir), entry->d_name, main);
    }
    (void)closedir(dir);
    return strays;
}

// The last record of a whole dump is its totals line.
static bool ends_with_totals(const char *path)
{
    char end[256];
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) {
        return false;
    }
    bool regular = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    off_t room = (off_t)sizeof end - 1;
    off_t from = regular && status.st_size > room ? status.st_size - room : 0;
    ssize_t got = regular ? pread(fd, end, sizeof end - 1, from) : 0;
    (void)close(fd);
    end[got > 0 ? got : 0] = '\0';
    char *totals = NULL;
    for (char *at = end; (at = strstr(at, "\ntotals: ")) != NULL; at++) {
        totals = at;
    }
    size_t length = totals != NULL ? strcspn(totals + 1, "\n") : 0;
    return length > 0 && totals[1 + length] == '\n' &&
           strspn(totals + 1 + length, "\n") == strlen(totals + 1 + length);
}

char *evidence_dump(const struct attempt *attempt, pid_t pid, struct fault *fault)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%d.out", attempt->dump_dir, (int)pid) < 0) {
        (void)fault_set(fault, "out of memory");
        return NULL;
    }
    if (access(path, F_OK) != 0) {
        (void)fault_set(fault, "valgrind left no counts of it");
    } else if (!ends_with_totals(path)) {
        (void)fault_set(fault, "valgrind's counts of it are cut: is the disk of TMPDIR full?");
    } else {
        return path;
    }
    free(path);
    return NULL;
}

static char *log_path(const struct attempt *attempt, pid_t pid)
{
    char *path = NULL;
    return asprintf(&path, "%s/%d.log", attempt->dump_dir, (int)pid) < 0 ? NULL : path;
}

// Copies the rest of the line after `mark` in `text`; true when there is one.
static bool rest_of_line(const char *text, const char *mark, char *rest, size_t size)
{
    const char *at = strstr(text, mark);
    if (at == NULL) {
        return false;
    }
    at += strlen(mark);
    (void)snprintf(rest, size, "%.*s", (int)strcspn(at, "\n"), at);
    return true;
}

static char *read_log(const struct attempt *attempt, pid_t pid)
{
    char *path = log_path(attempt, pid);
    char *log = calloc(1, LOG_BYTES);
    FILE *file = path != NULL ? fopen(path, "re") : NULL;
    if (file != NULL && log != NULL) {
        (void)!fread(log, 1, LOG_BYTES - 1, file);
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    free(path);
    return log;
}

void evidence_death(const struct attempt *attempt, pid_t pid, char *text, size_t size)
{
    char bytes[96];
    char place[160];
    char *log = read_log(attempt, pid);
    const char *death = log != NULL ? strstr(log, "Process terminating") : NULL;
    text[0] = '\0';
    if (death != NULL && rest_of_line(death, "   at 0x", place, sizeof place)) {
        const char *name = strstr(place, ": ");
        bool unknown = rest_of_line(log, "unhandled instruction bytes: ", bytes, sizeof bytes);
        (void)snprintf(text, size, " at %s%s%s", name != NULL ? name + 2 : place,
                       unknown ? ", where valgrind does not know the instruction " : "",
                       unknown ? bytes : "");
    }
    free(log);
}

const char *evidence_unwritten(const struct attempt *attempt, pid_t pid)
{
    if (access(attempt->dump_dir, W_OK) != 0) {
        return "; the folder for its counts is gone";
    }
    char *log = read_log(attempt, pid);
    bool is_refused =
        log != NULL && strstr(log, "can not open cache simulation output file") != NULL;
    free(log);
    return is_refused ? "; valgrind could not write its counts" : "";
}

char *evidence_tail(const struct attempt *attempt, pid_t pid, int64_t from)
{
    char *path = log_path(attempt, pid);
    char *log = path != NULL && pid > 0 ? tail_read(path, 0, TAIL_LINES) : NULL;
    char *said = tail_read(attempt->err_path, from, log != NULL ? TAIL_LINES / 2 : TAIL_LINES);
    char *both = NULL;
    if (log != NULL && said != NULL) {
        free(log);
        log = tail_read(path, 0, TAIL_LINES / 2);
        both = log != NULL && asprintf(&both, "%s\n%s", said, log) > 0 ? both : NULL;
    }
    free(path);
    if (both != NULL) {
        free(log);
        free(said);
        return both;
    }
    free(said != NULL ? log : NULL);
    return said != NULL ? said : log;
}
