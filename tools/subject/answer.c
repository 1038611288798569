// SPDX-License-Identifier: MIT
// Answers: JSON lines of bounded length on a file descriptor that paths do not meet. It is moved
// up and out of the way first, so that neither a stray write to descriptor 3 nor the number that
// a path's own open() returns depends on who is listening.
#include "kit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_FREE_FD = 64, DEFAULT_FD = 3, VALUE_BYTES = 990, TAIL_BYTES = 128, MAX_FD = 1 << 20 };

static int ckbench_answer_fd = -1;
static _Atomic bool ckbench_is_deaf;

static int ckbench_wanted_fd(void)
{
    const char *text = getenv("CKBENCH_FD");
    if (text == NULL) {
        return DEFAULT_FD;
    }
    char *end = NULL;
    long fd = text[0] >= '0' && text[0] <= '9' ? strtol(text, &end, 10) : -1;
    return fd >= 0 && fd <= MAX_FD && *end == '\0' ? (int)fd : -1;
}

int ckbench_answer_open(void)
{
    int wanted = ckbench_wanted_fd();
    int moved = wanted < 0 ? -1 : fcntl(wanted, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
    if (moved < 0) {
        return -1;
    }
    if (wanted > STDERR_FILENO) {
        (void)close(wanted);
    }
    ckbench_answer_fd = moved;
    return 0;
}

// Room for the closing brackets and the newline is always kept back.
static void ckbench_put(struct ckbench_line *line, const char *bytes, size_t len)
{
    if (len <= sizeof line->text - 8 - line->len) {
        memcpy(line->text + line->len, bytes, len);
        line->len += len;
    }
}

static void ckbench_put_text(struct ckbench_line *line, const char *text)
{
    ckbench_put(line, text, strlen(text));
}

// Bytes of the UTF-8 sequence at `at`, 0 when it is none; overlong forms, surrogates and what
// lies beyond U+10FFFF are none.
static size_t ckbench_utf8_len(const unsigned char *at)
{
    static const struct {
        unsigned char first, last, low, high, len;
    } forms[] = {
        {0x20, 0x7e, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    for (size_t form = 0; form < sizeof forms / sizeof *forms; form++) {
        if (at[0] < forms[form].first || at[0] > forms[form].last) {
            continue;
        }
        size_t len = 1;
        while (len < forms[form].len) {
            unsigned low = len == 1 ? forms[form].low : 0x80;
            unsigned high = len == 1 ? forms[form].high : 0xbf;
            if (at[len] < low || at[len] > high) {
                return 0;
            }
            len++;
        }
        return len;
    }
    return 0;
}

static void ckbench_put_string(struct ckbench_line *line, const char *value)
{
    const unsigned char *at = (const unsigned char *)value;
    size_t start = line->len;
    ckbench_put_text(line, "\"");
    while (*at != '\0' && line->len - start < VALUE_BYTES &&
           line->len < sizeof line->text - TAIL_BYTES) {
        size_t len = ckbench_utf8_len(at);
        char escape[8];
        if (len == 0 || *at == '"' || *at == '\\') {
            snprintf(escape, sizeof escape, "\\u%04x", *at < 0x80 ? *at : 0xfffd);
            ckbench_put_text(line, escape);
            at++;
            continue;
        }
        ckbench_put(line, (const char *)at, len);
        at += len;
    }
    ckbench_put_text(line, "\"");
}

static void ckbench_put_key(struct ckbench_line *line, const char *key)
{
    ckbench_put_text(line, ",\"");
    ckbench_put_text(line, key);
    ckbench_put_text(line, "\":");
}

void ckbench_line_begin(struct ckbench_line *line, const char *type)
{
    line->len = 0;
    ckbench_put_text(line, "{\"type\":");
    ckbench_put_string(line, type);
}

void ckbench_line_text(struct ckbench_line *line, const char *key, const char *value)
{
    ckbench_put_key(line, key);
    if (value == NULL) {
        ckbench_put_text(line, "null");
    } else {
        ckbench_put_string(line, value);
    }
}

void ckbench_line_number(struct ckbench_line *line, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    ckbench_put_key(line, key);
    ckbench_put_text(line, text);
}

void ckbench_line_bool(struct ckbench_line *line, const char *key, bool value)
{
    ckbench_put_key(line, key);
    ckbench_put_text(line, value ? "true" : "false");
}

void ckbench_line_hex(struct ckbench_line *line, const char *key, uint64_t value)
{
    char text[20];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)value);
    ckbench_line_text(line, key, text);
}

void ckbench_line_list_begin(struct ckbench_line *line, const char *key)
{
    ckbench_put_key(line, key);
    ckbench_put_text(line, "[");
}

// False when the line has no room for it; the list is then whole up to the item before.
bool ckbench_line_list_item(struct ckbench_line *line, const char *value)
{
    if (strlen(value) * 6 + 2 * TAIL_BYTES > sizeof line->text - line->len) {
        return false;
    }
    if (line->text[line->len - 1] != '[') {
        ckbench_put_text(line, ",");
    }
    ckbench_put_string(line, value);
    return true;
}

// The caller sees to it that numbers find room: up to 21 bytes each.
void ckbench_line_list_number(struct ckbench_line *line, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%s%llu", line->text[line->len - 1] != '[' ? "," : "",
             (unsigned long long)value);
    ckbench_put_text(line, text);
}

void ckbench_line_list_end(struct ckbench_line *line)
{
    ckbench_put_text(line, "]");
}

int ckbench_line_send(struct ckbench_line *line)
{
    memcpy(line->text + line->len, "}\n", 2);
    line->len += 2;
    for (size_t done = 0; done < line->len;) {
        ssize_t wrote = write(ckbench_answer_fd, line->text + done, line->len - done);
        if (wrote >= 0) {
            done += (size_t)wrote;
        } else if (errno == EAGAIN) {
            // A path may have made the shared open file non-blocking.
            struct pollfd ready = {ckbench_answer_fd, POLLOUT, 0};
            (void)poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            ckbench_is_deaf = true;
            return errno;
        }
    }
    return 0;
}

bool ckbench_is_heard(void)
{
    return !ckbench_is_deaf;
}

void ckbench_send_end(uint64_t lines)
{
    struct ckbench_line line;
    ckbench_line_begin(&line, "end");
    ckbench_line_number(&line, "lines", lines);
    (void)ckbench_line_send(&line);
}
