// SPDX-License-Identifier: MIT
// Writes headers of any width that holds the length, so not only what a packer would choose.
#include "random_document.h"

#include <stdbool.h>
#include <string.h>

enum { DEPTH_MAX = 7 };

// splitmix64 (Steele, Lea, Flood 2014).
uint64_t random_next(struct random_document *document)
{
    uint64_t z = document->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static size_t below(struct random_document *document, size_t limit)
{
    return random_next(document) % limit;
}

static void put(struct random_document *document, unsigned byte)
{
    document->bytes[document->len++] = (uint8_t)byte;
}

static void put_big_endian(struct random_document *document, uint64_t number, unsigned width)
{
    while (width-- > 0) {
        put(document, (unsigned)(number >> (8 * width)) & 0xff);
    }
}

// Markers of one type with lengths of 0 (in the marker itself), 1, 2 and 4 bytes; 0: none.
struct family {
    unsigned markers[4];
    size_t short_max;
};

static const struct family str = {{0xa0, 0xd9, 0xda, 0xdb}, 31};
static const struct family bin = {{0, 0xc4, 0xc5, 0xc6}, 0};
static const struct family array = {{0x90, 0, 0xdc, 0xdd}, 15};
static const struct family map = {{0x80, 0, 0xde, 0xdf}, 15};

static void put_header(struct random_document *document, const struct family *family, size_t len)
{
    static const unsigned widths[] = {0, 1, 2, 4};
    const size_t limits[] = {family->short_max, 0xff, 0xffff, 0xffffffff};
    unsigned first = 0;
    while (family->markers[first] == 0 || len > limits[first]) {
        first++;
    }
    unsigned i = first;
    while (i < 3 && below(document, 8) == 0) {
        i++;
    }
    i = family->markers[i] == 0 ? first : i;
    put(document, family->markers[i] + (i == 0 ? (unsigned)len : 0));
    put_big_endian(document, len, widths[i]);
}

static size_t random_len(struct random_document *document)
{
    switch (below(document, 40)) {
    case 0:
        return below(document, 400);
    case 1:
        return below(document, 50) == 0 ? below(document, 70000) : 0;
    default:
        return below(document, 34);
    }
}

static void put_text(struct random_document *document, size_t len)
{
    static const char *const wide[] = {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
    size_t end = document->len + len;
    bool is_ascii = below(document, 3) != 0;
    while (document->len < end) {
        const char *c = is_ascii || below(document, 2) == 0 ? "x" : wide[below(document, 3)];
        size_t step = strlen(c);
        for (size_t i = 0; i < step && document->len + step - i <= end; i++) {
            put(document, (uint8_t)c[i]);
        }
        if (document->len < end && document->len + step > end) {
            put(document, 'y');
        }
    }
}

static void put_scalar(struct random_document *document)
{
    static const struct {
        unsigned marker;
        unsigned width;
    } numbers[] = {{0xcc, 1}, {0xcd, 2}, {0xce, 4}, {0xcf, 8}, {0xd0, 1}, {0xd1, 2}, {0xd2, 4},
                   {0xd3, 8}, {0xca, 4}, {0xcb, 8}, {0xc0, 0}, {0xc2, 0}, {0xc3, 0}};
    size_t i = below(document, 15);
    if (i >= 13) {
        put(document, (unsigned)(below(document, 160) + 0xe0) & 0xff); // e0 to ff, 00 to 7f
        return;
    }
    // Few bits as often as many, so that values meet the edges of all widths.
    uint64_t number = random_next(document) >> below(document, 64);
    put(document, numbers[i].marker);
    put_big_endian(document, below(document, 2) == 0 ? number : ~number, numbers[i].width);
}

static void put_object(struct random_document *document, int depth)
{
    size_t choice = document->len > RANDOM_DOCUMENT_MAX / 4 ? 0 : below(document, 10);
    size_t len;
    if (choice < 3) {
        put_scalar(document);
    } else if (choice < 6 || depth == DEPTH_MAX) {
        len = random_len(document);
        put_header(document, &str, len);
        put_text(document, len);
    } else if (choice == 6) {
        len = random_len(document);
        put_header(document, &bin, len);
        for (size_t i = 0; i < len; i++) {
            put(document, (unsigned)random_next(document) & 0xff);
        }
    } else if (choice == 7 && below(document, 100) == 0) {
        put(document, 0xd4); // ext of one byte
        put_big_endian(document, below(document, 0x10000), 2);
    } else {
        const struct family *family = choice == 9 ? &map : &array;
        len = below(document, 30) == 0 ? below(document, 40) : below(document, 6);
        put_header(document, family, len);
        for (size_t i = 0; i < (choice == 9 ? 2 * len : len); i++) {
            put_object(document, depth + 1);
        }
    }
}

void random_document_make(struct random_document *document)
{
    document->len = 0;
    size_t len = below(document, 16);
    if (len == 0) {
        put_object(document, 0);
        return;
    }
    put_header(document, &array, len);
    for (size_t i = 0; i < len; i++) {
        put_object(document, 1);
    }
}

void random_document_damage(struct random_document *document)
{
    static const uint8_t markers[] = {0xc1, 0xc0, 0xd4, 0xdc, 0xde, 0xa5, 0xd9, 0x92, 0x81, 0xff};
    switch (below(document, 6)) {
    case 0:
        document->len = below(document, document->len + 1);
        break;
    case 1:
        put(document, (unsigned)random_next(document) & 0xff);
        break;
    default:
        for (size_t i = below(document, 3) + 1; i > 0; i--) {
            document->bytes[below(document, document->len)] =
                below(document, 2) == 0 ? markers[below(document, sizeof markers)]
                                        : (uint8_t)random_next(document);
        }
    }
    for (size_t i = 0; i < document->len; i++) {
        if (document->bytes[i] == 0xdd || document->bytes[i] == 0xdf) {
            document->bytes[i]--;
        }
    }
}
