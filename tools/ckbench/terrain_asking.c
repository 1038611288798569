// SPDX-License-Identifier: MIT
// Most options are words of the request under another name: the subject knows their grammar and
// refuses what it does not take, before anything is measured.
#include "terrain_asking.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MINUTE_MS = 60000 };

static const char *const arrival_words[] = {"poisson", "constant", "closed", "trace", NULL};
static const char *const late_words[] = {"drop", "queue", NULL};
static const char *const format_words[] = {"keys", "oracle", "twitter", "cache2k", NULL};
static const char *const clock_words[] = {"real", "virtual", NULL};

static const struct terrain_options terrain_defaults = {.l2 = NULL,
                                                        .zipf = "0.99",
                                                        .keys = "10000",
                                                        .rate = "200",
                                                        .callers = "1",
                                                        .warmup = "0",
                                                        .slice = "3",
                                                        .miss = "20",
                                                        .l2_law = "0",
                                                        .l1_keys = "100",
                                                        .ttl = "3600",
                                                        .seed = "1",
                                                        .value_p50 = "900",
                                                        .value_p95 = "4400",
                                                        .timeout_ms = 15 * MINUTE_MS};

#define ROW_TEXT(member, name, argument, help)                                                     \
    OPT_TEXT(struct terrain_options, member, name, 0, argument, help)
static const struct opt terrain_rows[] = {
    ROW_TEXT(terrain, "terrain", "NAME", "run this terrain of the subject"),
    ROW_TEXT(l2, "l2", "WHERE", "or one of ours: memory, file:DIR, redis://HOST:PORT/DB"),
    OPT_TEXTS(struct terrain_options, own, "option", 0, 16, "NAME=VALUE",
              "an option that is the terrain's own"),
    ROW_TEXT(l2_where, "l2-where", "WORDS", "where the second layer is, in words; must be given"),
    ROW_TEXT(harness, "harness", "WORDS", "who runs this, as a URL or in words"),
    OPT_MINUTES(struct terrain_options, length_ms, "minutes", 'm', 60, 24 * 60 * MINUTE_MS,
                "length of the recording; default: 1, none with --calls or --trace"),
    ROW_TEXT(calls, "calls", "N", "recorded calls after which to stop, 1 to 10^12"),
    ROW_TEXT(warmup, "warmup", "N", "calls before the recording, counted apart, 0 to 10^12"),
    ROW_TEXT(slice, "slice", "S", "seconds of a slice, 0.001 to 1000000"),
    ROW_TEXT(zipf, "zipf", "S", "exponent of the keys' popularity, 0 to 3"),
    ROW_TEXT(keys, "keys", "N", "how many keys there are, 1 to 4294967295"),
    OPT_CHOICE(struct terrain_options, arrivals, "arrivals", 0, arrival_words, "LAW",
               "when calls come; closed: back to back; trace: when the trace's did"),
    ROW_TEXT(rate, "rate", "R", "calls a second, over 0 to 10000000"),
    OPT_CHOICE(struct terrain_options, late, "late", 0, late_words, "HOW",
               "drop: who is late starts, the rest of the backlog is dropped"),
    ROW_TEXT(callers, "callers", "N", "threads on one schedule, 1 to 64"),
    ROW_TEXT(miss, "miss-ms", "LAW",
             "what the loader takes: T, exponential:MEAN or lognormal:MEDIAN:SIGMA, in ms or with "
             "a unit (ns, us, ms, s)"),
    ROW_TEXT(l2_law, "l2-ms", "LAW", "what a simulated second layer takes, likewise"),
    ROW_TEXT(stall, "stall", "D@P",
             "hold all calls for D from each P on, as 20ms@1s; D is below P"),
    ROW_TEXT(l1_keys, "l1-keys", "N",
             "entries of the first layer at most, 1 to 4294967295, or none"),
    ROW_TEXT(l1_bytes, "l1-bytes", "N",
             "bytes of the first layer at most, 1 to 2^50; default: no bound"),
    ROW_TEXT(ttl, "ttl", "S", "seconds that values live, 0.001 to 10^9"),
    ROW_TEXT(value_p50, "value-p50", "N", "median size of values, 1 to 1048576 bytes"),
    ROW_TEXT(value_p95, "value-p95", "N",
             "size that 95 % of values have at most, 1 to 1048576 bytes"),
    ROW_TEXT(seed, "seed", "N", "of keys, arrivals and laws, 0 to 2^63 - 1"),
    OPT_CHOICE(struct terrain_options, clock, "clock", 0, clock_words, "WHICH",
               "virtual: simulated time, equal seeds give equal bodies"),
    ROW_TEXT(call_ns, "call-ns", "N",
             "virtual: what a call takes beside loader and L2, 0 to 10^9 ns; default 1000"),
    OPT_PATH(struct terrain_options, trace, "trace", 0, "FILE", "replay these keys; -: from stdin"),
    OPT_CHOICE(struct terrain_options, format, "format", 0, format_words, "WHICH", "of the trace"),
    OPT_PATH(struct terrain_options, dump, "dump", 0, "FILE", "write the keys that were asked"),
    ROW_TEXT(name_space, "namespace", "NAME",
             "before all keys, [a-z0-9-]{1,64}; default: a fresh one"),
    OPT_MINUTES(struct terrain_options, timeout_ms, "child-timeout", 0, 1, 24 * 60 * MINUTE_MS,
                "give up on a subject that says nothing for so long"),
    OPT_PATH(struct terrain_options, subject, "subject", 0, "FILE",
             "the program to measure; default: the one that ckbench.json names"),
    OPT_PATH(struct terrain_options, out, "out", 0, "FILE", "write the recording as JSON"),
    OPT_PATH(struct terrain_options, html, "html", 0, "FILE", "draw it as one page"),
    OPT_FLAG(struct terrain_options, json, "json", 0, "print the recording instead of the table"),
};

