// SPDX-License-Identifier: MIT
// One pass over hostile bytes. The idea that carries all bounds is `slack`: bytes left in the
// input, less objects still owed (each needs a byte), less WINDOW. Each header subtracts what it
// promises; as long as that leaves -WINDOW or more, everything promised so far fits the input, so
// no read needs a check of its own and no node is made that the input does not back.
#include <cachekit/value.h>

#include <string.h>

#include "base/arena.h"
#include "base/status.h"
#include "value/ascii.h"
#include "value/sentinel.h"
#include "value/utf8.h"

enum { WINDOW = CKI_ASCII_WINDOW, FIXSTR = 0xa0, TEXT_STEP = 1024 };

enum kind {
    POSITIVE,
    NEGATIVE,
    NIL,
    FALSE,
    TRUE,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    INT8,
    INT16,
    INT32,
    INT64,
    FLOAT32,
    FLOAT64,
    STR0,
    STR8,
    STR16,
    STR32,
    BIN8,
    BIN16,
    BIN32,
    ARRAY0,
    ARRAY16,
    ARRAY32,
    MAP0,
    MAP16,
    MAP32,
    EXT,
    RESERVED
};

// clang-format off
#define X4(k) k, k, k, k
#define X16(k) X4(k), X4(k), X4(k), X4(k)
static const uint8_t kinds[256] = {
    X16(POSITIVE), X16(POSITIVE), X16(POSITIVE), X16(POSITIVE),
    X16(POSITIVE), X16(POSITIVE), X16(POSITIVE), X16(POSITIVE),
    X16(MAP0), X16(ARRAY0), X16(STR0), X16(STR0),
    NIL, RESERVED, FALSE, TRUE, BIN8, BIN16, BIN32, EXT,
    EXT, EXT, FLOAT32, FLOAT64, UINT8, UINT16, UINT32, UINT64,
    INT8, INT16, INT32, INT64, EXT, EXT, EXT, EXT,
    EXT, STR8, STR16, STR32, ARRAY16, ARRAY32, MAP16, MAP32,
    X16(NEGATIVE), X16(NEGATIVE)
};
// clang-format on

enum fault { NONE, EMPTY, CUT, DEEP, ILLEGAL, EXTENSION, BAD_TEXT, TRAILING, NO_MEMORY, TOO_LARGE };

struct outcome {
    enum fault fault;
    const uint8_t *at;
};

// The place in a collection to come back to.
struct frame {
    cachekit_value *next;
    cachekit_value *end;
};

static uint16_t be16(const uint8_t *at)
{
    return (uint16_t)(at[0] << 8 | at[1]);
}

static uint32_t be32(const uint8_t *at)
{
    return (uint32_t)be16(at) << 16 | be16(at + 2);
}

static uint64_t be64(const uint8_t *at)
{
    return (uint64_t)be32(at) << 32 | be32(at + 4);
}

