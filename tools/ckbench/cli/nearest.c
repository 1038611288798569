// SPDX-License-Identifier: MIT
// Optimal string alignment over words of at most WORD_MAX bytes: three rows of the usual table are
// enough, because a swap reaches back two.
#include "cli/nearest.h"

#include <string.h>

enum { WORD_MAX = 64 };

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned edits(const char *a, const char *b)
{
    size_t a_len = strlen(a);
    size_t b_len = strlen(b);
    if (a_len > WORD_MAX || b_len > WORD_MAX) {
        return WORD_MAX;
    }
    unsigned rows[3][WORD_MAX + 1];
    for (size_t j = 0; j <= b_len; j++) {
        rows[0][j] = (unsigned)j;
    }
    for (size_t i = 1; i <= a_len; i++) {
        unsigned *now = rows[i % 3];
        const unsigned *last = rows[(i + 2) % 3];
        const unsigned *older = rows[(i + 1) % 3];
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= b_len; j++) {
            unsigned replaced = last[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = least(replaced, least(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                now[j] = least(now[j], older[j - 2] + 1);
            }
        }
    }
    return rows[a_len % 3][b_len];
}

const char *nearest_word(const char *typed, const char *const *words, size_t count)
{
    size_t len = strlen(typed);
    const char *best = NULL;
    unsigned best_edits = 1 + (unsigned)(len < WORD_MAX ? len / 3 : WORD_MAX / 3);
    for (size_t i = 0; i < count; i++) {
        if (words[i] == NULL) {
            continue;
        }
        if (len > 0 && strncmp(typed, words[i], len) == 0) {
            return words[i];
        }
        unsigned now = edits(typed, words[i]);
        if (now < best_edits || (best == NULL && now == best_edits)) {
            best = words[i];
            best_edits = now;
        }
    }
    return best;
}
