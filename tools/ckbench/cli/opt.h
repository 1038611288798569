// SPDX-License-Identifier: MIT
// One table of rows per verb; parsing, ranges, defaults and help all come from it. Layer: cli.
//
//     struct ir_options { unsigned layouts; const char *base; bool json; };
//     static const struct ir_options ir_defaults = {.layouts = 5};
//     static const struct opt ir_rows[] = {
//         OPT_PATH(struct ir_options, base, "base", 0, "DIR", "a built checkout to compare with"),
//         OPT_COUNT(struct ir_options, layouts, "layouts", 0, 1, 64, "N", "heap layouts"),
//         OPT_FLAG(struct ir_options, json, "json", 0, "print one JSON document"),
//     };
//     static const struct opt_table ir_table = {
//         .verb = "ir", .about = "...", .rows = ir_rows, .row_count = OPT_ROWS(ir_rows),
//         .defaults = &ir_defaults, .size = sizeof ir_defaults, .exits = "0 PASS; 1 FAIL",
//         .example = "ckbench ir --base ../b"};
//
//     int code;
//     struct ir_options options;
//     if (!opt_read(&ir_table, argc, argv, &options, &code)) {
//         return code;
//     }
//
// Accepted: --name value, --name=value, -n value, -nvalue, --no-name for flags, -- before operands.
// Refused, with one line and EXIT_USAGE: abbreviations, a repeated option that holds one value, an
// empty value, junk after a number, a value out of range, an unknown option (the nearest is named).
// --help and -h are answered everywhere. Texts point into argv.
#ifndef CKBENCH_OPT_H
#define CKBENCH_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "fault.h"

enum { OPT_TEXTS_MAX = 256, OPT_PAIRS_MAX = 8 };

struct opt_texts {
    size_t count;
    const char *items[OPT_TEXTS_MAX];
};

// K/N on the command line: shard `index` (from 1) of `count`. {1, 1} is everything.
struct opt_shard {
    unsigned index;
    unsigned count;
};

// KEY=N,KEY=N; member i belongs to the row's key i.
struct opt_pairs {
    bool given[OPT_PAIRS_MAX];
    uint64_t values[OPT_PAIRS_MAX];
};

enum opt_kind {
    OPT_KIND_FLAG,    // bool
    OPT_KIND_COUNT,   // unsigned
    OPT_KIND_U64,     // uint64_t
    OPT_KIND_MINUTES, // int64_t milliseconds, written in minutes with at most three decimals
    OPT_KIND_CHOICE,  // int, index into the choices
    OPT_KIND_TEXT,    // const char *
    OPT_KIND_PATH,    // const char *
    OPT_KIND_TEXTS,   // struct opt_texts, the only kind that may be repeated
    OPT_KIND_SHARD,   // struct opt_shard
    OPT_KIND_PAIRS,   // struct opt_pairs
    OPT_KIND_OPERANDS // struct opt_texts, the words that are no options
};

struct opt {
    enum opt_kind kind;
    const char *name; // without the dashes; NULL for operands
    char letter;      // or 0
    size_t offset;
    uint64_t min, max;          // of the value; of how many for OPERANDS, `max` alone for TEXTS
    const char *const *choices; // ended by NULL; the keys for PAIRS
    const char *argument;       // the word help shows for the value
    const char *help;
};

struct opt_table {
    const char *verb;
    const char *about; // one line
    const struct opt *rows;
    size_t row_count;
    const void *defaults; // help prints them; one outside its bounds means "decided later"
    size_t size;
    const char *exits;   // what each exit status means, as "0 PASS; 1 FAIL"
    const char *example; // one command line
    bool is_discreet;    // words that are no options may be secret: complaints do not repeat them
};

#define OPT_ROWS(rows) (sizeof(rows) / sizeof((rows)[0]))

// The offset of `member`, refused by the compiler when it is not of type `wanted`.
#define OPT_AT(type, member, wanted)                                                               \
    (offsetof(type, member) + 0 * sizeof(char[OPT_IS(((type *)0)->member, wanted)]))
#define OPT_IS(value, wanted) _Generic((value), wanted : 1, default : -1)

