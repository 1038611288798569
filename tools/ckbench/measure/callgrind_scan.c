// SPDX-License-Identifier: MIT
// Numbers, names and positions by the grammar of valgrind's "Callgrind Format Specification".
#include "measure/callgrind_scan.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static void skip_blanks(struct callgrind_scan *scan)
{
    while (scan->at < scan->end && is_blank(*scan->at)) {
        scan->at++;
    }
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

bool callgrind_scan_end(struct callgrind_scan *scan)
{
    skip_blanks(scan);
    return scan->at == scan->end;
}

bool callgrind_scan_number(struct callgrind_scan *scan, uint64_t *value)
{
    skip_blanks(scan);
    int base = 10;
    if (scan->end - scan->at > 2 && scan->at[0] == '0' && scan->at[1] == 'x') {
        scan->at += 2;
        base = 16;
    }
    const char *start = scan->at;
    uint64_t sum = 0;
    while (scan->at < scan->end && digit_of(*scan->at) < base) {
        if (__builtin_mul_overflow(sum, (uint64_t)base, &sum) ||
            __builtin_add_overflow(sum, (uint64_t)digit_of(*scan->at), &sum)) {
            return false;
        }
        scan->at++;
    }
    if (scan->at == start || (scan->at < scan->end && !is_blank(*scan->at))) {
        return false;
    }
    *value = sum;
    return true;
}

bool callgrind_scan_position(struct callgrind_scan *scan, uint64_t *position)
{
    uint64_t step = 0;
    skip_blanks(scan);
    if (scan->at == scan->end) {
        return false;
    }
    char sign = *scan->at;
    if (sign == '*') {
        scan->at++;
        return scan->at == scan->end || is_blank(*scan->at);
    }
    if (sign != '+' && sign != '-') {
        return callgrind_scan_number(scan, position);
    }
    scan->at++;
    if (scan->at == scan->end || is_blank(*scan->at) || !callgrind_scan_number(scan, &step)) {
        return false;
    }
    return sign == '+' ? !__builtin_add_overflow(*position, step, position)
                       : !__builtin_sub_overflow(*position, step, position);
}

bool callgrind_scan_word(struct callgrind_scan *scan, const char **word, size_t *len)
{
    skip_blanks(scan);
    *word = scan->at;
    while (scan->at < scan->end && !is_blank(*scan->at)) {
        scan->at++;
    }
    *len = (size_t)(scan->at - *word);
    return *len > 0;
}

bool callgrind_scan_key(struct callgrind_scan *scan, char mark, const char **key, size_t *len)
{
    const char *at = scan->at;
    while (at < scan->end &&
           ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || digit_of(*at) < 10)) {
        at++;
    }
    if (at == scan->at || at == scan->end || *at != mark) {
        return false;
    }
    *key = scan->at;
    *len = (size_t)(at - scan->at);
    scan->at = at + 1;
    return true;
}

bool callgrind_scan_rest(struct callgrind_scan *scan, const char **text, size_t *len)
{
    skip_blanks(scan);
    const char *end = scan->end;
    while (end > scan->at && is_blank(end[-1])) {
        end--;
    }
    *text = scan->at;
    *len = (size_t)(end - scan->at);
    scan->at = scan->end;
    return true;
}

bool callgrind_scan_name(struct callgrind_scan *scan, struct callgrind_name *name)
{
    *name = (struct callgrind_name){0};
    skip_blanks(scan);
    // A function's own name may begin with a parenthesis, never with one and a digit.
    if (scan->end - scan->at > 1 && scan->at[0] == '(' && digit_of(scan->at[1]) < 10) {
        scan->at++;
        struct callgrind_scan number = *scan;
        while (number.at < scan->end && *number.at != ')') {
            number.at++;
        }
        if (number.at == scan->end) {
            return false;
        }
        const char *behind = number.at + 1;
        number = (struct callgrind_scan){scan->at, number.at};
        if (!callgrind_scan_number(&number, &name->id) || number.at != number.end) {
            return false;
        }
        name->has_id = true;
        scan->at = behind;
    }
    (void)callgrind_scan_rest(scan, &name->text, &name->len);
    return name->has_id || name->len > 0;
}
