// SPDX-License-Identifier: MIT
// What was measured is the body; where, when and of what build is provenance. Passwords in URLs
// reach neither.
#include "terrain_telling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/term.h"
#include "cli/tool.h"
#include "render/html.h"
#include "render/terrain_table.h"
#include "store/document.h"
#include "store/provenance.h"
#include "store/replace.h"
#include "store/sha256.h"
#include "store/terrain_report.h"

enum { SECRET_ROOM = 4096 };

static void put_host(struct json_out *out, const struct terrain_telling *t)
{
    const struct host *host = &t->host;
    json_begin_object(out, "host");
    json_put_text(out, "cpu", host->cpu);
    json_put_i64(out, "cores", host->cores);
    json_put_text(out, "kernel", host->kernel);
    json_put_text(out, "libc", host->libc);
    json_put_text(out, "governor", host->governor);
    json_put_text(out, "virtualisation", host->virtualisation);
    json_put_i64(out, "load_milli", host->load_milli);
    json_put_i64(out, "steal_milli", t->steal_milli);
    json_end_object(out);
}

static void put_subject(struct json_out *out, const struct subject *subject)
{
    char commit[256];
    (void)snprintf(commit, sizeof commit, "%s%s", subject->commit,
                   subject->dirty.count > 0 ? ".dirty" : "");
    json_begin_object(out, "subject");
    json_put_text(out, "file", subject->file);
    json_put_text(out, "kit", subject->kit);
    json_put_text(out, "compiler", subject->compiler);
    json_put_text(out, "flags", subject->flags);
    json_put_text(out, "commit", commit);
    json_begin_array(out, "dirty");
    for (size_t i = 0; i < subject->dirty.count; i++) {
        json_put_text(out, NULL, subject->dirty.items[i]);
    }
    json_end_array(out);
    json_put_text(out, "build_id", subject->build_id);
    json_end_object(out);
}

// argv without passwords. NULL: no memory.
static char **clean_arguments(const struct terrain_telling *t)
{
    char **clean = calloc((size_t)t->argc + 1, sizeof *clean);
    for (int i = 0; clean != NULL && i < t->argc; i++) {
        char text[SECRET_ROOM];
        terrain_hide_secrets(t->argv[i], text, sizeof text);
        clean[i] = strdup(text);
    }
    return clean;
}

static void put_request(struct json_out *out, const struct terrain_words *words)
{
    json_begin_array(out, "request");
    for (size_t i = 0; i < words->count; i++) {
        char text[SECRET_ROOM];
        terrain_hide_secrets(words->texts[i], text, sizeof text);
        json_put_text(out, NULL, text);
    }
    json_end_array(out);
}

static void put_provenance(struct json_out *out, const struct terrain_telling *t)
{
    char started[32] = "";
    struct tm utc;
    char **argv = clean_arguments(t);
    const struct provenance_tool tool = {.version = tool_version(),
                                         .commit = tool_commit(),
                                         .argc = argv != NULL ? t->argc : 0,
                                         .argv = argv};
    time_t seconds = (time_t)t->started_s;
    if (gmtime_r(&seconds, &utc) != NULL) {
        (void)strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", &utc);
    }
    json_begin_object(out, NULL);
    provenance_put_tool(out, &tool);
    json_put_text(out, "started", started);
    json_put_text(out, "l2_where", t->options->l2_where);
    json_put_text(out, "harness", t->options->harness);
    json_put_text(out, "namespace", t->recording.name_space);
    put_request(out, t->words);
    put_host(out, t);
    put_subject(out, t->subject);
    json_end_object(out);
    for (int i = 0; argv != NULL && i < t->argc; i++) {
        free(argv[i]);
    }
    free(argv);
}

// The page shows what the document says of where it comes from.
static bool write_page(const struct terrain_telling *t, struct fault *fault)
{
    char style[SHA256_TEXT_SIZE], script[SHA256_TEXT_SIZE], commit[256];
    const struct html_facts facts = {
        .l2_where = t->options->l2_where,
        .harness = t->options->harness,
        .commit = commit,
        .compiler = t->subject->compiler,
        .cpu = t->host.cpu,
        .kernel = t->host.kernel,
        .style_sha256 = style,
        .script_sha256 = script,
    };
    sha256_text(html_style(), strlen(html_style()), style);
    sha256_text(html_script(), strlen(html_script()), script);
    (void)snprintf(commit, sizeof commit, "%s%s", t->subject->commit,
                   t->subject->dirty.count > 0 ? ".dirty" : "");
    struct html_page page = {0};
    bool is_good =
        html_draw(&t->recording, &t->books, &facts, &page)
            ? replace_file(t->options->html, page.text, page.len, fault)
            : fault_set(fault, "no memory for the page, or it does not fit into %d bytes",
                        HTML_BYTES_MAX);
    free(page.text);
    return is_good;
}

bool terrain_tell(const struct terrain_telling *t, struct fault *fault)
{
    struct json_out body = JSON_OUT_INIT, provenance = JSON_OUT_INIT;
    const struct terrain_options *o = t->options;
    terrain_put_body(&body, &t->recording, &t->books);
    put_provenance(&provenance, t);
    bool is_good = o->out == NULL || document_write(o->out, &body, &provenance, fault);
    is_good = is_good && (o->html == NULL || write_page(t, fault));
    if (is_good && o->json) {
        is_good = document_print(stdout, &body, &provenance, fault);
    } else if (is_good) {
        const struct table_style style = {.has_color = false, .columns = term_columns(stdout)};
        is_good = terrain_print(&t->recording, &t->books, stdout, style) ||
                  fault_set(fault, "no memory for the table");
    }
    json_out_release(&body);
    json_out_release(&provenance);
    return is_good;
}
