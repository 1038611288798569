// SPDX-License-Identifier: MIT
// Lack of memory is remembered and asked for once, at the end, so that a reader of bytes reads as a
// list of what it found.
#include "finding.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "complain.h"

static void add(struct finding *finding, const char *name, cachekit_value value)
{
    assert(finding->pairs < FINDING_PAIRS_MAX);
    finding->items[2 * finding->pairs] = cachekit_value_text(name);
    finding->items[2 * finding->pairs + 1] = value;
    finding->pairs++;
}

void finding_init(struct finding *finding, cachekit_arena *arena)
{
    finding->arena = arena;
    finding->pairs = 0;
    finding->is_out_of_memory = false;
}

void finding_text(struct finding *finding, const char *name, const char *text)
{
    add(finding, name, cachekit_value_text(text));
}

void finding_number(struct finding *finding, const char *name, uint64_t number)
{
    add(finding, name, cachekit_value_u64(number));
}

void finding_bool(struct finding *finding, const char *name, bool value)
{
    add(finding, name, cachekit_value_bool(value));
}

void finding_nil(struct finding *finding, const char *name)
{
    add(finding, name, cachekit_value_nil());
}

void finding_float(struct finding *finding, const char *name, double number)
{
    add(finding, name, cachekit_value_f64(number));
}

void finding_format(struct finding *finding, const char *name, const char *format, ...)
{
    char text[COMPLAINT_ROOM];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *copy = cachekit_arena_copy(finding->arena, text, strlen(text));
    if (copy == NULL) {
        finding->is_out_of_memory = true;
        return;
    }
    finding_text(finding, name, copy);
}

void finding_fault(struct finding *finding, const char *name, cachekit_status status,
                   const cachekit_error *error)
{
    char line[COMPLAINT_ROOM];
    if (status >= 0) {
        finding_nil(finding, name);
        return;
    }
    complaint_write(status, error, line, sizeof line);
    finding_format(finding, name, "%s", line);
}

bool finding_value(const struct finding *finding, cachekit_value *out)
{
    size_t size = 2 * finding->pairs * sizeof finding->items[0];
    cachekit_value *items = cachekit_arena_alloc(finding->arena, size);
    if (items == NULL || finding->is_out_of_memory) {
        return false;
    }
    memcpy(items, finding->items, size);
    *out = cachekit_value_map(items, finding->pairs);
    return true;
}

void finding_child(struct finding *finding, const char *name, const struct finding *child)
{
    cachekit_value value;
    if (!finding_value(child, &value)) {
        finding->is_out_of_memory = true;
        return;
    }
    add(finding, name, value);
}