const struct opt_table terrain_table = {
    .verb = "terrain",
    .about = "what each call cost, by the layer that answered (also: terrain diff)",
    .rows = terrain_rows,
    .row_count = OPT_ROWS(terrain_rows),
    .defaults = &terrain_defaults,
    .size = sizeof terrain_defaults,
    .exits = "0 recorded; 2 usage; 3 the books are wrong, or nothing was recorded; 130, 143 "
             "interrupted, and what was recorded is marked",
    .example = "ckbench terrain --l2 memory --minutes 1 --l2-where \"in process\" --out t.json",
};

static bool add_word(struct terrain_words *words, const char *name, const char *value,
                     struct fault *fault)
{
    if (value == NULL) {
        return true;
    }
    if (words->count == TERRAIN_WORDS_MAX) {
        return fault_set(fault, "more than %d options", TERRAIN_WORDS_MAX);
    }
    char *text = words->texts[words->count++];
    int len = snprintf(text, sizeof words->texts[0], "%s=%s", name, value);
    return (len > 0 && (size_t)len < sizeof words->texts[0]) ||
           fault_set(fault, "%s: the value is too long", name);
}

// "20" is constant:20ms, "exponential:20" is exponential:20ms; a unit may be written.
static bool add_law(struct terrain_words *words, const char *name, const char *law,
                    struct fault *fault)
{
    char text[128];
    const char *colon = strchr(law, ':');
    const char *amount = colon != NULL ? colon + 1 : law;
    size_t len = strcspn(amount, ":");
    bool has_unit = len > 0 && (amount[len - 1] < '0' || amount[len - 1] > '9');
    int size = snprintf(text, sizeof text, "%.*s%.*s%s%s",
                        colon != NULL ? (int)(amount - law) : (int)strlen("constant:"),
                        colon != NULL ? law : "constant:", (int)len, amount, has_unit ? "" : "ms",
                        amount + len);
    if (size < 0 || (size_t)size >= sizeof text) {
        return fault_set(fault, "--%s: the law is too long", name);
    }
    return add_word(words, name, text, fault);
}

