// SPDX-License-Identifier: MIT
// `cachekit inspect`: what bytes are. Damaged bytes are what it is for, so it ends with 0 whatever
// it finds.
#include <time.h>

#include <cachekit/envelope.h>
#include <cachekit/json.h>

#include "cli/opt.h"
#include "form.h"
#include "command.h"
#include "complain.h"
#include "look.h"
#include "stream.h"

// An envelope of the largest kind, and room for what may stand around it.
enum { INPUT_MAX_BYTES = (int)CACHEKIT_ENVELOPE_MAX_BYTES + 128 * 1024 };

struct inspect_options {
    struct opt_texts files;
};

static const struct inspect_options inspect_defaults = {.files = {.count = 0}};

static const struct opt inspect_rows[] = {
    OPT_OPERANDS(struct inspect_options, files, 0, 1, "[FILE]", "the bytes, instead of stdin"),
};

static const struct opt_table inspect_table = {
    .verb = "inspect",
    .about = "say what stored bytes are, in one line of JSON: envelope, frame of Python's auto "
             "mode, interop document, entry of the file backend, JSON, or unknown; their sizes, "
             "limits and checksum, and why a reader would refuse them. Shows structure, nothing of "
             "the value. Reads stdin if there is no FILE.",
    .rows = inspect_rows,
    .row_count = OPT_ROWS(inspect_rows),
    .defaults = &inspect_defaults,
    .size = sizeof inspect_defaults,
    .exits = "0 looked at, whatever the bytes are; 2 wrong arguments; 3 could not read",
    .example = "cachekit inspect /var/cache/app/33d3d226312818607fdf50dc52969b0a",
    .is_discreet = true,
};

static cachekit_status describe(cachekit_slice bytes, cachekit_arena *arena, cachekit_buffer *out,
                                cachekit_error *error)
{
    struct finding finding;
    cachekit_value value;
    time_t now = time(NULL);
    const struct look look = {.arena = arena, .now_unix_s = now > 0 ? (uint64_t)now : 0};
    finding_init(&finding, arena);
    look_bytes(&look, bytes, LOOK_AT_WHOLE, &finding);
    if (!finding_value(&finding, &value)) {
        return complaint_set(error, CACHEKIT_E_NOMEM, "no memory for the values");
    }
    cachekit_status status = cachekit_json_encode(&value, CACHEKIT_JSON_PLAIN, out, error);
    return status < 0 ? status : cachekit_buffer_append(out, "\n", 1);
}

static int inspect(const char *file)
{
    cachekit_error error = {.text = ""};
    cachekit_buffer in = CACHEKIT_BUFFER_INIT;
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    cachekit_arena arena;
    cachekit_arena_init(&arena, NULL, form_tree_budget());
    cachekit_status status = stream_read(file, INPUT_MAX_BYTES, &in, &error);
    if (status >= 0) {
        status = describe((cachekit_slice){in.data, in.len}, &arena, &out, &error);
    }
    if (status >= 0) {
        status = stream_write((cachekit_slice){out.data, out.len}, &error);
    }
    cachekit_arena_release(&arena);
    cachekit_buffer_release(&in);
    cachekit_buffer_release(&out);
    return status >= 0 ? COMMAND_DONE : complain(status, &error, "inspect");
}

static int inspect_run(int argc, char **argv)
{
    int code;
    struct inspect_options options;
    if (!opt_read(&inspect_table, argc, argv, &options, &code)) {
        return code;
    }
    return inspect(options.files.count > 0 ? options.files.items[0] : NULL);
}

const struct command command_inspect = {"inspect", "say what stored bytes are", inspect_run};
