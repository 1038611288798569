// SPDX-License-Identifier: MIT
// A decoder is fast when it checks nothing. So each path that decodes shows, through the call it
// has just measured, that the checks are on: pairs of inputs that differ in one thing only.

#include "paths/hostile_input.h"

#include <stdlib.h>
#include <string.h>

enum { LEVELS_MAX = 1024 };

/* `levels` collections, one in the other, around `core`. */
static cachekit_slice nested(uint8_t *room, size_t levels, char open, const char *core, char close)
{
    size_t len = 0;
    memset(room, open, levels);
    len += levels;
    memcpy(room + len, core, strlen(core));
    len += strlen(core);
    if (close != 0) {
        memset(room + len, close, levels);
        len += levels;
    }
    return (cachekit_slice){room, len};
}

static bool depth_is_bounded(hostile_entry entry, void *state, char open, const char *core,
                             char close)
{
    uint8_t room[2 * (LEVELS_MAX + 1) + 16];
    cachekit_slice lawful = nested(room, LEVELS_MAX, open, core, close);
    if (entry(state, lawful) != CACHEKIT_OK) {
        return false;
    }
    cachekit_slice deeper = nested(room, LEVELS_MAX + 1, open, core, close);
    return entry(state, deeper) == CACHEKIT_E_DECODE;
}

/*
 * One array16 header of 60,000 items is backed by the bytes behind it; a thousand of them, one in
 * the other, are not. A reader that believes each asks for 960 MB and runs out of its arena.
 */
static bool sum_is_bounded(hostile_entry entry, void *state)
{
    static const uint8_t header[] = {0xdc, 60000 >> 8, 60000 & 0xff};
    enum { HEADERS = 1000, LEN = 3 * HEADERS + 60000 };
    uint8_t *room = calloc(1, LEN);
    if (room == NULL) {
        return false;
    }
    memcpy(room, header, 3);
    bool held = entry(state, (cachekit_slice){room, 3 + 60000}) == CACHEKIT_OK;
    for (size_t i = 1; i < HEADERS; i++) {
        memcpy(room + 3 * i, header, 3);
    }
    held = held && entry(state, (cachekit_slice){room, LEN}) == CACHEKIT_E_DECODE;
    free(room);
    return held;
}

typedef struct pair {
    const char *lawful, *hostile;
    size_t lawful_len, hostile_len;
} pair;

#define PAIR(lawful, hostile)                                                                      \
    {                                                                                              \
        lawful, hostile, sizeof(lawful) - 1, sizeof(hostile) - 1                                   \
    }

static bool pairs_hold(hostile_entry entry, void *state, const pair *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cachekit_slice lawful = {(const uint8_t *)pairs[i].lawful, pairs[i].lawful_len};
        cachekit_slice hostile = {(const uint8_t *)pairs[i].hostile, pairs[i].hostile_len};
        if (entry(state, lawful) != CACHEKIT_OK || entry(state, hostile) != CACHEKIT_E_DECODE) {
            return false;
        }
    }
    return true;
}

bool hostile_refused(hostile_entry entry, void *state)
{
    static const pair pairs[] = {
        PAIR("\xdd\0\0\0\2\1\2", "\xdd\xff\xff\xff\xff\1\2"), /* one header over-claims */
        PAIR("\xc4\3\1\2\3", "\xc4\4\1\2\3"),
        PAIR("\x92\x92\1\2\3", "\x92\x93\1\2\3"),     /* each alone is backed, not both */
        PAIR("\xa2\xc3\xa9", "\xa2\xc0\xaf"),         /* an overlong form */
        PAIR("\xa3\xed\x9f\xbf", "\xa3\xed\xa0\x80"), /* a surrogate */
    };
    return depth_is_bounded(entry, state, '\x91', "\xc0", 0) && sum_is_bounded(entry, state) &&
           pairs_hold(entry, state, pairs, sizeof pairs / sizeof *pairs);
}

bool hostile_json_refused(hostile_entry entry, void *state)
{
    static const pair pairs[] = {
        PAIR("[1,2]", "[1,2"),
        PAIR("\"\xc3\xa9\"", "\"\xc0\xaf\""),
        PAIR("\"\xed\x9f\xbf\"", "\"\xed\xa0\x80\""),
    };
    return depth_is_bounded(entry, state, '[', "0", ']') &&
           pairs_hold(entry, state, pairs, sizeof pairs / sizeof *pairs);
}
