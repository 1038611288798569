// SPDX-License-Identifier: MIT
// Insertion for the few, heapsort to bound the many: qsort() takes no context, and may allocate.
#include "key/spans.h"

#include <string.h>

enum { INSERTION_MAX = 16 };

static int compare(const uint8_t *bytes, const struct cki_span *x, const struct cki_span *y)
{
    if (x->rank != y->rank) {
        return x->rank < y->rank ? -1 : 1;
    }
    if (x->number != y->number) {
        return x->number < y->number ? -1 : 1;
    }
    size_t len = x->key_len < y->key_len ? x->key_len : y->key_len;
    int order = memcmp(bytes + x->key_at, bytes + y->key_at, len);
    return order != 0 ? order : (x->key_len > y->key_len) - (x->key_len < y->key_len);
}

bool cki_spans_ascend(const uint8_t *bytes, const struct cki_span *spans, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (compare(bytes, &spans[i - 1], &spans[i]) >= 0) {
            return false;
        }
    }
    return true;
}

static void insert_all(const uint8_t *bytes, struct cki_span *spans, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct cki_span moved = spans[i];
        size_t at = i;
        for (; at > 0 && compare(bytes, &moved, &spans[at - 1]) < 0; at--) {
            spans[at] = spans[at - 1];
        }
        spans[at] = moved;
    }
}

static void sift_down(const uint8_t *bytes, struct cki_span *spans, size_t at, size_t count)
{
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && compare(bytes, &spans[child], &spans[child + 1]) < 0) {
            child++;
        }
        if (compare(bytes, &spans[at], &spans[child]) >= 0) {
            return;
        }
        const struct cki_span kept = spans[at];
        spans[at] = spans[child];
        spans[child] = kept;
    }
}

void cki_spans_sort(const uint8_t *bytes, struct cki_span *spans, size_t count)
{
    if (count <= INSERTION_MAX) {
        insert_all(bytes, spans, count);
        return;
    }
    for (size_t i = count / 2; i-- > 0;) {
        sift_down(bytes, spans, i, count);
    }
    for (size_t end = count; end-- > 1;) {
        const struct cki_span kept = spans[0];
        spans[0] = spans[end];
        spans[end] = kept;
        sift_down(bytes, spans, 0, end);
    }
}

size_t cki_spans_distinct(const uint8_t *bytes, struct cki_span *spans, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || compare(bytes, &spans[kept - 1], &spans[i]) != 0) {
            spans[kept++] = spans[i];
        }
    }
    return kept;
}
