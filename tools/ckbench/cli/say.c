// SPDX-License-Identifier: MIT
// One line is one write: messages of two processes on the same terminal do not mix.
#include "cli/say.h"

#include <stdarg.h>
#include <stdio.h>

#include "cli/tool.h"

static void say_text(const char *text)
{
    (void)fflush(stdout); // so that result and message appear in the order they were made
    (void)fprintf(stderr, "%s: %s\n", tool_name(), text);
    (void)fflush(stderr);
}

__attribute__((format(printf, 2, 0))) static void fill(struct fault *fault, const char *format,
                                                       va_list args)
{
    char text[2 * 4096]; // longer than a fault, which then leaves out the middle
    (void)vsnprintf(text, sizeof text, format, args);
    (void)fault_set(fault, "%s", text);
}

void say(const char *format, ...)
{
    struct fault fault;
    va_list args;
    va_start(args, format);
    fill(&fault, format, args);
    va_end(args);
    say_text(fault.text);
}

int say_fail(int exit_code, const char *format, ...)
{
    struct fault fault;
    va_list args;
    va_start(args, format);
    fill(&fault, format, args);
    va_end(args);
    say_text(fault.text);
    return exit_code;
}

int say_fault(int exit_code, const struct fault *fault)
{
    say_text(fault->text);
    return exit_code;
}
