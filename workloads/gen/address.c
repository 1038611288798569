// SPDX-License-Identifier: MIT
// Address-like text: what a compressor meets in real caches, neither noise nor one repeated line.
// The words repeat, their order and the numbers do not; everything follows from one fixed seed.

#include "gen/address.h"

#include <stdio.h>

static const char *const first_names[] = {
    "Ada",     "Ben",   "Clara",  "David", "Edith", "Frank",  "Grace",  "Hugo",
    "Irene",   "Jonas", "Karin",  "Liam",  "Maria", "Noah",   "Olivia", "Peter",
    "Quentin", "Rosa",  "Samuel", "Tessa", "Ulf",   "Vera",   "Walter", "Xenia",
    "Yusuf",   "Zelda", "Amina",  "Bruno", "Chloe", "Dmitri", "Elena",  "Farid",
};
static const char *const last_names[] = {
    "Anderson", "Baker",  "Castillo", "Dubois",  "Evans",    "Fischer",  "Garcia", "Hoffmann",
    "Ibrahim",  "Jensen", "Kowalski", "Larsson", "Moreau",   "Nakamura", "OBrien", "Petrov",
    "Quinn",    "Rossi",  "Schmidt",  "Tanaka",  "Urquhart", "Vasquez",  "Weber",  "Young",
};
static const char *const streets[] = {
    "Acacia", "Bridge",  "Church",  "Dock",   "Elm",    "Forest", "Garden",  "High",
    "Ivy",    "Juniper", "King",    "Lake",   "Market", "North",  "Orchard", "Park",
    "Queen",  "River",   "Station", "Temple", "Union",  "Valley", "Willow",  "York",
};
static const char *const kinds[] = {"Street", "Road", "Avenue", "Lane", "Square", "Hill", "Way"};
static const char *const towns[] = {
    "Ashford",  "Brighton", "Carlisle",  "Dorchester", "Exeter",    "Falmouth",    "Grantham",
    "Hereford", "Ipswich",  "Keswick",   "Lancaster",  "Maidstone", "Northampton", "Oxford",
    "Penzance", "Reading",  "Salisbury", "Taunton",    "Uxbridge",  "Winchester",
};

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static unsigned below(uint64_t *state, unsigned bound)
{
    return (unsigned)((next_random(state) >> 32) * bound >> 32);
}

#define PICK(state, words) (words)[below(state, sizeof(words) / sizeof *(words))]

static int line_make(uint64_t *state, char *line, size_t room)
{
    const char *first = PICK(state, first_names);
    const char *last = PICK(state, last_names);
    unsigned house = 1 + below(state, 250);
    const char *street = PICK(state, streets);
    const char *kind = PICK(state, kinds);
    const char *town = PICK(state, towns);
    unsigned code = 10000 + below(state, 90000);
    unsigned customer = below(state, 1000000);
    return snprintf(line, room, "%s %s, %u %s %s, %05u %s, #%06u\n", first, last, house, street,
                    kind, code, town, customer);
}

void address_make(pack *out, size_t len)
{
    uint64_t state = 2024;
    size_t left = len;
    while (left > 0 && !out->failed) {
        char line[160];
        int made = line_make(&state, line, sizeof line);
        size_t take = (size_t)made < left ? (size_t)made : left;
        pack_raw(out, line, take);
        left -= take;
    }
}
