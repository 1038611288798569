// SPDX-License-Identifier: MIT
// Conditions are compared text by text, so that a refusal can name the one that differs.
#include "stats/fingerprint.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool copy(char *to, size_t room, const char *from)
{
    return (size_t)snprintf(to, room, "%s", from) < room;
}

static const char *value_of(const struct fingerprint_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->pairs[i].name, name) == 0) {
            return list->pairs[i].value;
        }
    }
    return NULL;
}

bool fingerprint_note(struct fingerprint_list *list, const char *name, const char *value)
{
    const char *known = value_of(list, name);
    if (known != NULL) {
        return strcmp(known, value) == 0;
    }
    if (list->count == FINGERPRINT_PAIRS) {
        return false;
    }
    struct fingerprint_pair *pair = &list->pairs[list->count];
    if (!copy(pair->name, sizeof pair->name, name) ||
        !copy(pair->value, sizeof pair->value, value)) {
        return false;
    }
    list->count++;
    return true;
}

// FNV-1a: two long texts that differ must not look the same, and nobody attacks here.
static uint64_t hash_of(const char *text)
{
    uint64_t hash = 14695981039346656037U;
    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * 1099511628211U;
    }
    return hash;
}

static void shorten(char out[FINGERPRINT_TEXT], const char *text)
{
    if (!copy(out, FINGERPRINT_TEXT, text)) {
        (void)snprintf(out + FINGERPRINT_TEXT - 21, 21, "...#%016" PRIx64, hash_of(text));
    }
}

bool fingerprint_producer(struct fingerprint *print, const char *whole)
{
    char producer[FINGERPRINT_TEXT];
    shorten(producer, whole);
    enum { ROWS = sizeof print->producers / sizeof print->producers[0] };
    size_t at = 0;
    while (at < print->producer_count && strcmp(print->producers[at], producer) < 0) {
        at++;
    }
    if (at < print->producer_count && strcmp(print->producers[at], producer) == 0) {
        return true;
    }
    if (print->producer_count == ROWS) {
        return false;
    }
    memmove(print->producers[at + 1], print->producers[at],
            (print->producer_count - at) * FINGERPRINT_TEXT);
    memcpy(print->producers[at], producer, strlen(producer) + 1);
    print->producer_count++;
    return true;
}

static int by_name(const void *a, const void *b)
{
    const struct fingerprint_pair *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static bool join_lists(struct fingerprint_list *list, const struct fingerprint_list *more)
{
    for (size_t i = 0; i < more->count; i++) {
        if (!fingerprint_note(list, more->pairs[i].name, more->pairs[i].value)) {
            return false;
        }
    }
    qsort(list->pairs, list->count, sizeof list->pairs[0], by_name);
    return true;
}

bool fingerprint_join(struct fingerprint *print, const struct fingerprint *more)
{
    for (size_t i = 0; i < more->producer_count; i++) {
        if (!fingerprint_producer(print, more->producers[i])) {
            return false;
        }
    }
    return join_lists(&print->objects, &more->objects) && join_lists(&print->ifuncs, &more->ifuncs);
}

static bool texts_agree(const char *what, const char *head, const char *base,
                        struct fault *difference)
{
    return strcmp(head, base) == 0 ||
           fault_set(difference, "%s differs: head \"%.180s\", base \"%.180s\"", what, head, base);
}

static bool lists_agree(const char *what, const struct fingerprint_list *head,
                        const struct fingerprint_list *base, struct fault *difference)
{
    for (size_t i = 0; i < head->count; i++) {
        const char *other = value_of(base, head->pairs[i].name);
        if (other != NULL && strcmp(other, head->pairs[i].value) != 0) {
            return fault_set(difference, "%s of %s differs: head %s, base %s", what,
                             head->pairs[i].name, head->pairs[i].value, other);
        }
    }
    return true;
}

static bool producers_agree(const struct fingerprint *head, const struct fingerprint *base,
                            struct fault *difference)
{
    for (size_t i = 0; i < head->producer_count || i < base->producer_count; i++) {
        const char *h = i < head->producer_count ? head->producers[i] : "none";
        const char *b = i < base->producer_count ? base->producers[i] : "none";
        if (!texts_agree("compiler or flags", h, b, difference)) {
            return false;
        }
    }
    return true;
}

bool fingerprint_agrees(const struct fingerprint *head, const struct fingerprint *base,
                        bool accept_flags, struct fault *difference)
{
    return texts_agree("architecture", head->arch, base->arch, difference) &&
           texts_agree("valgrind", head->valgrind, base->valgrind, difference) &&
           texts_agree("guest CPUID", head->cpuid, base->cpuid, difference) &&
           texts_agree("GLIBC_TUNABLES", head->tunables, base->tunables, difference) &&
           (accept_flags || producers_agree(head, base, difference)) &&
           lists_agree("build id", &head->objects, &base->objects, difference) &&
           lists_agree("variant", &head->ifuncs, &base->ifuncs, difference);
}
