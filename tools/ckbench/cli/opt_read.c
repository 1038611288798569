// SPDX-License-Identifier: MIT
// The part of option reading that speaks: help to stdout, one line of complaint to stderr.
#include "cli/opt.h"

#include "cli/exit.h"
#include "cli/say.h"
#include "cli/tool.h"

bool opt_read(const struct opt_table *table, int argc, char *const *argv, void *options,
              int *exit_code)
{
    struct fault fault = {""};
    switch (opt_parse(table, argc, argv, options, &fault)) {
    case OPT_RUN:
        return true;
    case OPT_HELP:
        opt_help(table, stdout);
        *exit_code = EXIT_GOOD;
        return false;
    case OPT_REFUSED:
        break;
    }
    *exit_code =
        say_fail(EXIT_USAGE, "%s (see %s %s --help)", fault.text, tool_name(), table->verb);
    return false;
}
