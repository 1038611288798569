// SPDX-License-Identifier: MIT
// Makes figures and sentences of whole numbers: here, and only here, is divided and rounded, half
// away from zero. A change that is there but rounds to nothing is written as "<0.01".
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "measure/attribution.h"
#include "measure/checked.h"
#include "measure/symbol.h"

enum { NAME_SHOWN = 96, CALLERS_SHOWN = 2, FIGURE_BYTES = 32 };

// A fraction of whole numbers; `bottom` is not 0.
struct ratio {
    bool is_negative;
    checked_wide top;
    checked_wide bottom;
};

static struct ratio change_of_rates(uint64_t head, uint64_t base, uint64_t head_ops,
                                    uint64_t base_ops)
{
    checked_wide left = checked_product(head, base_ops);
    checked_wide right = checked_product(base, head_ops);
    return (struct ratio){left < right, left < right ? right - left : left - right,
                          checked_product(head_ops, base_ops)};
}

// Hundredths, rounded and saturated. Bits that both numbers are too long for are dropped from both.
static uint64_t centi_of(struct ratio ratio)
{
    while (ratio.top >> 120 != 0 || ratio.bottom >> 120 != 0) {
        ratio.top >>= 1;
        ratio.bottom >>= 1;
    }
    if (ratio.bottom == 0) {
        return INT64_MAX;
    }
    checked_wide centi = (ratio.top * 100 + ratio.bottom / 2) / ratio.bottom;
    return centi > INT64_MAX ? INT64_MAX : (uint64_t)centi;
}

static int64_t signed_centi(struct ratio ratio)
{
    int64_t centi = (int64_t)centi_of(ratio);
    return ratio.is_negative ? -centi : centi;
}

// The rate's change times the cost of a call before. The product of three numbers may need more
// than 128 bits, so the long ones are shortened first: what is lost is below a 2^-50th.
static struct ratio calls_part(const struct attribution *all,
                               const struct attribution_function *function)
{
    struct ratio part =
        change_of_rates(function->head_calls, function->base_calls, all->head_ops, all->base_ops);
    checked_wide cost = function->base_ir;
    checked_wide calls = function->base_calls;
    while (part.top >> 60 != 0) {
        part.top >>= 1;
        part.bottom >>= 1;
    }
    while (cost >> 60 != 0 || calls >> 60 != 0) {
        cost >>= 1;
        calls >>= 1;
    }
    part.top *= cost;
    part.bottom *= calls;
    return part;
}

struct attribution_delta attribution_delta(const struct attribution *attribution, size_t index)
{
    const struct attribution_function *function = &attribution->functions[index];
    struct attribution_delta delta = {
        .total_centi = signed_centi(change_of_rates(function->head_ir, function->base_ir,
                                                    attribution->head_ops, attribution->base_ops))};
    if (function->base_calls > 0) {
        struct ratio part = calls_part(attribution, function);
        delta.by_calls_centi = part.top == 0 ? 0 : signed_centi(part);
    } else if (function->head_calls > 0) {
        delta.by_calls_centi = delta.total_centi;
    }
    delta.by_cost_centi = delta.total_centi - delta.by_calls_centi;
    return delta;
}

struct text {
    char *at;
    size_t left; // with the terminator
};

__attribute__((format(printf, 2, 3))) static void put(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text->at, text->left, format, args);
    va_end(args);
    size_t used = len < 0 ? 0 : (size_t)len;
    if (used >= text->left) {
        used = text->left - 1;
    }
    for (size_t i = 0; i < used; i++) {
        if (text->at[i] < 0x20 || text->at[i] > 0x7e) {
            text->at[i] = '?';
        }
    }
    text->at += used;
    text->left -= used;
}

static void put_name(struct text *text, const char *name)
{
    bool is_long = strlen(name) > NAME_SHOWN;
    put(text, "%.*s%s", NAME_SHOWN, name, is_long ? "..." : "");
}

// At most two decimals, without zeros at the end.
static void put_figure(struct text *text, struct ratio ratio, bool with_sign)
{
    uint64_t centi = centi_of(ratio);
    const char *sign = ratio.is_negative ? "-" : with_sign ? "+" : "";
    if (centi == 0 && ratio.top != 0) {
        put(text, "%s<0.01", sign);
    } else if (centi % 100 == 0) {
        put(text, "%s%" PRIu64, sign, centi / 100);
    } else if (centi % 10 == 0) {
        put(text, "%s%" PRIu64 ".%" PRIu64, sign, centi / 100, centi % 100 / 10);
    } else {
        put(text, "%s%" PRIu64 ".%02" PRIu64, sign, centi / 100, centi % 100);
    }
}

