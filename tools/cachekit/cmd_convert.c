// SPDX-License-Identifier: MIT
// `cachekit encode` and `cachekit decode`: standard input to standard output through a form.
#include <stddef.h>
#include <unistd.h>

#include "cli/opt.h"
#include "cli/say.h"
#include "form.h"
#include "command.h"
#include "complain.h"
#include "stream.h"

static const struct form form_defaults = {.format = FORM_INTEROP};

static const struct opt form_rows[] = {FORM_FORMAT(form_words),
                                       FORM_ROWS("the key that sealed bytes are bound to")};

static const struct opt_table encode_table = {
    .verb = "encode",
    .about = "JSON on stdin becomes the bytes that a cache stores, on stdout",
    .rows = form_rows,
    .row_count = OPT_ROWS(form_rows),
    .defaults = &form_defaults,
    .size = sizeof form_defaults,
    .exits = "0 done; 2 wrong arguments; 3 refused or failed",
    .example = "echo '{\"id\": 42}' | cachekit encode --format envelope >entry",
    .is_discreet = true,
};

static const struct opt_table decode_table = {
    .verb = "decode",
    .about = "the bytes of one stored value on stdin become one line of JSON on stdout",
    .rows = form_rows,
    .row_count = OPT_ROWS(form_rows),
    .defaults = &form_defaults,
    .size = sizeof form_defaults,
    .exits = "0 done; 2 wrong arguments; 3 refused or failed",
    .example = "cachekit decode --format envelope <entry",
    .is_discreet = true,
};

typedef cachekit_status transform(const struct form *, cachekit_slice, cachekit_buffer *,
                                  cachekit_error *);

static int pass_through(const struct form *form, transform *through, const char *verb)
{
    cachekit_error error = {.text = ""};
    cachekit_buffer in = CACHEKIT_BUFFER_INIT;
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    size_t limit = form->encrypt ? FORM_INPUT_MAX_BYTES : CACHEKIT_ENVELOPE_MAX_BYTES;
    cachekit_status status = stream_read(NULL, limit, &in, &error);
    if (status >= 0) {
        status = through(form, (cachekit_slice){in.data, in.len}, &out, &error);
    }
    if (status >= 0) {
        status = stream_write((cachekit_slice){out.data, out.len}, &error);
    }
    cachekit_buffer_release(&in);
    cachekit_buffer_release(&out);
    return status >= 0 ? COMMAND_DONE : complain(status, &error, verb);
}

static int read_and_pass(const struct opt_table *table, int argc, char **argv, transform *through)
{
    int code;
    struct form form;
    if (!opt_read(table, argc, argv, &form, &code)) {
        return code;
    }
    const char *wrong = form_check(&form);
    if (wrong == NULL && !form.encrypt && form.cache_key != NULL) {
        wrong = "--cache-key means nothing without --encrypt";
    }
    if (wrong == NULL && through == form_encode && isatty(STDOUT_FILENO) == 1) {
        wrong = "stdout is a terminal; send the bytes to a file or a pipe";
    }
    if (wrong != NULL) {
        return say_fail(COMMAND_USAGE, "%s (see cachekit %s --help)", wrong, table->verb);
    }
    return pass_through(&form, through, table->verb);
}

static int encode_run(int argc, char **argv)
{
    return read_and_pass(&encode_table, argc, argv, form_encode);
}

static int decode_run(int argc, char **argv)
{
    return read_and_pass(&decode_table, argc, argv, form_decode);
}

const struct command command_encode = {"encode", "JSON to stored bytes", encode_run};
const struct command command_decode = {"decode", "stored bytes to JSON", decode_run};
