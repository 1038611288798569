// SPDX-License-Identifier: MIT
// The words of a terrain request: one table gives names, defaults, ranges and places. What is not
// in it is kept for the terrain, and refused if the terrain does not ask for it.
#include "terrain_parts.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum ckbench_kind { WHOLE, DECIMAL, WORD, LAW, STALL, TEXT, SPACE };

static const struct ckbench_option {
    const char *name;
    const char *text; // the default; NULL: none
    enum ckbench_kind kind;
    size_t offset;
    double least, most;
    const char *words; // each ended by a blank
    const char *expects;
} ckbench_options[] = {
#define AT(member) offsetof(struct ckbench_wishes, member)
    {"clock", "real", WORD, AT(is_virtual), 0, 0, "real virtual ", "real or virtual"},
    {"seed", "1", WHOLE, AT(seed), 0, 0x1p63 - 1, NULL, "a whole number from 0 to 2^63-1"},
    {"keys", "10000", WHOLE, AT(keys), 1, 0x1p32 - 1, NULL, "1 to 4294967295 keys"},
    {"zipf", "0.99", DECIMAL, AT(zipf), 0, 3, NULL, "an exponent from 0 to 3"},
    {"arrivals", "poisson", WORD, AT(arrivals), 0, 0, "poisson constant closed trace ",
     "poisson, constant, closed or trace"},
    {"rate", "200", DECIMAL, AT(rate), 1e-6, 1e7, NULL, "calls a second, over 0 to 10000000"},
    {"late", "drop", WORD, AT(is_queueing), 0, 0, "drop queue ", "drop or queue"},
    {"callers", "1", WHOLE, AT(callers), 1, CKBENCH_CALLERS_MAX, NULL, "1 to 64"},
    {"seconds", NULL, DECIMAL, AT(seconds), 0.001, 1e6, NULL, "0.001 to 1000000 seconds"},
    {"calls", NULL, WHOLE, AT(calls), 1, 1e12, NULL, "1 to 10^12 calls"},
    {"warmup", "0", WHOLE, AT(warmup), 0, 1e12, NULL, "0 to 10^12 calls"},
    {"slice", "3", DECIMAL, AT(slice), 0.001, 1e6, NULL, "0.001 to 1000000 seconds"},
    {"miss_law", "constant:20ms", LAW, AT(miss), 0, 0, NULL, NULL},
    {"l2_law", "constant:0ns", LAW, AT(l2), 0, 0, NULL, NULL},
    {"stall", NULL, STALL, AT(stall_ns), 0, 0, NULL, "D@P with D below P, as 20ms@1s"},
    {"call_ns", "1000", WHOLE, AT(call_ns), 0, 1e9, NULL, "0 to 10^9"},
    {"value_p50", "900", WHOLE, AT(value_p50), 1, CKBENCH_VALUE_MAX, NULL, "1 to 1048576 bytes"},
    {"value_p95", "4400", WHOLE, AT(value_p95), 1, CKBENCH_VALUE_MAX, NULL, "1 to 1048576 bytes"},
    {"ttl", "3600", DECIMAL, AT(ttl), 0.001, 1e9, NULL, "0.001 to 10^9 seconds"},
    {"l1_keys", NULL, WHOLE, AT(l1_keys), 1, 0x1p32 - 1, NULL, "1 to 4294967295 entries"},
    {"l1_bytes", NULL, WHOLE, AT(l1_bytes), 1, 0x1p50, NULL, "1 to 2^50 bytes"},
    {"trace", NULL, TEXT, AT(trace), 0, 0, NULL, NULL},
    {"format", "keys", WORD, AT(format), 0, 0, "keys oracle twitter cache2k ",
     "keys, oracle, twitter or cache2k"},
    {"dump", NULL, TEXT, AT(dump), 0, 0, NULL, NULL},
    {"namespace", NULL, SPACE, AT(name_space), 0, 0, NULL, "[a-z0-9-]{1,64}"},
#undef AT
};
enum { COUNT = sizeof ckbench_options / sizeof *ckbench_options };
_Static_assert((int)COUNT <= (int)CKBENCH_OPTIONS, "room for each option");

static bool ckbench_read_whole(const char *text, const struct ckbench_option *option,
                               uint64_t *number)
{
    char *end = NULL;
    errno = 0;
    *number = text[0] >= '0' && text[0] <= '9' ? strtoull(text, &end, 10) : 0;
    return end != NULL && *end == '\0' && errno == 0 && (double)*number >= option->least &&
           (double)*number <= option->most && *number < UINT64_C(1) << 63;
}

// Digits with a point at most: no sign, no exponent, no NaN, no hexadecimal.
static bool ckbench_read_decimal(const char *text, const struct ckbench_option *option,
                                 double *number)
{
    char *end = NULL;
    if (text[0] < '0' || text[0] > '9' || strspn(text, "0123456789.") != strlen(text)) {
        return false;
    }
    *number = strtod(text, &end);
    return *end == '\0' && *number >= option->least && *number <= option->most;
}

static bool ckbench_read_word(const char *text, const char *words, uint64_t *number)
{
    size_t len = strlen(text);
    *number = 0;
    while (*words != '\0') {
        size_t word = strcspn(words, " ");
        if (word == len && memcmp(words, text, len) == 0) {
            return true;
        }
        words += word + 1;
        ++*number;
    }
    return false;
}

