// SPDX-License-Identifier: MIT
// `ckbench init`: a manifest, a first path and a workflow for a repository that has none. It writes
// all of its files or none, and never over one that is there.
#include "verb.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/exit.h"
#include "cli/opt.h"
#include "cli/say.h"
#include "cli/tool.h"
#include "init_texts.h"

enum { FILES_MAX = 16, REPOSITORY_MAX = 140 };

struct init_options {
    int language;
    const char *source;
};

static const char *const language_words[] = {"c", "c++", NULL};

static const struct init_options init_defaults = {.language = 0};

static const struct opt init_rows[] = {
    OPT_CHOICE(struct init_options, language, "lang", 0, language_words, "LANGUAGE",
               "of the first path"),
    OPT_TEXT(struct init_options, source, "source", 0, "OWNER/NAME",
             "the repository that the workflow takes ckbench from; default: the one that the "
             "repository's variable CKBENCH_REPOSITORY names"),
};

static const struct opt_table init_table = {
    .verb = "init",
    .about = "write a manifest, a first path and a workflow into this repository",
    .rows = init_rows,
    .row_count = OPT_ROWS(init_rows),
    .defaults = &init_defaults,
    .size = sizeof init_defaults,
    .exits =
        "0 all written; 2 usage, or one of the files is there already; 3 one could not be written",
    .example = "ckbench init --lang c++",
};

// What stands for each @WORD@.
struct words {
    const char *names[4], *values[4];
};

// `text` with its words replaced, to be freed; NULL: no memory.
static char *fill_in(const char *text, const struct words *words)
{
    char *out = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&out, &size);
    for (const char *at = text; stream != NULL && *at != '\0';) {
        const char *value = NULL;
        size_t len = 0;
        for (int i = 0; i < 4 && value == NULL; i++) {
            len = strlen(words->names[i]);
            value = strncmp(at, words->names[i], len) == 0 ? words->values[i] : NULL;
        }
        if (value != NULL) {
            (void)fputs(value, stream);
            at += len;
        } else {
            (void)fputc(*at++, stream);
        }
    }
    if (stream == NULL || fclose(stream) != 0) {
        free(out);
        return NULL;
    }
    return out;
}

// Files and folders that this run made, so that a failure can take them back.
struct made {
    char *paths[2 * FILES_MAX];
    bool is_folder[2 * FILES_MAX];
    size_t count;
};

static void note(struct made *made, const char *path, bool is_folder)
{
    char *copy = made->count < sizeof made->paths / sizeof made->paths[0] ? strdup(path) : NULL;
    if (copy != NULL) {
        made->paths[made->count] = copy;
        made->is_folder[made->count++] = is_folder;
    }
}

static void take_back(const struct made *made)
{
    for (size_t i = made->count; i > 0; i--) {
        (void)(made->is_folder[i - 1] ? rmdir(made->paths[i - 1]) : unlink(made->paths[i - 1]));
    }
}

static bool make_folders(char *path, struct made *made, struct fault *fault)
{
    for (char *at = path; *at != '\0'; at++) {
        if (*at != '/') {
            continue;
        }
        *at = '\0';
        int status = mkdir(path, 0777);
        bool ok = status == 0 || errno == EEXIST ||
                  fault_set(fault, "cannot make %.200s: %s", path, strerror(errno));
        if (status == 0) {
            note(made, path, true);
        }
        *at = '/';
        if (!ok) {
            return false;
        }
    }
    return true;
}

static bool write_new(const char *path, const char *text, bool is_program, struct made *made,
                      struct fault *fault)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, is_program ? 0777 : 0666);
    if (fd < 0) {
        return fault_set(fault, "cannot write %.200s: %s", path, strerror(errno));
    }
    note(made, path, false);
    size_t len = strlen(text);
    ssize_t written = write(fd, text, len);
    int error = written < 0 ? errno : ENOSPC;
    if (close(fd) != 0 && written == (ssize_t)len) {
        error = errno;
        written = -1;
    }
    return written == (ssize_t)len ||
           fault_set(fault, "cannot write %.200s: %s", path, strerror(error));
}

