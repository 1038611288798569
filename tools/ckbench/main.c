// SPDX-License-Identifier: MIT
// The verb table and nothing else that decides: find the verb, run it, make sure that what it
// printed has arrived. A result that could not be written is not a result.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/exit.h"
#include "cli/nearest.h"
#include "cli/say.h"
#include "cli/startup.h"
#include "cli/tool.h"
#include "verb.h"

static const struct verb *const verbs[] = {&verb_ir,     &verb_ab,   &verb_time,   &verb_terrain,
                                           &verb_report, &verb_list, &verb_doctor, &verb_init};
enum { VERB_COUNT = sizeof verbs / sizeof verbs[0] };

static const struct verb *find(const char *name)
{
    for (size_t i = 0; i < VERB_COUNT; i++) {
        if (strcmp(verbs[i]->name, name) == 0) {
            return verbs[i];
        }
    }
    return NULL;
}

static int refuse(const char *kind, const char *word)
{
    const char *words[VERB_COUNT + 3] = {"help", "--help", "--version"};
    for (size_t i = 0; i < VERB_COUNT; i++) {
        words[3 + i] = verbs[i]->name;
    }
    const char *near = nearest_word(word, words, VERB_COUNT + 3);
    return say_fail(EXIT_USAGE, "unknown %s '%.80s'%s%s%s (see ckbench --help)", kind, word,
                    near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static int print_help(void)
{
    (void)puts("usage: ckbench [--version] [--help] VERB [options]\n\n"
               "Measures native code, two builds against each other.\n\nverbs:");
    for (size_t i = 0; i < VERB_COUNT; i++) {
        (void)printf("  %-10s  %s\n", verbs[i]->name, verbs[i]->about);
    }
    (void)puts(
        "\nexit codes: 0 good, 1 bad, 2 usage, 3 could not measure, 130 and 143 interrupted\n"
        "\nexample:\n  ckbench ir --base ../parent");
    return EXIT_GOOD;
}

static int run_verb(const char *name, int argc, char **argv)
{
    const struct verb *verb = find(name);
    return verb != NULL ? verb->run(argc, argv) : refuse("verb", name);
}

static int run_help(int argc, char **argv)
{
    if (argc < 3) {
        return print_help();
    }
    if (argc > 3) {
        return say_fail(EXIT_USAGE, "help takes one verb (see ckbench --help)");
    }
    char help[] = "--help";
    char *words[] = {argv[2], help, NULL};
    return run_verb(argv[2], 2, words);
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        return say_fail(EXIT_USAGE, "no verb given (see ckbench --help)");
    }
    const char *word = argv[1];
    if (strcmp(word, "help") == 0) {
        return run_help(argc, argv);
    }
    if (word[0] != '-') {
        return run_verb(word, argc - 1, argv + 1);
    }
    bool is_help = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
    if (!is_help && strcmp(word, "--version") != 0) {
        return refuse("option", word);
    }
    if (argc > 2) {
        return say_fail(EXIT_USAGE, "%s stands alone (see ckbench --help)", word);
    }
    return is_help ? print_help() : printf("ckbench %s\n", tool_version()) < 0;
}

// Buffered text fails when it is flushed, long after printf said that all was well.
static int finish(int exit_code)
{
    errno = 0;
    int flushed = fflush(stdout);
    if (flushed != 0 || ferror(stdout)) {
        const char *why = errno != 0 ? strerror(errno) : "write error";
        return say_fail(EXIT_INCOMPLETE, "could not write the result to stdout: %s", why);
    }
    return exit_code;
}

int main(int argc, char **argv)
{
    startup();
    return finish(dispatch(argc, argv));
}
