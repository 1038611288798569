// SPDX-License-Identifier: MIT
#ifndef CACHEKIT_ARG_H
#define CACHEKIT_ARG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cachekit/export.h>

CACHEKIT_BEGIN_DECLS

/**
 * One argument of a cached call: made by the functions below, passed in an array, borrowed for the
 * call. The type is part of the key: 1, 1.0 and true are three keys, "a" as text and as bytes are
 * two. One number has one key, however it was made; every NaN is one key, and -0.0 is 0.0.
 */
typedef enum cachekit_arg_type {
    CACHEKIT_ARG_NULL = 0,
    CACHEKIT_ARG_BOOL = 1,
    CACHEKIT_ARG_I64 = 2,
    CACHEKIT_ARG_U64 = 3, /* only numbers in [2^63, 2^64 - 1] */
    CACHEKIT_ARG_F64 = 4,
    CACHEKIT_ARG_STR = 5,
    CACHEKIT_ARG_BYTES = 6,
    CACHEKIT_ARG_LIST = 7,
    CACHEKIT_ARG_MAP = 8,
    CACHEKIT_ARG_SET = 9,
    CACHEKIT_ARG_DATETIME_US = 10,
    CACHEKIT_ARG_DATETIME_TEXT = 11,
    CACHEKIT_ARG_UUID = 12,
    CACHEKIT_ARG_VALUE = 13
} cachekit_arg_type;

typedef struct cachekit_arg {
    uint32_t type; /* a cachekit_arg_type */
    uint32_t len;  /* STR, BYTES: bytes; LIST, SET: elements; MAP: pairs; else 0 */
    union {
        uint64_t bits; /* what is compared */
        int64_t i64;
        uint64_t u64;
        double f64;
        const void *data; /* STR, BYTES: may hold NULs; LIST, MAP, SET: more arguments;
                             DATETIME_TEXT: text; UUID: 16 bytes; VALUE: a cachekit_value */
    } as;
} cachekit_arg;

static inline cachekit_arg cachekit_null(void)
{
    cachekit_arg arg = {CACHEKIT_ARG_NULL, 0, {0}};
    return arg;
}

static inline cachekit_arg cachekit_bool(bool value)
{
    cachekit_arg arg = {CACHEKIT_ARG_BOOL, 0, {value ? 1U : 0U}};
    return arg;
}

static inline cachekit_arg cachekit_i64(int64_t value)
{
    cachekit_arg arg = {CACHEKIT_ARG_I64, 0, {0}};
    arg.as.i64 = value;
    return arg;
}

static inline cachekit_arg cachekit_u64(uint64_t value)
{
    cachekit_arg arg = {CACHEKIT_ARG_U64, 0, {value}};
    if (value <= (uint64_t)INT64_MAX) {
        arg.type = CACHEKIT_ARG_I64;
    }
    return arg;
}

/* By bits: compiler options that bend floating point bend nothing here. */
static inline cachekit_arg cachekit_f64(double value)
{
    cachekit_arg arg = {CACHEKIT_ARG_F64, 0, {0}};
    arg.as.f64 = value;
    if (arg.as.bits << 1 > 0xffe0000000000000U) {
        arg.as.bits = 0x7ff8000000000000U;
    } else if (arg.as.bits << 1 == 0) {
        arg.as.bits = 0;
    }
    return arg;
}

/** Text of `len` bytes, at most 2^32 - 1; a longer one is refused by the call. */
static inline cachekit_arg cachekit_str_len(const char *text, size_t len)
{
    cachekit_arg arg = {CACHEKIT_ARG_STR, 0, {0}};
    arg.len = len <= UINT32_MAX ? (uint32_t)len : UINT32_MAX;
    arg.as.data = text;
    return arg;
}

/** NUL-terminated text; NULL is refused by the call. */
static inline cachekit_arg cachekit_str(const char *text)
{
    return cachekit_str_len(text, text != NULL ? strlen(text) : UINT32_MAX);
}

/** `len` bytes, at most 2^32 - 1; more are refused by the call. */
static inline cachekit_arg cachekit_bytes(const void *data, size_t len)
{
    cachekit_arg arg = cachekit_str_len((const char *)data, len);
    arg.type = CACHEKIT_ARG_BYTES;
    return arg;
}

/**
 * Collections of `count` arguments, borrowed as those are, nested to a depth of 1,024. A call with
 * one builds a key in memory of the cache's allocator and is looked up under the lock, a good deal
 * slower than scalars. Lists are equal element by element, maps whatever the order of their pairs,
 * sets whatever the order and number of their elements. A map with a key twice is refused.
 */
static inline cachekit_arg cachekit_list(const cachekit_arg *items, size_t count)
{
    cachekit_arg arg = cachekit_str_len((const char *)items, count);
    arg.type = CACHEKIT_ARG_LIST;
    return arg;
}

/** `pairs` pairs: key, value, key, value; keys of any type. */
static inline cachekit_arg cachekit_map(const cachekit_arg *items, size_t pairs)
{
    cachekit_arg arg = cachekit_str_len((const char *)items, pairs);
    arg.type = CACHEKIT_ARG_MAP;
    return arg;
}

static inline cachekit_arg cachekit_set(const cachekit_arg *items, size_t count)
{
    cachekit_arg arg = cachekit_str_len((const char *)items, count);
    arg.type = CACHEKIT_ARG_SET;
    return arg;
}

/**
 * A moment: microseconds since 1970-01-01T00:00:00Z, negative before. The same moment is the same
 * key, however it was made, but for auto keys, which name its offset. What it becomes in a key of
 * the protocol: see key.h.
 */
static inline cachekit_arg cachekit_arg_datetime_us(int64_t unix_us)
{
    cachekit_arg arg = cachekit_i64(unix_us);
    arg.type = CACHEKIT_ARG_DATETIME_US;
    return arg;
}

/** A moment as ISO 8601 text with a UTC offset; text without one is refused by the call. */
static inline cachekit_arg cachekit_arg_datetime_text(const char *text, size_t len)
{
    cachekit_arg arg = cachekit_str_len(text, len);
    arg.type = CACHEKIT_ARG_DATETIME_TEXT;
    return arg;
}

/** 16 bytes in the order of the text; in keys, its lower-case text with hyphens. */
static inline cachekit_arg cachekit_arg_uuid(const uint8_t *uuid)
{
    cachekit_arg arg = cachekit_str_len((const char *)uuid, 16);
    arg.type = CACHEKIT_ARG_UUID;
    return arg;
}

struct cachekit_value;

/** A value tree, as if it had been spelt in arguments; a date in it must be one with an offset. */
static inline cachekit_arg cachekit_arg_value(const struct cachekit_value *value)
{
    cachekit_arg arg = cachekit_str_len((const char *)value, 1);
    arg.type = CACHEKIT_ARG_VALUE;
    return arg;
}

CACHEKIT_END_DECLS

#endif