static double widened(uint32_t bits)
{
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static double as_double(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static inline void set_int(cachekit_value *node, int64_t number)
{
    node->type = CACHEKIT_INT;
    node->len = 0;
    node->as.i64 = number;
}

static inline void set_bool(cachekit_value *node, bool boolean)
{
    node->type = CACHEKIT_BOOL;
    node->len = 0;
    node->as.u64 = 0;
    node->as.boolean = boolean;
}

// The copy of the text is terminated; its next marker, which that overwrites in the copy, is
// only ever read from the input.
static inline void set_bytes(cachekit_value *node, uint32_t type, const uint8_t *bytes,
                             uint32_t len, uintptr_t to_copy, bool is_copy)
{
    node->type = type;
    node->len = len;
    if (is_copy) {
        uint8_t *copy = (uint8_t *)((uintptr_t)bytes + to_copy);
        copy[len] = 0;
        bytes = copy;
    }
    node->as.bytes = bytes;
}

#define CKI_LIKELY(x)   __builtin_expect(!!(x), 1)
#define CKI_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define REFUSE(why)     return ((struct outcome){(why), at})
#define NEED(n)                                                                                    \
    slack -= (int64_t)(n);                                                                         \
    if (slack < -WINDOW) {                                                                         \
        REFUSE(CUT);                                                                               \
    }

static inline __attribute__((always_inline)) struct outcome
read_document(cachekit_slice input, unsigned flags, cachekit_arena *arena, cachekit_value *root,
              uintptr_t to_copy, bool is_copy)
{
    struct frame frames[CACHEKIT_VALUE_DEPTH_MAX];
    struct frame *top = frames; // first unused
    const uint8_t *at = input.data;
    int64_t slack = (int64_t)input.len - 1 - WINDOW;
    cachekit_value *next = root;
    cachekit_value *end = root + 1;
    for (;;) {
        // The run of short ASCII texts that most documents mostly are.
        while (CKI_LIKELY(next != end)) {
            int64_t short_len = (int64_t)*at - FIXSTR;
            if (CKI_UNLIKELY((uint64_t)short_len > WINDOW) || CKI_UNLIKELY(short_len > slack) ||
                CKI_UNLIKELY(!cki_is_ascii_window(at + 1, (size_t)short_len))) {
                break;
            }
            slack -= short_len;
            set_bytes(next++, CACHEKIT_STR, at + 1, (uint32_t)short_len, to_copy, is_copy);
            at += 1 + short_len;
        }
        if (next == end) {
            if (top == frames) {
                return (struct outcome){slack == -WINDOW ? NONE : TRAILING, at};
            }
            top--;
            next = top->next;
            end = top->end;
            continue;
        }
        unsigned marker = *at;
        uint64_t len;
        uint32_t type;
        switch ((enum kind)kinds[marker]) {
        case POSITIVE:
            set_int(next++, marker);
            at += 1;
            continue;
        case NEGATIVE:
            set_int(next++, (int8_t)marker);
            at += 1;
            continue;
        case NIL:
            *next++ = (cachekit_value){.type = CACHEKIT_NIL};
            at += 1;
            continue;
        case FALSE:
        case TRUE:
            set_bool(next++, marker & 1);
            at += 1;
            continue;
        case UINT8:
            NEED(1);
            set_int(next++, at[1]);
            at += 2;
            continue;
        case UINT16:
            NEED(2);
            set_int(next++, be16(at + 1));
            at += 3;
            continue;
        case UINT32:
            NEED(4);
            set_int(next++, be32(at + 1));
            at += 5;
            continue;
        case UINT64:
            NEED(8);
            *next++ = cachekit_value_u64(be64(at + 1));
            at += 9;
            continue;
        case INT8:
            NEED(1);
            set_int(next++, (int8_t)at[1]);
            at += 2;
            continue;
        case INT16:
            NEED(2);
            set_int(next++, (int16_t)be16(at + 1));
            at += 3;
            continue;
        case INT32:
            NEED(4);
            set_int(next++, (int32_t)be32(at + 1));
            at += 5;
            continue;
        case INT64:
            NEED(8);
            set_int(next++, (int64_t)be64(at + 1));
            at += 9;
            continue;
        case FLOAT32:
            NEED(4);
            *next++ = cachekit_value_f64(widened(be32(at + 1)));
            at += 5;
            continue;
        case FLOAT64:
            NEED(8);
            *next++ = cachekit_value_f64(as_double(be64(at + 1)));
            at += 9;
            continue;
        case STR0:
            len = marker & 31;
            type = CACHEKIT_STR;
            at += 1;
            break;
        case STR8:
        case BIN8:
            NEED(1);
            len = at[1];
            type = marker < 0xd9 ? CACHEKIT_BIN : CACHEKIT_STR;
            at += 2;
            break;
        case STR16:
        case BIN16:
            NEED(2);
            len = be16(at + 1);
            type = marker < 0xd9 ? CACHEKIT_BIN : CACHEKIT_STR;
            at += 3;
            break;
        case STR32:
        case BIN32:
            NEED(4);
            len = be32(at + 1);
            type = marker < 0xd9 ? CACHEKIT_BIN : CACHEKIT_STR;
            at += 5;
            break;
        case ARRAY0:
            len = marker & 15;
            type = CACHEKIT_ARRAY;
            at += 1;
            break;
        case MAP0:
            len = marker & 15;
            type = CACHEKIT_MAP;
            at += 1;
            break;
        case ARRAY16:
        case MAP16:
            NEED(2);
            len = be16(at + 1);
            type = marker < 0xde ? CACHEKIT_ARRAY : CACHEKIT_MAP;
            at += 3;
            break;
        case ARRAY32:
        case MAP32:
            NEED(4);
            len = be32(at + 1);
            type = marker < 0xde ? CACHEKIT_ARRAY : CACHEKIT_MAP;
            at += 5;
            break;
        case EXT:
            REFUSE(EXTENSION);
        case RESERVED:
            REFUSE(ILLEGAL);
        default:
            __builtin_unreachable();
        }
        if (type <= CACHEKIT_BIN) {
            NEED(len);
            if (type == CACHEKIT_STR && !cki_is_ascii(at, len)) {
                size_t valid = cki_utf8_valid_len(at, len);
                if (valid < len) {
                    at += valid;
                    REFUSE(BAD_TEXT);
                }
            }
            set_bytes(next++, type, at, (uint32_t)len, to_copy, is_copy);
            at += len;
            continue;
        }
        if (top == frames + CACHEKIT_VALUE_DEPTH_MAX) {
            REFUSE(DEEP);
        }
        uint64_t slots = type == CACHEKIT_MAP ? 2 * len : len;
        NEED(slots);
        if (type == CACHEKIT_MAP && len == 2 && (flags & CACHEKIT_DECODE_KEEP_SENTINELS) == 0) {
            size_t used = cki_sentinel_read(at, (size_t)(input.data + input.len - at), next);
            if (used > 0) {
                slack -= (int64_t)used - 4;
                if (slack < -WINDOW) {
                    REFUSE(CUT);
                }
                if (is_copy) {
                    set_bytes(next, next->type, next->as.bytes, next->len, to_copy, is_copy);
                }
                next++;
                at += used;
                continue;
            }
        }
        size_t size = (size_t)slots * sizeof(cachekit_value);
        if ((size_t)(arena->high - arena->low) < size && !cki_arena_grow(arena, size)) {
            REFUSE(NO_MEMORY);
        }
        arena->high -= size;
        cachekit_value *items = (cachekit_value *)(void *)arena->high;
        next->type = type;
        next->len = (uint32_t)len;
        next->as.items = items;
        *top++ = (struct frame){next + 1, end};
        next = items;
        end = items + slots;
    }
}

#undef NEED
#undef REFUSE

static struct outcome read_borrowed(cachekit_slice input, unsigned flags, cachekit_arena *arena,
                                    cachekit_value *root)
{
    return read_document(input, flags, arena, root, 0, false);
}

// All texts are copied at once, by copying the input; that is less work than one by one, and no
// text ends behind the input's last byte, whose terminator is the one byte more.
static struct outcome read_copied(cachekit_slice input, unsigned flags, cachekit_arena *arena,
                                  cachekit_value *root)
{
    if ((size_t)(arena->high - arena->low) <= input.len && !cki_arena_grow(arena, input.len + 1)) {
        return (struct outcome){NO_MEMORY, input.data};
    }
    uint8_t *copy = arena->low;
    arena->low += input.len + 1;
    for (size_t i = 0; i < input.len; i += TEXT_STEP) {
        memcpy(copy + i, input.data + i, input.len - i < TEXT_STEP ? input.len - i : TEXT_STEP);
    }
    return read_document(input, flags, arena, root, (uintptr_t)copy - (uintptr_t)input.data, true);
}

static const struct {
    cachekit_status status;
    const char *text;
} faults[] = {
    [EMPTY] = {CACHEKIT_E_DECODE, "empty input"},
    [CUT] = {CACHEKIT_E_DECODE, "the input ends before what it promises"},
    [DEEP] = {CACHEKIT_E_DECODE, "more than 1024 levels"},
    [ILLEGAL] = {CACHEKIT_E_DECODE, "reserved marker c1"},
    [EXTENSION] = {CACHEKIT_E_DECODE, "ext types are not supported"},
    [BAD_TEXT] = {CACHEKIT_E_DECODE, "text that is not UTF-8"},
    [TRAILING] = {CACHEKIT_E_DECODE, "bytes behind the document"},
    [NO_MEMORY] = {CACHEKIT_E_NOMEM, "out of memory for the values"},
    [TOO_LARGE] = {CACHEKIT_E_TOO_LARGE, "input over the address space"},
};

cachekit_status cachekit_value_decode(cachekit_slice input, unsigned flags, cachekit_arena *arena,
                                      cachekit_value *root, cachekit_error *error)
{
    struct outcome outcome = {EMPTY, input.data};
    *root = cachekit_value_nil();
    if ((flags & ~(unsigned)(CACHEKIT_DECODE_COPY | CACHEKIT_DECODE_KEEP_SENTINELS)) != 0) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "unknown decode flags %#x", flags);
    }
    if (input.len > SIZE_MAX / 32) {
        outcome.fault = TOO_LARGE;
    } else if (input.len > 0) {
        outcome = (flags & CACHEKIT_DECODE_COPY) != 0 ? read_copied(input, flags, arena, root)
                                                      : read_borrowed(input, flags, arena, root);
    }
    if (outcome.fault == NONE) {
        return CACHEKIT_OK;
    }
    *root = cachekit_value_nil();
    uint64_t position = input.len == 0 ? 0 : (uint64_t)(outcome.at - input.data);
    return cki_fail(error, faults[outcome.fault].status, position, "%s, at byte %llu",
                    faults[outcome.fault].text, (unsigned long long)position);
}
