// SPDX-License-Identifier: MIT
// Random numbers (xoshiro256++, Blackman and Vigna 2019), laws of time, and instants of arrival.
// Instants are absolute: each is computed from the start, so that a late call moves no later one.
#include "terrain_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The finalizer of SplitMix64 (Steele, Lea and Flood 2014).
uint64_t ckbench_mix(uint64_t value)
{
    value += 0x9e3779b97f4a7c15;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
}

void ckbench_random_start(struct ckbench_random *random, uint64_t seed, uint64_t stream)
{
    uint64_t at = ckbench_mix(seed) ^ ckbench_mix(~stream);
    for (size_t i = 0; i < 4; i++) {
        random->s[i] = ckbench_mix(at + i * 0x9e3779b97f4a7c15);
    }
}

double ckbench_random_unit(struct ckbench_random *random)
{
    return (double)((ckbench_random_next(random) >> 11) + 1) * 0x1p-53;
}

// Bisection on erfc: 60 halvings of a range of 80, enough for every bit that matters here.
double ckbench_normal_quantile(double p)
{
    double low = -40, high = 40;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (erfc(-middle / sqrt(2)) / 2 < p) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (low + high) / 2;
}

bool ckbench_duration_read(const char *text, size_t len, double *ns)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    char copy[32];
    if (len == 0 || len >= sizeof copy || text[0] < '0' || text[0] > '9' ||
        memchr(text, 'x', len) != NULL) {
        return false;
    }
    memcpy(copy, text, len);
    copy[len] = '\0';
    char *end = NULL;
    double number = strtod(copy, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(end, units[i].unit) == 0) {
            *ns = number * units[i].ns;
            return *ns >= 0 && *ns <= 3600e9;
        }
    }
    return false;
}

bool ckbench_law_read(const char *text, struct ckbench_law *law)
{
    static const char *const names[] = {"constant:", "exponential:", "lognormal:"};
    size_t kind = 0;
    while (kind < 3 && strncmp(text, names[kind], strlen(names[kind])) != 0) {
        kind++;
    }
    if (kind == 3) {
        return false;
    }
    const char *time = text + strlen(names[kind]);
    const char *colon = strchr(time, ':');
    size_t len = colon != NULL ? (size_t)(colon - time) : strlen(time);
    *law = (struct ckbench_law){(enum ckbench_law_kind)kind, 0, 0};
    if ((colon != NULL) != (kind == CKBENCH_LOGNORMAL) ||
        !ckbench_duration_read(time, len, &law->scale_ns)) {
        return false;
    }
    if (colon == NULL) {
        return true;
    }
    char *end = NULL;
    law->sigma = colon[1] >= '0' && colon[1] <= '9' ? strtod(colon + 1, &end) : 0;
    return end != NULL && *end == '\0' && law->sigma >= 0 && law->sigma <= 5;
}

// The polar way would keep a second number back; Box and Muller's first alone needs no state.
static double ckbench_random_normal(struct ckbench_random *random)
{
    double radius = sqrt(-2 * log(ckbench_random_unit(random)));
    return radius * cos(6.283185307179586 * ckbench_random_unit(random));
}

int64_t ckbench_law_draw(const struct ckbench_law *law, struct ckbench_random *random)
{
    double ns = law->scale_ns;
    if (law->kind == CKBENCH_EXPONENTIAL) {
        ns *= -log(ckbench_random_unit(random));
    } else if (law->kind == CKBENCH_LOGNORMAL) {
        ns *= exp(law->sigma * ckbench_random_normal(random));
    }
    return ns < 3600e9 ? llround(ns) : 3600 * CKBENCH_NS_PER_S;
}

void ckbench_arrivals_restart(struct ckbench_arrivals *arrivals, uint64_t done)
{
    bool is_traced = arrivals->kind == CKBENCH_TRACED;
    arrivals->count = is_traced ? done : 0;
    arrivals->at_ns = 0;
    arrivals->base_ns = is_traced && done < arrivals->instant_count ? arrivals->instants[done] : 0;
    arrivals->base_ns -= arrivals->base_ns % CKBENCH_NS_PER_S; // slices begin where its seconds do
}

// Past the end nothing comes any more.
static int64_t ckbench_arrivals_traced(struct ckbench_arrivals *arrivals)
{
    return arrivals->count < arrivals->instant_count
               ? arrivals->instants[arrivals->count++] - arrivals->base_ns
               : INT64_MAX / 4;
}

int64_t ckbench_arrivals_next(struct ckbench_arrivals *arrivals)
{
    if (arrivals->kind == CKBENCH_TRACED) {
        return ckbench_arrivals_traced(arrivals);
    }
    arrivals->count++;
    if (arrivals->kind == CKBENCH_POISSON) {
        arrivals->at_ns -= arrivals->gap_ns * log(ckbench_random_unit(&arrivals->random));
    } else {
        arrivals->at_ns = (long double)arrivals->count * arrivals->gap_ns;
    }
    return (int64_t)arrivals->at_ns;
}
