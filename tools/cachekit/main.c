// SPDX-License-Identifier: MIT
// The table of verbs, and what stands above all of them: help, and that stdout took what it was
// given. Complaints do not repeat words of the command line: one of them may be a secret.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <cachekit/version.h>

#include "cli/nearest.h"
#include "cli/say.h"
#include "cli/startup.h"
#include "cli/tool.h"
#include "command.h"

static const struct command *const commands[] = {&command_key,     &command_encode, &command_decode,
                                                 &command_inspect, &command_get,    &command_put,
                                                 &command_del,     &command_ttl};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static const char help_tail[] =
    "\n"
    "formats (--format):\n"
    "  interop     one canonical MessagePack document, the same from every SDK\n"
    "  envelope    MessagePack, compressed, with a checksum (ByteStorage)\n"
    "  msgpack     MessagePack, maps in the order of their pairs\n"
    "  raw         bytes as they are, for get and put\n"
    "\n"
    "JSON that goes in and out; what JSON cannot say is an object of one $ key:\n"
    "  {\"$bytes\": \"00ff\"}            bytes, in hexadecimal\n"
    "  {\"$int\": \"9007199254740993\"}  integers beyond 2^53 - 1\n"
    "  {\"$float\": \"nan\"}             nan, inf, -inf; floats have a point or exponent\n"
    "  {\"$map\": [[1, 2]]}            maps with keys that are no text, or one $ key\n"
    "  {\"$datetime\": \"...\"}          in: ISO 8601 with offset; out: its map\n"
    "  {\"$set\": []}, {\"$uuid\": \"\"}   in arguments of a call only\n"
    "\n"
    "environment:\n"
    "  CACHEKIT_MASTER_KEY            64 hexadecimal digits, for --encrypt\n"
    "  CACHEKIT_PREVIOUS_MASTER_KEYS  up to three earlier ones, separated by commas\n"
    "  CACHEKIT_REDIS_URL             a backend, with its password, for no --backend\n"
    "\n"
    "exit status: 0 done, 1 absent, 2 wrong arguments, 3 refused or failed; with one\n"
    "line on stderr that names the class of the error, and then nothing on stdout\n"
    "\n"
    "examples:\n"
    "  cachekit key --namespace users --operation get_user '[42, \"en\"]'\n"
    "  echo '{\"id\": 42}' | cachekit encode --format envelope >entry\n"
    "  cachekit inspect entry\n"
    "  cachekit decode --format envelope <entry\n"
    "  echo '[1]' | cachekit put --backend file:/var/cache/app --ttl-ms 60000 KEY";

const char *tool_name(void)
{
    return "cachekit";
}

const char *tool_version(void)
{
    return cachekit_version();
}

static const struct command *find(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

static int refuse(const char *kind, const char *word)
{
    const char *words[COMMAND_COUNT + 3] = {"help", "--help", "--version"};
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        words[3 + i] = commands[i]->name;
    }
    const char *near = nearest_word(word, words, COMMAND_COUNT + 3);
    return say_fail(COMMAND_USAGE, "unknown %s%s%s%s (see cachekit --help)", kind,
                    near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static int print_help(void)
{
    (void)puts("usage: cachekit [--version] [--help] VERB [options]\n\n"
               "Makes keys of the CacheKit protocol, and looks at what lies under them.\n\nverbs:");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        (void)printf("  %-10s  %s\n", commands[i]->name, commands[i]->about);
    }
    (void)puts(help_tail);
    return COMMAND_DONE;
}

static int run_command(const char *name, int argc, char **argv)
{
    const struct command *command = find(name);
    return command != NULL ? command->run(argc, argv) : refuse("verb", name);
}

static int run_help(int argc, char **argv)
{
    if (argc < 3) {
        return print_help();
    }
    if (argc > 3) {
        return say_fail(COMMAND_USAGE, "help takes one verb (see cachekit --help)");
    }
    char help[] = "--help";
    char *words[] = {argv[2], help, NULL};
    return run_command(argv[2], 2, words);
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        return say_fail(COMMAND_USAGE, "no verb given (see cachekit --help)");
    }
    const char *word = argv[1];
    if (strcmp(word, "help") == 0) {
        return run_help(argc, argv);
    }
    if (word[0] != '-') {
        return run_command(word, argc - 1, argv + 1);
    }
    bool is_help = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
    if (!is_help && strcmp(word, "--version") != 0) {
        return refuse("option", word);
    }
    if (argc > 2) {
        return say_fail(COMMAND_USAGE, "%s stands alone (see cachekit --help)", word);
    }
    return is_help ? print_help() : printf("cachekit %s\n", tool_version()) < 0;
}

// Help and version are printed by stdio, which fails when it flushes.
static int finish(int exit_code)
{
    errno = 0;
    int flushed = fflush(stdout);
    if (flushed != 0 || ferror(stdout)) {
        const char *why = errno != 0 ? strerror(errno) : "write error";
        return say_fail(COMMAND_REFUSED, "E_UNKNOWN: could not write the result to stdout: %s",
                        why);
    }
    return exit_code;
}

int main(int argc, char **argv)
{
    startup();
    (void)signal(SIGPIPE, SIG_IGN); // a reader that has gone is a failed write, said as one
    return finish(dispatch(argc, argv));
}
