// SPDX-License-Identifier: MIT
// `time`: one path, in this very process, so that whatever its environment does to it is measured.
// Nothing is pinned but the stack: clocks, entropy and pid are the real ones.
#include "kit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <signal.h>
#include <unistd.h>

enum { SAMPLES_PER_LINE = 150, SAMPLES_MAX = 10000000 };

struct ckbench_wish {
    const struct ckbench_path *path;
    const char *shape, *operation;
    uint64_t calls, warmup, batches, bytes;
    bool is_settling, has_bytes, is_counting, can_count;
};

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
    return wish->batches > SAMPLES_MAX ? "--batches is at most 10,000,000" : NULL;
}

static void ckbench_line_wish(struct ckbench_line *line, const struct ckbench_wish *wish)
{
    ckbench_line_text(line, "path", wish->path->name);
    ckbench_line_text(line, "shape", wish->shape);
    ckbench_line_text(line, "operation", wish->operation);
    ckbench_line_number(line, "pid", (uint64_t)getpid());
}

static void ckbench_send_timed(const struct ckbench_wish *wish, const struct ckbench_bracket *b,
                               const struct ckbench_extra *extra)
{
    struct ckbench_line line;
    ckbench_line_begin(&line, "timed");
    ckbench_line_wish(&line, wish);
    ckbench_line_number(&line, "warmup", b->warmup);
    ckbench_line_number(&line, "calls", b->calls * (b->samples_ns != NULL ? b->batches : 1));
    ckbench_line_number(&line, "cpu_ns", b->cpu_ns);
    ckbench_line_number(&line, "wall_ns", b->wall_ns);
    ckbench_line_number(&line, "minor_faults", b->minor_faults);
    ckbench_line_number(&line, "major_faults", b->major_faults);
    ckbench_line_number(&line, "voluntary_switches", b->voluntary_switches);
    ckbench_line_number(&line, "involuntary_switches", b->involuntary_switches);
    if (b->has_peak) {
        ckbench_line_number(&line, "peak_rss_kib", b->peak_kib);
    } else {
        ckbench_line_text(&line, "peak_rss_kib", NULL);
    }
    if (extra != NULL && extra->digest != NULL) {
        ckbench_line_hex(&line, "digest", extra->digest(b->state));
    } else {
        ckbench_line_text(&line, "digest", NULL);
    }
    if (wish->is_counting && wish->can_count) {
        ckbench_line_number(&line, "allocations", b->allocations);
    } else if (wish->is_counting) {
        ckbench_line_text(&line, "allocations", NULL);
    }
    (void)ckbench_line_send(&line);
}

static uint64_t ckbench_send_samples(const struct ckbench_bracket *b)
{
    uint64_t lines = 0;
    for (uint64_t i = 0; b->samples_ns != NULL && i < b->batches; lines++) {
        struct ckbench_line line;
        ckbench_line_begin(&line, "samples");
        ckbench_line_number(&line, "first", i);
        ckbench_line_list_begin(&line, "wall_ns");
        uint64_t end = b->batches - i < SAMPLES_PER_LINE ? b->batches : i + SAMPLES_PER_LINE;
        for (; i < end; i++) {
            ckbench_line_list_number(&line, b->samples_ns[i]);
        }
        ckbench_line_list_end(&line);
        (void)ckbench_line_send(&line);
    }
    return lines;
}

static uint64_t ckbench_send_untimed(const struct ckbench_wish *wish, const char *step,
                                     const char *reason)
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

static void *ckbench_set_up(const struct ckbench_wish *wish)
{
    static char none;
    if (wish->has_bytes) {
        return wish->path->extra->setup_bytes(wish->bytes);
    }
    return wish->path->setup != NULL ? wish->path->setup() : &none;
}

static uint64_t ckbench_run_timed(const struct ckbench_wish *wish)
{
    const struct ckbench_path *path = wish->path;
    struct ckbench_bracket b = {.op = path->op,
                                .calls = wish->calls,
                                .warmup = wish->warmup,
                                .batches = wish->batches,
                                .is_settling = wish->is_settling};
    b.state = ckbench_set_up(wish);
    if (b.state == NULL) {
        return ckbench_send_untimed(wish, "setup", "setup returned NULL");
    }
    if (path->setup == NULL && !wish->has_bytes) {
        b.state = NULL;
    }
    if (b.batches > 0) {
        b.samples_ns = mmap(NULL, b.batches * sizeof *b.samples_ns, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        if (b.samples_ns == MAP_FAILED) {
            return ckbench_send_untimed(wish, "setup", "no memory for the samples");
        }
    }
    ckbench_stack_pin(ckbench_bracket, &b);
    int verdict = path->verify != NULL ? path->verify(b.state) : 0;
    if (verdict != 0) {
        char reason[CKBENCH_REASON_BYTES];
        snprintf(reason, sizeof reason, "verify returned %d", verdict);
        return ckbench_send_untimed(wish, "verify", reason);
    }
    ckbench_send_timed(wish, &b, path->extra);
    uint64_t lines = 1 + ckbench_send_samples(&b);
    if (path->teardown != NULL) {
        path->teardown(b.state);
    }
    return lines;
}

int ckbench_time(int argc, char **argv, const char *compiler)
{
    struct ckbench_wish wish = {.warmup = 0};
    wish.path = argc > 0 ? ckbench_registry_find(argv[0], strlen(argv[0])) : NULL;
    if (wish.path == NULL) {
        fprintf(stderr, "subject: time needs the name of a path: '%.100s'\n",
                argc > 0 ? argv[0] : "");
        return CKBENCH_EXIT_USAGE;
    }
    const char *fault = ckbench_read_wish(argc, argv, &wish);
    if (fault != NULL) {
        fprintf(stderr, "subject: time does not understand '%.100s'\n", fault);
        return CKBENCH_EXIT_USAGE;
    }
    fault = ckbench_wish_fault(&wish);
    if (fault != NULL) {
        fprintf(stderr, "subject: %s\n", fault);
        return CKBENCH_EXIT_USAGE;
    }
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    wish.can_count = wish.is_counting && ckbench_allocations_start();
    ckbench_choose(wish.shape, wish.operation);
    ckbench_send_subject(compiler);
    ckbench_send_end(1 + ckbench_run_timed(&wish));
    return CKBENCH_EXIT_OK;
}
