// SPDX-License-Identifier: MIT
// What a request about one path asks for: `time` and `phases` have the same options.
#include "kit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAMPLES_MAX = 10000000, RATE_MAX = 10000000, CROWD_MAX = 64 };

struct ckbench_wish_option {
    const char *name;
    const char **text;
    uint64_t *number;
    bool *flag;
};

static bool ckbench_wish_number(const char *text, uint64_t *number)
{
    char *end = NULL;
    errno = 0;
    *number = text[0] >= '0' && text[0] <= '9' ? strtoull(text, &end, 10) : 0;
    return end != NULL && *end == '\0' && errno == 0;
}

static bool ckbench_is_among(const char *const *words, const char *word)
{
    if (word == NULL) {
        return words == NULL || words[0] == NULL;
    }
    for (; words != NULL && *words != NULL; words++) {
        if (strcmp(*words, word) == 0) {
            return true;
        }
    }
    return false;
}

// The first option that is wrong, or NULL.
static const char *ckbench_read_wish(int argc, char **argv, struct ckbench_wish *wish)
{
    const struct ckbench_wish_option options[] = {
        {"--shape", &wish->shape, NULL, NULL},
        {"--op", &wish->operation, NULL, NULL},
        {"--calls", NULL, &wish->calls, NULL},
        {"--warmup", NULL, &wish->warmup, NULL},
        {"--batches", NULL, &wish->batches, NULL},
        {"--settle", NULL, NULL, &wish->is_settling},
        {"--bytes", NULL, &wish->bytes, &wish->has_bytes},
        {"--allocations", NULL, NULL, &wish->is_counting},
        {"--threads", NULL, &wish->threads, NULL},
        {"--rate", NULL, &wish->rate, NULL},
    };
    for (int i = 1; i < argc; i++) {
        size_t at = 0;
        while (at < sizeof options / sizeof *options && strcmp(options[at].name, argv[i]) != 0) {
            at++;
        }
        if (at == sizeof options / sizeof *options) {
            return argv[i];
        }
        const struct ckbench_wish_option *option = &options[at];
        if (option->flag != NULL) {
            *option->flag = true;
        }
        if (option->text == NULL && option->number == NULL) {
            continue;
        }
        if (++i == argc ||
            (option->number != NULL && !ckbench_wish_number(argv[i], option->number))) {
            return option->name;
        }
        if (option->text != NULL) {
            *option->text = argv[i];
        }
    }
    return NULL;
}

static const char *ckbench_crowd_fault(const struct ckbench_wish *wish,
                                       const struct ckbench_extra *extra)
{
    if (wish->threads == 0 && wish->rate == 0) {
        return NULL;
    }
    if (wish->threads < 1 || wish->threads > CROWD_MAX || wish->rate < 1 || wish->rate > RATE_MAX ||
        wish->batches < 1 || wish->calls != 1) {
        return "--threads, 1 to 64, and --rate, 1 to 10,000,000, go together, with --batches and "
               "--calls 1";
    }
    return wish->threads > 1 && extra->threads == 0
               ? "--threads is for paths that several threads may call at once"
               : NULL;
}

// What this path cannot do, or NULL.
static const char *ckbench_wish_fault(const struct ckbench_wish *wish)
{
    static const struct ckbench_extra nothing;
    const struct ckbench_extra *extra = wish->path->extra ? wish->path->extra : &nothing;
    if (wish->calls == 0) {
        return "--calls, at least 1, is missing";
    }
    if (!ckbench_is_among(extra->shapes, wish->shape)) {
        return "--shape must be one of the path's";
    }
    if (!ckbench_is_among(extra->operations, wish->operation)) {
        return "--op must be one of the path's";
    }
    if (wish->has_bytes && extra->setup_bytes == NULL) {
        return "--bytes is for paths that make inputs of any size";
    }
    return wish->batches > SAMPLES_MAX ? "--batches is at most 10,000,000"
                                       : ckbench_crowd_fault(wish, extra);
}

bool ckbench_wish_take(const char *request, int argc, char **argv, struct ckbench_wish *wish)
{
    *wish = (struct ckbench_wish){.warmup = 0};
    wish->path = argc > 0 ? ckbench_registry_find(argv[0], strlen(argv[0])) : NULL;
    if (wish->path == NULL) {
        fprintf(stderr, "subject: %s needs the name of a path: '%.100s'\n", request,
                argc > 0 ? argv[0] : "");
        return false;
    }
    const char *fault = ckbench_read_wish(argc, argv, wish);
    if (fault != NULL) {
        fprintf(stderr, "subject: %s does not understand '%.100s'\n", request, fault);
        return false;
    }
    fault = ckbench_wish_fault(wish);
    if (fault != NULL) {
        fprintf(stderr, "subject: %s\n", fault);
        return false;
    }
    ckbench_choose(wish->shape, wish->operation);
    return true;
}

void ckbench_line_wish(struct ckbench_line *line, const struct ckbench_wish *wish)
{
    ckbench_line_text(line, "path", wish->path->name);
    ckbench_line_text(line, "shape", wish->shape);
    ckbench_line_text(line, "operation", wish->operation);
    ckbench_line_number(line, "pid", (uint64_t)getpid());
}

uint64_t ckbench_send_untimed(const struct ckbench_wish *wish, const char *step, const char *reason)
{
    struct ckbench_line line;
    ckbench_line_begin(&line, "failed");
    ckbench_line_wish(&line, wish);
    ckbench_line_number(&line, "layout", 0);
    ckbench_line_text(&line, "step", step);
    ckbench_line_text(&line, "reason", reason);
    (void)ckbench_line_send(&line);
    return 1;
}

// NULL is a failure; a path without a setup gets what is not NULL, and is called with NULL.
static void *ckbench_make_state(const struct ckbench_wish *wish)
{
    static char none;
    if (wish->has_bytes) {
        return wish->path->extra->setup_bytes(wish->bytes);
    }
    return wish->path->setup != NULL ? wish->path->setup() : &none;
}

bool ckbench_wish_set_up(const struct ckbench_wish *wish, void **state)
{
    *state = ckbench_make_state(wish);
    bool is_made = *state != NULL;
    if (wish->path->setup == NULL && !wish->has_bytes) {
        *state = NULL;
    }
    return is_made;
}

uint64_t ckbench_wish_check(const struct ckbench_wish *wish, void *state)
{
    char reason[CKBENCH_REASON_BYTES];
    int verdict = wish->path->verify != NULL ? wish->path->verify(state) : 0;
    snprintf(reason, sizeof reason, "verify returned %d", verdict);
    return verdict != 0 ? ckbench_send_untimed(wish, "verify", reason) : 0;
}
