// SPDX-License-Identifier: MIT
// The report is written first: a table that was seen has its report on disk.
#include "ir_telling.h"

#include <stdio.h>

#include "cli/term.h"
#include "cli/tool.h"
#include "render/ir_table.h"
#include "store/document.h"
#include "store/ir_report.h"
#include "store/json_out.h"

static struct ir_provenance provenance_of(const struct ir_telling *t, const struct host *host)
{
    struct host_ticks now;
    host_ticks_read(&now);
    return (struct ir_provenance){
        .tool = {.version = tool_version(),
                 .commit = tool_commit(),
                 .argc = t->argc,
                 .argv = t->argv,
                 .valgrind = t->valgrind_path},
        .run = t->options->run,
        .host = {.cpu = host->cpu,
                 .kernel = host->kernel,
                 .libc = host->libc,
                 .governor = host->governor,
                 .virtualisation = host->virtualisation,
                 .cores = host->cores,
                 .load_milli = host->load_milli,
                 .steal_milli = host_steal_milli(t->started, &now)},
    };
}

static bool put_documents(const struct ir_telling *t, struct fault *fault)
{
    const struct ir_options *o = t->options;
    struct json_out body = JSON_OUT_INIT, provenance = JSON_OUT_INIT;
    struct host host;
    host_read(&host);
    const struct ir_provenance about = provenance_of(t, &host);
    ir_report_body(&body, t->result);
    ir_report_provenance(&provenance, t->result, &about);
    bool ok = (o->report == NULL || document_write(o->report, &body, &provenance, fault)) &&
              (!o->json || document_print(stdout, &body, &provenance, fault));
    json_out_release(&provenance);
    json_out_release(&body);
    return ok;
}

static bool put_table(const struct ir_telling *t, struct fault *fault)
{
    const struct table_style style = {term_has_color(stdout, (enum term_when)t->options->color),
                                      term_columns(stdout)};
    return ir_table_print(stdout, t->result, style) || fault_set(fault, "out of memory");
}

bool ir_tell(const struct ir_telling *telling, struct fault *fault)
{
    return put_documents(telling, fault) && (telling->options->json || put_table(telling, fault));
}