#define OPT_FLAG(type, member, name, letter, help)                                                 \
    {                                                                                              \
        OPT_KIND_FLAG, name, letter, OPT_AT(type, member, bool), 0, 0, NULL, NULL, help            \
    }
#define OPT_COUNT(type, member, name, letter, min, max, argument, help)                            \
    {                                                                                              \
        OPT_KIND_COUNT, name, letter, OPT_AT(type, member, unsigned), min, max, NULL, argument,    \
            help                                                                                   \
    }
#define OPT_U64(type, member, name, letter, min, max, argument, help)                              \
    {                                                                                              \
        OPT_KIND_U64, name, letter, OPT_AT(type, member, uint64_t), min, max, NULL, argument, help \
    }
#define OPT_MINUTES(type, member, name, letter, min_ms, max_ms, help)                              \
    {                                                                                              \
        OPT_KIND_MINUTES, name, letter, OPT_AT(type, member, int64_t), min_ms, max_ms, NULL,       \
            "MIN", help                                                                            \
    }
#define OPT_CHOICE(type, member, name, letter, choices, argument, help)                            \
    {                                                                                              \
        OPT_KIND_CHOICE, name, letter, OPT_AT(type, member, int), 0, 0, choices, argument, help    \
    }
#define OPT_TEXT(type, member, name, letter, argument, help)                                       \
    {                                                                                              \
        OPT_KIND_TEXT, name, letter, OPT_AT(type, member, const char *), 0, 0, NULL, argument,     \
            help                                                                                   \
    }
#define OPT_PATH(type, member, name, letter, argument, help)                                       \
    {                                                                                              \
        OPT_KIND_PATH, name, letter, OPT_AT(type, member, const char *), 0, 0, NULL, argument,     \
            help                                                                                   \
    }
#define OPT_TEXTS(type, member, name, letter, max, argument, help)                                 \
    {                                                                                              \
        OPT_KIND_TEXTS, name, letter, OPT_AT(type, member, struct opt_texts), 0, max, NULL,        \
            argument, help                                                                         \
    }
// The same, and all words up to the next option are values of it: --name A B.
#define OPT_LIST(type, member, name, letter, max, argument, help)                                  \
    {                                                                                              \
        OPT_KIND_TEXTS, name, letter, OPT_AT(type, member, struct opt_texts), 1, max, NULL,        \
            argument, help                                                                         \
    }
#define OPT_SHARD(type, member, name, letter, max, help)                                           \
    {                                                                                              \
        OPT_KIND_SHARD, name, letter, OPT_AT(type, member, struct opt_shard), 1, max, NULL, "K/N", \
            help                                                                                   \
    }
#define OPT_PAIRS(type, member, name, letter, max, keys, argument, help)                           \
    {                                                                                              \
        OPT_KIND_PAIRS, name, letter, OPT_AT(type, member, struct opt_pairs), 0, max, keys,        \
            argument, help                                                                         \
    }
#define OPT_OPERANDS(type, member, min, max, argument, help)                                       \
    {                                                                                              \
        OPT_KIND_OPERANDS, NULL, 0, OPT_AT(type, member, struct opt_texts), min, max, NULL,        \
            argument, help                                                                         \
    }

// The rows that every verb has. `color` is an int that holds an enum term_when.
#define OPT_COLOR(type, member)                                                                    \
    OPT_CHOICE(type, member, "color", 0, term_when_words, "WHEN", "colour the verdict words")

enum opt_outcome { OPT_RUN, OPT_HELP, OPT_REFUSED };

// argv[0] is the verb. `options` is filled from the defaults first; a pure function otherwise.
enum opt_outcome opt_parse(const struct opt_table *table, int argc, char *const *argv,
                           void *options, struct fault *fault);

// Prints usage, rows with their bounds and defaults, exit statuses, the example; 80 columns at
// most.
void opt_help(const struct opt_table *table, FILE *stream);

// opt_parse, with help printed and complaints said. True: go on. False: return `*exit_code`.
bool opt_read(const struct opt_table *table, int argc, char *const *argv, void *options,
              int *exit_code);

#endif