static void put_place(struct text *text, const char *source, uint32_t line)
{
    if (source[0] != '\0' && line != 0) {
        put(text, " (");
        put_name(text, symbol_file_name(source));
        put(text, ":%" PRIu32 ")", line);
    } else if (source[0] != '\0') {
        put(text, " (");
        put_name(text, symbol_file_name(source));
        put(text, ")");
    }
}

static void put_callers(struct text *text, const struct attribution *all,
                        const struct attribution_function *function)
{
    size_t shown = 0;
    for (size_t i = 0; i < function->caller_count && shown < CALLERS_SHOWN; i++) {
        const struct attribution_caller *caller = &function->callers[i];
        if (change_of_rates(caller->head_calls, caller->base_calls, all->head_ops, all->base_ops)
                .top != 0) {
            put(text, shown == 0 ? " from " : " and ");
            put_name(text, strcmp(caller->name, function->name) == 0 ? "itself" : caller->name);
            shown++;
        }
    }
}

// What a call costs by itself, on one side.
static struct ratio cost_of_call(uint64_t self_ir, uint64_t calls)
{
    return (struct ratio){false, self_ir, calls};
}

static struct ratio rate(uint64_t count, uint64_t ops)
{
    return (struct ratio){false, count, ops};
}

// Called on one side only.
static void put_one_sided(struct text *text, const struct attribution *all,
                          const struct attribution_function *function)
{
    bool is_new = function->base_calls == 0;
    const char *start = !is_new             ? "no longer called, was"
                        : function->in_base ? "newly called"
                                            : "new, called";
    put(text, "%s ", start);
    put_figure(text,
               is_new ? rate(function->head_calls, all->head_ops)
                      : rate(function->base_calls, all->base_ops),
               false);
    put(text, " per op");
    put_callers(text, all, function);
    put(text, ", ");
    put_figure(text,
               is_new ? cost_of_call(function->head_ir, function->head_calls)
                      : cost_of_call(function->base_ir, function->base_calls),
               false);
    put(text, " instructions each");
    put_place(text, function->source, function->first_line);
}

// Never called in the windows: it was running when they opened.
static void put_uncalled(struct text *text, const struct attribution *all,
                         const struct attribution_function *function)
{
    const char *start = function->in_head ? function->in_base ? "" : "new, " : "gone, ";
    put(text, "%s", start);
    put_figure(text,
               change_of_rates(function->head_ir, function->base_ir, all->head_ops, all->base_ops),
               true);
    put(text, " instructions per op");
    put_place(text, function->change_source, function->change_line);
}

static void put_same_calls(struct text *text, const struct attribution_function *function)
{
    put(text, "same calls, ");
    put_figure(text,
               change_of_rates(function->head_ir, function->base_ir, function->head_calls,
                               function->base_calls),
               true);
    put(text, " instructions each");
    put_place(text, function->change_source, function->change_line);
}

static void put_other_calls(struct text *text, const struct attribution *all,
                            const struct attribution_function *function, struct ratio calls)
{
    struct ratio before = cost_of_call(function->base_ir, function->base_calls);
    struct ratio now = cost_of_call(function->head_ir, function->head_calls);
    put(text, "called ");
    put_figure(text, calls, true);
    put(text, " per op");
    put_callers(text, all, function);
    put(text, ", ");
    if (centi_of(before) != centi_of(now)) {
        put_figure(text, before, false);
        put(text, " -> ");
    }
    put_figure(text, now, false);
    put(text, " instructions each");
    put_place(text, function->source, function->first_line);
}

void attribution_reason(const struct attribution *attribution, size_t index, char *buffer,
                        size_t size)
{
    const struct attribution_function *function = &attribution->functions[index];
    struct ratio calls = change_of_rates(function->head_calls, function->base_calls,
                                         attribution->head_ops, attribution->base_ops);
    struct text text = {buffer, size};
    if (size == 0) {
        return;
    }
    buffer[0] = '\0';
    put_name(&text, function->name);
    put(&text, ": ");
    if (function->head_calls == 0 && function->base_calls == 0) {
        put_uncalled(&text, attribution, function);
    } else if (function->head_calls == 0 || function->base_calls == 0) {
        put_one_sided(&text, attribution, function);
    } else if (calls.top == 0) {
        put_same_calls(&text, function);
    } else {
        put_other_calls(&text, attribution, function, calls);
    }
}
