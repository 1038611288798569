// SPDX-License-Identifier: MIT
// The program's entry: reads the request, refuses what it does not understand with one line and
// status 2, and answers `list`. A request table, one row each.
#include "kit.h"

#include <stdio.h>
#include <string.h>

static int ckbench_list(int argc, char **argv, const char *compiler);

static const struct {
    const char *name;
    int (*run)(int argc, char **argv, const char *compiler);
} ckbench_requests[] = {
    {"list", ckbench_list},
    {"count", ckbench_count},
    {"time", ckbench_time},
    {"phases", ckbench_phases},
    {"terrain", ckbench_terrain_request},
};

static void ckbench_list_words(struct ckbench_line *line, const char *key, const char *const *words)
{
    ckbench_line_list_begin(line, key);
    for (size_t i = 0; words != NULL && words[i] != NULL; i++) {
        (void)ckbench_line_list_item(line, words[i]);
    }
    ckbench_line_list_end(line);
}

static void ckbench_list_phases(struct ckbench_line *line, const struct ckbench_phase *phases)
{
    ckbench_line_list_begin(line, "phases");
    for (size_t i = 0; phases != NULL && phases[i].name != NULL; i++) {
        (void)ckbench_line_list_item(line, phases[i].name);
    }
    ckbench_line_list_end(line);
}

static void ckbench_send_path(const struct ckbench_path *path)
{
    static const struct ckbench_extra nothing;
    const struct ckbench_extra *extra = path->extra != NULL ? path->extra : &nothing;
    struct ckbench_line line;
    ckbench_line_begin(&line, "path");
    ckbench_line_text(&line, "name", path->name);
    ckbench_line_text(&line, "about", path->about);
    ckbench_list_words(&line, "shapes", extra->shapes);
    ckbench_list_words(&line, "operations", extra->operations);
    ckbench_list_phases(&line, extra->phases);
    ckbench_line_bool(&line, "threads", extra->threads != 0);
    (void)ckbench_line_send(&line);
}

static int ckbench_list(int argc, char **argv, const char *compiler)
{
    (void)argv;
    if (argc > 0) {
        fprintf(stderr, "subject: list takes no arguments\n");
        return CKBENCH_EXIT_USAGE;
    }
    uint64_t lines = 1;
    ckbench_send_subject(compiler);
    for (const struct ckbench_path *path = ckbench_registry_first(); path; path = path->next) {
        ckbench_send_path(path);
        lines++;
    }
    lines += ckbench_list_terrains();
    ckbench_send_end(lines);
    return CKBENCH_EXIT_OK;
}

static int ckbench_usage(const char *why, const char *word)
{
    fprintf(stderr,
            "subject: %s%.100s; requests: list, count NAME,LAYOUT,WARMUP,N1,N2 ..., time PATH"
            " --calls N, phases PATH --calls N, terrain NAME OPTION=VALUE ...\n",
            why, word);
    return CKBENCH_EXIT_USAGE;
}

int ckbench_main(int argc, char **argv, const char *compiler)
{
    char fault[CKBENCH_REASON_BYTES];
    if (argc < 2) {
        return ckbench_usage("asked for nothing", "");
    }
    for (size_t i = 0; i < sizeof ckbench_requests / sizeof *ckbench_requests; i++) {
        if (strcmp(argv[1], ckbench_requests[i].name) != 0) {
            continue;
        }
        if (ckbench_registry_check(fault, sizeof fault) != NULL ||
            ckbench_terrain_check(fault, sizeof fault) != NULL) {
            fprintf(stderr, "subject: %s\n", fault);
            return CKBENCH_EXIT_USAGE;
        }
        if (ckbench_answer_open() != 0) {
            fprintf(stderr,
                    "subject: no file descriptor to answer on; CKBENCH_FD=1 answers here\n");
            return CKBENCH_EXIT_USAGE;
        }
        int status = ckbench_requests[i].run(argc - 2, argv + 2, compiler);
        return ckbench_is_heard() ? status : CKBENCH_EXIT_UNANSWERED;
    }
    return ckbench_usage("does not understand ", argv[1]);
}
