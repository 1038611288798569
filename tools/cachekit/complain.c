// SPDX-License-Identifier: MIT
// Texts of the library hold nothing of keys and values, so they can be shown as they are. Some name
// the byte themselves, others leave it to error->position.
#include "complain.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/say.h"
#include "cli/tool.h"
#include "command.h"

void complaint_write(cachekit_status status, const cachekit_error *error, char *out, size_t size)
{
    const char *text = error->text[0] != '\0' ? error->text : cachekit_status_text(status);
    char position[40] = "";
    if (error->position != 0 && strstr(text, "at byte") == NULL) {
        (void)snprintf(position, sizeof position, ", at byte %" PRIu64, error->position);
    }
    (void)snprintf(out, size, "%s: %s%s", cachekit_status_name(status), text, position);
}

static int say_status(int exit_code, cachekit_status status, const cachekit_error *error,
                      const char *verb)
{
    char line[COMPLAINT_ROOM];
    complaint_write(status, error, line, sizeof line);
    if (exit_code == COMMAND_USAGE) {
        return say_fail(exit_code, "%s (see %s %s --help)", line, tool_name(), verb);
    }
    return say_fail(exit_code, "%s", line);
}

int complain(cachekit_status status, const cachekit_error *error, const char *verb)
{
    int exit_code = status == CACHEKIT_MISS        ? COMMAND_ABSENT
                    : status == CACHEKIT_E_INVALID ? COMMAND_USAGE
                                                   : COMMAND_REFUSED;
    return say_status(exit_code, status, error, verb);
}

int complain_of_words(cachekit_status status, const cachekit_error *error, const char *verb)
{
    int exit_code = status == CACHEKIT_E_NOMEM ? COMMAND_REFUSED : COMMAND_USAGE;
    return say_status(exit_code, status, error, verb);
}

cachekit_status complaint_set(cachekit_error *error, cachekit_status status, const char *format,
                              ...)
{
    va_list args;
    *error = (cachekit_error){.status = status};
    va_start(args, format);
    (void)vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    return status;
}
