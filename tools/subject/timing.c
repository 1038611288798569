// SPDX-License-Identifier: MIT
// `time`: one path, in this very process, so that whatever its environment does to it is measured.
// Nothing is pinned but the stack: clocks, entropy and pid are the real ones.
#include "kit.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>

enum { SAMPLES_PER_LINE = 150 };

static void ckbench_send_timed(const struct ckbench_wish *wish, const struct ckbench_bracket *b,
                               const struct ckbench_extra *extra)
{
    struct ckbench_line line;
    ckbench_line_begin(&line, "timed");
    ckbench_line_wish(&line, wish);
    ckbench_line_number(&line, "warmup", b->warmup);
    ckbench_line_number(&line, "calls", b->calls * (b->batches > 0 ? b->batches : 1));
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

static uint64_t ckbench_run_timed(const struct ckbench_wish *wish)
{
    const struct ckbench_path *path = wish->path;
    struct ckbench_bracket b = {.op = path->op,
                                .calls = wish->calls,
                                .warmup = wish->warmup,
                                .batches = wish->batches,
                                .is_settling = wish->is_settling};
    if (!ckbench_wish_set_up(wish, &b.state)) {
        return ckbench_send_untimed(wish, "setup", "setup returned NULL");
    }
    if (wish->threads > 0 && !ckbench_crowd_open(wish, &b, &b.crowd)) {
        return ckbench_send_untimed(wish, "setup", "no memory for the calls");
    }
    if (b.batches > 0 && wish->threads == 0) {
        b.samples_ns = mmap(NULL, b.batches * sizeof *b.samples_ns, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        if (b.samples_ns == MAP_FAILED) {
            return ckbench_send_untimed(wish, "setup", "no memory for the samples");
        }
    }
    ckbench_stack_pin(ckbench_bracket, &b);
    if (b.is_short) {
        return ckbench_send_untimed(wish, "call", "the system gives no more threads");
    }
    uint64_t faults = ckbench_wish_check(wish, b.state);
    if (faults > 0) {
        return faults;
    }
    ckbench_send_timed(wish, &b, path->extra);
    uint64_t lines = 1 + (b.crowd != NULL ? ckbench_crowd_send(b.crowd) : ckbench_send_samples(&b));
    ckbench_crowd_close(b.crowd);
    if (path->teardown != NULL) {
        path->teardown(b.state);
    }
    return lines;
}

int ckbench_time(int argc, char **argv, const char *compiler)
{
    struct ckbench_wish wish;
    if (!ckbench_wish_take("time", argc, argv, &wish)) {
        return CKBENCH_EXIT_USAGE;
    }
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    wish.can_count = wish.is_counting && ckbench_allocations_start();
    ckbench_send_subject(compiler);
    ckbench_send_end(1 + ckbench_run_timed(&wish));
    return CKBENCH_EXIT_OK;
}
