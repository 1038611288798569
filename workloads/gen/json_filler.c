// SPDX-License-Identifier: MIT
// The two ends of what a cache stores: text whose keys repeat in each record, as in what web
// services answer, and bytes that no compressor shortens. Everything follows from fixed seeds.

#include "gen/json_filler.h"

#include <stdio.h>

static const char *const names[] = {"anna", "bela", "carl", "dora", "emil", "fida", "gerd", "hana"};
static const char *const states[] = {"new", "paid", "packed", "sent", "returned"};

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static int record_make(uint64_t *state, unsigned id, char *text, size_t room)
{
    uint64_t r = next_random(state);
    return snprintf(text, room,
                    "{\"id\": %u, \"customer\": \"%s.%s@example.org\", \"state\": \"%s\", "
                    "\"items\": [%u, %u], \"total_cents\": %u, \"paid\": %s, \"note\": null}, ",
                    id, names[r & 7], names[r >> 3 & 7], states[(r >> 6 & 0xff) % 5],
                    (unsigned)(r >> 14 & 0xfff), (unsigned)(r >> 26 & 0xfff),
                    (unsigned)(r >> 38 & 0xffff), (r >> 54 & 1) != 0 ? "true" : "false");
}

void json_filler_make(pack *out, size_t len)
{
    uint64_t state = 2025;
    unsigned id = 100000;
    size_t left = len;
    for (pack_raw(out, "[", left > 0); left > 1 && !out->failed;) {
        char text[256];
        size_t made = (size_t)record_make(&state, id++, text, sizeof text);
        size_t take = made < left - 1 ? made : left - 1;
        pack_raw(out, text, take);
        left -= take;
    }
}

void random_make(pack *out, size_t len)
{
    uint64_t state = 7;
    for (size_t i = 0; i < len && !out->failed; i += sizeof(uint64_t)) {
        uint64_t r = next_random(&state);
        pack_raw(out, &r, len - i < sizeof r ? len - i : sizeof r);
    }
}