static bool ckbench_read_stall(const char *text, struct ckbench_wishes *wishes)
{
    const char *at = strchr(text, '@');
    double length = 0, every = 0;
    bool good = at != NULL && ckbench_duration_read(text, (size_t)(at - text), &length) &&
                ckbench_duration_read(at + 1, strlen(at + 1), &every);
    wishes->stall_ns = (int64_t)length;
    wishes->stall_every_ns = (int64_t)every;
    return good && length > 0 && length < every;
}

static bool ckbench_read_space(const char *text)
{
    size_t len = strlen(text);
    return len > 0 && len <= 64 && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == len;
}

static bool ckbench_read_option(const struct ckbench_option *option, const char *text,
                                struct ckbench_wishes *wishes)
{
    void *place = (char *)wishes + option->offset;
    switch (option->kind) {
    case WHOLE:
        return ckbench_read_whole(text, option, place);
    case DECIMAL:
        return ckbench_read_decimal(text, option, place);
    case WORD:
        return ckbench_read_word(text, option->words, place);
    case LAW:
        return ckbench_law_read(text, place);
    case STALL:
        return ckbench_read_stall(text, wishes);
    case SPACE:
        *(const char **)place = text;
        return ckbench_read_space(text);
    case TEXT:
    default:
        *(const char **)place = text;
        return text[0] != '\0';
    }
}

static bool ckbench_take_word(const char *word, struct ckbench_wishes *wishes, char *fault,
                              size_t room)
{
    const char *equals = strchr(word, '=');
    size_t len = equals != NULL ? (size_t)(equals - word) : 0;
    if (len == 0) {
        snprintf(fault, room, "terrain does not understand '%.100s': options are NAME=VALUE", word);
        return false;
    }
    for (size_t i = 0; i < COUNT; i++) {
        const struct ckbench_option *option = &ckbench_options[i];
        if (strlen(option->name) != len || memcmp(option->name, word, len) != 0) {
            continue;
        }
        if (!ckbench_read_option(option, equals + 1, wishes)) {
            snprintf(fault, room, "%s must be %s: '%.60s'", option->name,
                     option->expects != NULL ? option->expects
                     : option->kind == LAW
                         ? "constant:T, exponential:MEAN or lognormal:MEDIAN:SIGMA, T as 20ms"
                         : "a file",
                     equals + 1);
            return false;
        }
        wishes->texts[i] = equals + 1;
        return true;
    }
    if (wishes->foreign_count == CKBENCH_FOREIGN_MAX) {
        snprintf(fault, room, "more than %d options of the terrain's own", CKBENCH_FOREIGN_MAX);
        return false;
    }
    wishes->foreign[wishes->foreign_count++] = word;
    return true;
}

// What each option allows and all together do not.
static const char *ckbench_wishes_fault(const struct ckbench_wishes *wishes)
{
    if (wishes->is_virtual && wishes->callers > 1) {
        return "clock=virtual has one caller";
    }
    if (wishes->arrivals == CKBENCH_TRACED &&
        (wishes->trace == NULL ||
         (wishes->format != CKBENCH_TRACE_ORACLE && wishes->format != CKBENCH_TRACE_TWITTER))) {
        return "arrivals=trace needs a trace with times: format=oracle or format=twitter";
    }
    if (wishes->value_p95 < wishes->value_p50) {
        return "value_p95 must be at least value_p50";
    }
    if (wishes->seconds / wishes->slice > 100000) {
        return "slice is too short: more than 100,000 slices";
    }
    return NULL;
}

bool ckbench_wishes_read(int argc, char **argv, struct ckbench_wishes *wishes, char *fault,
                         size_t room)
{
    *wishes = (struct ckbench_wishes){.seconds = 0};
    for (size_t i = 0; i < COUNT; i++) {
        wishes->texts[i] = ckbench_options[i].text;
        if (ckbench_options[i].text != NULL) {
            (void)ckbench_read_option(&ckbench_options[i], ckbench_options[i].text, wishes);
        }
    }
    for (int i = 0; i < argc; i++) {
        if (!ckbench_take_word(argv[i], wishes, fault, room)) {
            return false;
        }
    }
    if (wishes->seconds <= 0 && wishes->calls == 0 && wishes->trace == NULL) {
        wishes->seconds = 60;
    }
    const char *reason = ckbench_wishes_fault(wishes);
    if (reason != NULL) {
        snprintf(fault, room, "%s", reason);
    }
    return reason == NULL;
}

void ckbench_line_wishes(struct ckbench_line *line, const struct ckbench_wishes *wishes)
{
    ckbench_line_list_begin(line, "settings");
    for (size_t i = 0; i < COUNT; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s=%s", ckbench_options[i].name,
                 wishes->texts[i] != NULL ? wishes->texts[i]
                 : strcmp(ckbench_options[i].name, "seconds") == 0 && wishes->seconds > 0 ? "60"
                                                                                          : "none");
        (void)ckbench_line_list_item(line, text);
    }
    for (size_t i = 0; i < wishes->foreign_count; i++) {
        // A URL may hold a password: what is the terrain's own is named, not shown.
        char text[64];
        snprintf(text, sizeof text, "%.*s", (int)strcspn(wishes->foreign[i], "="),
                 wishes->foreign[i]);
        (void)ckbench_line_list_item(line, text);
    }
    ckbench_line_list_end(line);
}
