// SPDX-License-Identifier: MIT
// `cachekit key`: the key under which a call's result lies. All that can be wrong is an argument,
// so every refusal is a usage complaint.
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cachekit/key.h>

#include "arg_json.h"
#include "cli/opt.h"
#include "cli/say.h"
#include "command.h"
#include "complain.h"
#include "stream.h"

struct key_options {
    const char *name_space;
    const char *operation;
    bool is_auto;
    const char *function;
    const char *kwargs;
    const char *serializer;
    bool integrity;
    struct opt_texts arguments;
};

static const struct key_options key_defaults = {.integrity = true};

static const struct opt key_rows[] = {
    OPT_TEXT(struct key_options, name_space, "namespace", 'n', "NAME",
             "name space; an auto key can do without"),
    OPT_TEXT(struct key_options, operation, "operation", 'o', "NAME",
             "operation, of an interop key"),
    OPT_FLAG(struct key_options, is_auto, "auto", 'a', "the key of Python's auto mode instead"),
    OPT_TEXT(struct key_options, function, "function", 0, "NAME",
             "module.qualname, of an auto key"),
    OPT_TEXT(struct key_options, kwargs, "kwargs", 0, "JSON",
             "an object of keyword arguments, of an auto key"),
    OPT_TEXT(struct key_options, serializer, "serializer", 0, "CODE",
             "serializer of an auto key: a code (s, a, o, w, l, x23d5) or a name; s if not given"),
    OPT_FLAG(struct key_options, integrity, "integrity", 0,
             "the auto key of values without a checksum"),
    OPT_OPERANDS(struct key_options, arguments, 0, 1, "[ARGUMENTS]", "a JSON array"),
};

static const struct opt_table key_table = {
    .verb = "key",
    .about = "print the key of a call. ARGUMENTS is a JSON array, [] if not given, with all "
             "defaults filled in; {\"$set\": []}, {\"$bytes\": \"hex\"}, {\"$datetime\": \"ISO "
             "8601\"}, {\"$uuid\": \"\"}, {\"$float\": \"2\"}, {\"$int\": \"5\"} and {\"$map\": "
             "[[key, value]]} are what JSON cannot say.",
    .rows = key_rows,
    .row_count = OPT_ROWS(key_rows),
    .defaults = &key_defaults,
    .size = sizeof key_defaults,
    .exits = "0 done; 2 wrong arguments, those of the call included; 3 no memory",
    .example = "cachekit key --namespace users --operation get_user '[42, \"en\"]'",
    .is_discreet = true,
};

static cachekit_slice slice_of(const char *text)
{
    return (cachekit_slice){(const uint8_t *)text, strlen(text)};
}

// NULL, or what is missing or too much.
static const char *check(const struct key_options *options)
{
    if (!options->is_auto) {
        if (options->function != NULL || options->kwargs != NULL || options->serializer != NULL ||
            !options->integrity) {
            return "--function, --kwargs, --serializer and --no-integrity are for --auto";
        }
        return options->name_space == NULL || options->operation == NULL
                   ? "--namespace and --operation are needed, or --auto and --function"
                   : NULL;
    }
    if (options->operation != NULL) {
        return "--operation is of an interop key, and --auto asks for another";
    }
    return options->function == NULL ? "--auto needs --function, module.qualname" : NULL;
}

static bool is_code(const char *text)
{
    return (strlen(text) == 1 && strchr("saowl", text[0]) != NULL) ||
           (strlen(text) == 5 && text[0] == 'x' && strspn(text + 1, "0123456789abcdef") == 4);
}

static cachekit_status make_auto(const struct key_options *options, const struct arg_list *args,
                                 cachekit_arena *arena, char *out, cachekit_error *error)
{
    struct arg_list named = {NULL, 0};
    char code[CACHEKIT_SERIALIZER_CODE_ROOM] = "s";
    cachekit_status status = CACHEKIT_OK;
    if (options->kwargs != NULL) {
        status = arg_json_read_named(slice_of(options->kwargs), arena, &named, error);
    }
    if (status >= 0 && options->serializer != NULL && is_code(options->serializer)) {
        (void)snprintf(code, sizeof code, "%.5s", options->serializer);
    } else if (status >= 0 && options->serializer != NULL) {
        status = cachekit_serializer_code(options->serializer, code);
    }
    if (status < 0) {
        return status;
    }
    const cachekit_key_auto_parts parts = {.name_space = options->name_space,
                                           .function = options->function,
                                           .serializer_code = code,
                                           .no_integrity = !options->integrity};
    return cachekit_key_auto(&parts, args->items, args->count, named.items, named.count, out,
                             error);
}

static cachekit_status make_key(const struct key_options *options, cachekit_arena *arena, char *out,
                                cachekit_error *error)
{
    struct arg_list args;
    const char *text = options->arguments.count > 0 ? options->arguments.items[0] : "[]";
    cachekit_status status = arg_json_read(slice_of(text), arena, &args, error);
    if (status < 0) {
        return status;
    }
    return options->is_auto ? make_auto(options, &args, arena, out, error)
                            : cachekit_key_interop(options->name_space, options->operation,
                                                   args.items, args.count, out, error);
}

static int key_run(int argc, char **argv)
{
    int code;
    struct key_options options;
    char line[CACHEKIT_KEY_AUTO_ROOM + 1]; // the larger of the two, and a newline
    cachekit_error error = {.text = ""};
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    if (!opt_read(&key_table, argc, argv, &options, &code)) {
        return code;
    }
    const char *wrong = check(&options);
    if (wrong != NULL) {
        return say_fail(COMMAND_USAGE, "%s (see cachekit key --help)", wrong);
    }
    cachekit_status status = make_key(&options, &arena, line, &error);
    cachekit_arena_release(&arena);
    if (status < 0) {
        return complain_of_words(status, &error, "key");
    }
    size_t len = strlen(line);
    line[len++] = '\n';
    status = stream_write((cachekit_slice){(const uint8_t *)line, len}, &error);
    return status < 0 ? complain(status, &error, "key") : COMMAND_DONE;
}

const struct command command_key = {"key", "the key of a call", key_run};
