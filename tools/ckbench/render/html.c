// SPDX-License-Identifier: MIT
// The bytes of a page: text that grows, base64, and PNG (W3C, second edition) by zlib. Memory that
// runs out is noted once.
#include "render/html_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void append(struct html_page *page, const char *text, size_t len)
{
    if (page->is_failed) {
        return;
    }
    if (len + 1 > page->room - page->len) {
        size_t room = (page->room + len + 1) * 2;
        char *grown = realloc(page->text, room);
        if (grown == NULL) {
            page->is_failed = true;
            return;
        }
        page->text = grown;
        page->room = room;
    }
    memcpy(page->text + page->len, text, len);
    page->len += len;
    page->text[page->len] = '\0';
}

void html_add(struct html_page *page, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int len = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (len < 0) {
        page->is_failed = true;
        return;
    }
    append(page, text, (size_t)len);
    free(text);
}

void html_add_text(struct html_page *page, const char *text)
{
    static const struct {
        char from;
        const char *to;
    } escapes[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    for (; *text != '\0'; text++) {
        const char *to = NULL;
        for (size_t i = 0; i < sizeof escapes / sizeof escapes[0]; i++) {
            to = escapes[i].from == *text ? escapes[i].to : to;
        }
        if (to != NULL) {
            append(page, to, strlen(to));
        } else {
            append(page, *text < 0x20 || *text > 0x7e ? "?" : text, 1);
        }
    }
}

void html_add_base64(struct html_page *page, const unsigned char *bytes, size_t len)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < len; i += 3) {
        size_t left = len - i;
        unsigned group = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? bytes[i + 2] : 0U);
        const char four[4] = {digits[group >> 18], digits[group >> 12 & 63],
                              left > 1 ? digits[group >> 6 & 63] : '=',
                              left > 2 ? digits[group & 63] : '='};
        append(page, four, sizeof four);
    }
}

// NULL: no memory. The caller frees it.
static unsigned char *deflate_whole(const void *bytes, size_t len, size_t *out_len)
{
    uLongf room = compressBound((uLong)len);
    unsigned char *out = malloc(room);
    if (out != NULL && compress2(out, &room, bytes, (uLong)len, Z_BEST_COMPRESSION) != Z_OK) {
        free(out);
        out = NULL;
    }
    *out_len = room;
    return out;
}

void html_add_deflated(struct html_page *page, const char *bytes, size_t len)
{
    size_t out_len;
    unsigned char *out = deflate_whole(bytes, len, &out_len);
    if (out == NULL) {
        page->is_failed = true;
        return;
    }
    html_add_base64(page, out, out_len);
    free(out);
}

static unsigned char *put_u32(unsigned char *at, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8) {
        *at++ = (unsigned char)(value >> shift);
    }
    return at;
}

static unsigned char *put_chunk(unsigned char *at, const char *type, const unsigned char *data,
                                size_t len)
{
    unsigned char *start = put_u32(at, (uint32_t)len);
    memcpy(start, type, 4);
    if (len > 0) {
        memcpy(start + 4, data, len);
    }
    return put_u32(start + 4 + len, (uint32_t)crc32(0, start, (uInt)(len + 4)));
}

// Rows of pixels behind their filter byte, deflated.
static unsigned char *deflate_rows(const struct html_image *image, size_t *len)
{
    size_t row = (size_t)image->width + 1;
    unsigned char *rows = calloc(image->height, row), *out = NULL;
    for (unsigned y = 0; rows != NULL && y < image->height; y++) {
        memcpy(rows + y * row + 1, image->pixels + (size_t)y * image->width, image->width);
    }
    if (rows != NULL) {
        out = deflate_whole(rows, row * image->height, len);
    }
    free(rows);
    return out;
}

void html_add_image(struct html_page *page, const struct html_image *image)
{
    static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    unsigned char header[13] = {0}, palette[3 * 256];
    size_t len = 0;
    unsigned char *rows = deflate_rows(image, &len);
    unsigned char *png = rows != NULL ? malloc(len + sizeof palette + 128) : NULL;
    if (png == NULL) {
        free(rows);
        page->is_failed = true;
        return;
    }
    (void)put_u32(put_u32(header, image->width), image->height);
    header[8] = 8; // bits
    header[9] = 3; // indices into a palette
    for (unsigned i = 0; i < image->colour_count; i++) {
        palette[3 * i] = (unsigned char)(image->colours[i] >> 16);
        palette[3 * i + 1] = (unsigned char)(image->colours[i] >> 8);
        palette[3 * i + 2] = (unsigned char)image->colours[i];
    }
    memcpy(png, signature, sizeof signature);
    unsigned char *at = put_chunk(png + sizeof signature, "IHDR", header, sizeof header);
    at = put_chunk(at, "PLTE", palette, (size_t)image->colour_count * 3);
    at = put_chunk(at, "IDAT", rows, len);
    at = put_chunk(at, "IEND", NULL, 0);
    html_add(page, "data:image/png;base64,");
    html_add_base64(page, png, (size_t)(at - png));
    free(png);
    free(rows);
}