// None may be there: a link that leads nowhere is there too.
static bool is_free(char *const *paths, struct fault *fault)
{
    for (int i = 0; i < init_text_count; i++) {
        struct stat st;
        if (lstat(paths[i], &st) == 0) {
            return fault_set(fault,
                             "%s is there already, and nothing is written over; nothing was "
                             "written at all",
                             paths[i]);
        }
    }
    return true;
}

static bool write_all(char **paths, const struct words *words, struct made *made,
                      struct fault *fault)
{
    for (int i = 0; i < init_text_count; i++) {
        char *text = fill_in(init_texts[i].text, words);
        bool ok = (text != NULL || fault_set(fault, "out of memory")) &&
                  make_folders(paths[i], made, fault) &&
                  write_new(paths[i], text, init_texts[i].is_program, made, fault);
        free(text);
        if (!ok) {
            return false;
        }
    }
    return true;
}

static bool is_repository(const char *text)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    size_t owner = strspn(text, letters);
    size_t name = text[owner] == '/' ? strspn(text + owner + 1, letters) : 0;
    return owner > 0 && name > 0 && text[owner + 1 + name] == '\0' &&
           owner + name < REPOSITORY_MAX && text[0] != '-';
}

static void print_next(char *const *paths, const struct init_options *options)
{
    for (int i = 0; i < init_text_count; i++) {
        (void)printf("wrote %s\n", paths[i]);
    }
    (void)printf("\nnext:\n  git add ckbench.json bench .github && git commit -m 'a first path'\n"
                 "  bench/gate HEAD                  this checkout against that commit: PASS\n"
                 "then put your own calls into %s, and what they need into bench/Makefile.\n",
                 paths[2]);
    if (access("CMakeLists.txt", F_OK) == 0 || access("Makefile", F_OK) == 0) {
        (void)puts(
            "What this project builds by itself goes before `make -C bench`, in ckbench.json "
            "and in bench/gate.");
    }
    if (options->source == NULL) {
        (void)puts("The workflow takes ckbench from the repository that the variable "
                   "CKBENCH_REPOSITORY names: set it.");
    }
}

static int write_files(const struct init_options *options, char **paths, const struct words *words,
                       struct fault *fault)
{
    struct made made = {.count = 0};
    int code = EXIT_GOOD;
    for (int i = 0; i < init_text_count; i++) {
        paths[i] = fill_in(init_texts[i].path, words);
        if (paths[i] == NULL) {
            return fault_set(fault, "out of memory") ? EXIT_GOOD : EXIT_INCOMPLETE;
        }
    }
    if (!is_free(paths, fault)) {
        return EXIT_USAGE;
    }
    if (!write_all(paths, words, &made, fault)) {
        take_back(&made);
        code = EXIT_INCOMPLETE;
    } else {
        print_next(paths, options);
    }
    for (size_t i = 0; i < made.count; i++) {
        free(made.paths[i]);
    }
    return code;
}

static int init_run(int argc, char **argv)
{
    int code;
    struct fault fault;
    struct init_options options;
    char *paths[FILES_MAX] = {NULL};
    if (!opt_read(&init_table, argc, argv, &options, &code)) {
        return code;
    }
    if (options.source != NULL && !is_repository(options.source)) {
        return say_fail(EXIT_USAGE, "--source: '%.80s' is not of the form OWNER/NAME",
                        options.source);
    }
    const struct init_language *language = &init_languages[options.language];
    const char *commit = tool_commit();
    const struct words words = {
        {"@SOURCE@", "@COMPILE@", "@REPOSITORY@", "@COMMIT@"},
        {language->source, language->compile,
         options.source != NULL ? options.source : "${{ vars.CKBENCH_REPOSITORY }}",
         commit != NULL ? commit : tool_version()}};
    code = write_files(&options, paths, &words, &fault);
    for (int i = 0; i < init_text_count; i++) {
        free(paths[i]);
    }
    return code == EXIT_GOOD ? code : say_fault(code, &fault);
}

const struct verb verb_init = {"init", "write a manifest, a first path and a workflow here",
                               init_run};