static bool add_texts(struct terrain_words *words, const struct terrain_options *o,
                      struct fault *fault)
{
    const struct {
        const char *name, *value;
    } rows[] = {
        {"clock", clock_words[o->clock]},
        {"seed", o->seed},
        {"keys", o->keys},
        {"zipf", o->zipf},
        {"arrivals", arrival_words[o->arrivals]},
        {"rate", o->rate},
        {"late", late_words[o->late]},
        {"callers", o->callers},
        {"calls", o->calls},
        {"warmup", o->warmup},
        {"slice", o->slice},
        {"stall", o->stall},
        {"call_ns", o->call_ns},
        {"value_p50", o->value_p50},
        {"value_p95", o->value_p95},
        {"ttl", o->ttl},
        {"l1_keys", strcmp(o->l1_keys, "none") == 0 ? NULL : o->l1_keys},
        {"l1_bytes", o->l1_bytes},
        {"namespace", o->name_space},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!add_word(words, rows[i].name, rows[i].value, fault)) {
            return false;
        }
    }
    return add_law(words, "miss_law", o->miss, fault) && add_law(words, "l2_law", o->l2_law, fault);
}

// --l2 is a terrain of ours and where its second layer lies.
static bool choose_terrain(struct terrain_words *words, const struct terrain_options *o,
                           struct fault *fault)
{
    const char *l2 = o->l2 != NULL ? o->l2 : "memory";
    if (o->terrain != NULL) {
        (void)snprintf(words->terrain, sizeof words->terrain, "%s", o->terrain);
        return o->l2 == NULL || fault_set(fault, "--terrain or --l2, not both");
    }
    if (strcmp(l2, "memory") == 0) {
        (void)snprintf(words->terrain, sizeof words->terrain, "memory");
        return true;
    }
    if (strncmp(l2, "file:", 5) == 0 && l2[5] != '\0') {
        char path[PATH_MAX];
        (void)snprintf(words->terrain, sizeof words->terrain, "file");
        return realpath(l2 + 5, path) != NULL
                   ? add_word(words, "directory", path, fault)
                   : fault_set(fault, "--l2: there is no directory %.100s", l2 + 5);
    }
    if (strncmp(l2, "redis://", 8) == 0) {
        (void)snprintf(words->terrain, sizeof words->terrain, "redis");
        return add_word(words, "url", l2, fault);
    }
    return fault_set(fault, "--l2 is memory, file:DIR or redis://HOST:PORT/DB");
}

static bool add_own(struct terrain_words *words, const struct terrain_options *o,
                    struct fault *fault)
{
    for (size_t i = 0; i < o->own.count; i++) {
        char name[64];
        const char *equals = strchr(o->own.items[i], '=');
        size_t len = equals != NULL ? (size_t)(equals - o->own.items[i]) : 0;
        if (len == 0 || len >= sizeof name) {
            return fault_set(fault, "--option takes NAME=VALUE");
        }
        (void)snprintf(name, sizeof name, "%.*s", (int)len, o->own.items[i]);
        if (!add_word(words, name, equals + 1, fault)) {
            return false;
        }
    }
    return true;
}

static bool add_length(struct terrain_words *words, const struct terrain_options *o,
                       struct fault *fault)
{
    char text[32];
    if (o->length_ms == 0 && (o->calls != NULL || o->trace != NULL)) {
        // A trace ends by itself, and a bound by calls has no bound by time.
        return o->calls != NULL || add_word(words, "calls", "1000000000000", fault);
    }
    int64_t ms = o->length_ms > 0 ? o->length_ms : MINUTE_MS;
    (void)snprintf(text, sizeof text, "%lld.%03lld", (long long)(ms / 1000),
                   (long long)(ms % 1000));
    return add_word(words, "seconds", text, fault);
}

bool terrain_ask(const struct terrain_options *options, const char *trace, const char *dump,
                 struct terrain_words *words, struct fault *fault)
{
    words->count = 0;
    return choose_terrain(words, options, fault) && add_texts(words, options, fault) &&
           add_length(words, options, fault) && add_word(words, "trace", trace, fault) &&
           add_word(words, "format", trace != NULL ? format_words[options->format] : NULL, fault) &&
           add_word(words, "dump", dump, fault) && add_own(words, options, fault);
}

void terrain_hide_secrets(const char *text, char *out, size_t size)
{
    const char *scheme = strstr(text, "://");
    const char *host = scheme != NULL ? scheme + 3 + strcspn(scheme + 3, "/ ") : NULL;
    const char *at = host;
    while (at != NULL && at > scheme + 3 && at[-1] != '@') {
        at--;
    }
    if (at == NULL || at == scheme + 3) {
        (void)snprintf(out, size, "%s", text);
        return;
    }
    (void)snprintf(out, size, "%.*s***@%s", (int)(scheme + 3 - text), text, at);
}
