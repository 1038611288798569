// SPDX-License-Identifier: MIT
// The run is believed only whole: first line `subject`, then the terrain's own in their order, its
// end, the stream's end and exit status 0.
#include "measure/terrain_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/answers.h"
#include "measure/proc.h"
#include "measure/tail.h"
#include "measure/terrain_lines.h"
#include "measure/valgrind.h"

// A slice has a line of its own and, for each layer and time, as many as its cells fill.
enum { CODE_USAGE = 2, CODE_INCOMPLETE = 3, LINES_A_SLICE = 64 };

struct listening {
    const struct terrain_request *request;
    struct answer_stream stream;
    struct terrain_lines lines;
    bool is_introduced, is_broken;
    struct fault why;
    struct answer answer;
};

static bool take(struct listening *l)
{
    size_t slices = l->lines.recording->slice_count;
    if (!l->is_introduced && l->answer.kind != ANSWER_SUBJECT) {
        return fault_set(&l->why, "its first answer is no `subject` line");
    }
    l->is_introduced = true;
    if (l->answer.kind == ANSWER_FAILED) {
        return fault_set(&l->why, "%s: %s", l->answer.step, l->answer.reason);
    }
    if (l->answer.kind != ANSWER_UNKNOWN) {
        return true;
    }
    bool is_good = terrain_take_line(&l->lines, &l->answer.object, &l->why);
    if (is_good && slices > 0 && l->lines.recording->slice_count > slices &&
        l->request->on_slice != NULL) {
        l->request->on_slice(l->request->context, l->lines.recording);
    }
    return is_good;
}

static enum proc_word hear_line(void *context, const char *line, size_t length)
{
    struct listening *l = context;
    if (answer_next(&l->stream, line, length, &l->answer, &l->why) && take(l)) {
        return PROC_FRESH;
    }
    l->is_broken = true;
    return PROC_STOP;
}

static bool judge(const struct listening *l, const struct proc_result *result, const char *err_path,
                  int *exit_code, struct fault *why)
{
    const char *name = l->request->terrain;
    if (l->is_broken) {
        return fault_set(why, "%s: %s", name, l->why.text);
    }
    if (result->end != PROC_EXITED || result->status != 0) {
        char how[128];
        char *last = tail_read(err_path, 0, 1);
        bool is_refusal = result->end == PROC_EXITED && result->status == CODE_USAGE;
        *exit_code = is_refusal && last != NULL ? CODE_USAGE : CODE_INCOMPLETE;
        if (*exit_code == CODE_USAGE) {
            (void)fault_set(why, "%s: %.300s", name, last);
        } else {
            (void)fault_set(why, "%s: its process %s%s%.200s", name,
                            proc_end_text(result, how, sizeof how), last != NULL ? ": " : "",
                            last != NULL ? last : "");
        }
        free(last);
        return false;
    }
    if (!l->lines.is_ended || !l->stream.ended) {
        return fault_set(why, "%s: its answer to `terrain` is cut", name);
    }
    return result->survivors == 0 ||
           fault_set(why, "%s: a process that it started was still alive", name);
}

static bool run_in(struct listening *l, const char *dir, int *exit_code, struct fault *why)
{
    const struct terrain_request *request = l->request;
    const char *arguments[TERRAIN_WORDS_MAX + 4] = {request->subject, "terrain", request->terrain};
    char *out_path = NULL, *err_path = NULL;
    struct proc_result result = {0};
    bool is_good = false;
    memcpy(arguments + 3, request->words, request->word_count * sizeof *request->words);
    if (asprintf(&out_path, "%s/stdout", dir) > 0 && asprintf(&err_path, "%s/stderr", dir) > 0) {
        const struct proc_task task = {.spec = {.argv = arguments,
                                                .env = valgrind_native_env(),
                                                .dir = dir,
                                                .out_path = out_path,
                                                .err_path = err_path,
                                                .timeout_ms = request->timeout_ms,
                                                .is_asked_to_end = true},
                                       .on_line = hear_line,
                                       .context = l};
        // An interrupt is no failure here as long as the subject answers to its end.
        is_good = proc_run(&task, &result, why) || result.end == PROC_EXITED;
        is_good = is_good && judge(l, &result, err_path, exit_code, why);
    } else {
        (void)fault_set(why, "out of memory");
    }
    free(out_path);
    free(err_path);
    return is_good;
}

bool terrain_run(const struct terrain_request *request, const struct scratch *scratch,
                 struct terrain_recording *recording, int *exit_code, struct fault *why)
{
    struct listening *l = calloc(1, sizeof *l);
    char *dir = l != NULL ? scratch_dir(scratch, "terrain", why) : NULL;
    bool is_good = false;
    *exit_code = CODE_INCOMPLETE;
    if (l == NULL) {
        (void)fault_set(why, "out of memory");
    } else if (dir != NULL) {
        l->request = request;
        l->stream.lines_max = (int64_t)TERRAIN_SLICES_MAX * LINES_A_SLICE;
        l->lines = (struct terrain_lines){.recording = recording, .terrain = request->terrain};
        is_good = run_in(l, dir, exit_code, why);
        scratch_remove(dir);
    }
    free(dir);
    free(l);
    return is_good;
}
