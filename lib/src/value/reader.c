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

// What to do with a marker.
enum kind {
    POSITIVE,
    NEGATIVE,
    NUMBER, // and nil: `widths` bytes behind the marker, read by set_number()
    BOOL,
    SHORT_STR,
    SHORT_ARRAY,
    SHORT_MAP,
    LONG, // a length of `widths` bytes behind the marker, then a body of `types`
    EXT,
    RESERVED
};

// clang-format off
#define FOUR(k)    k, k, k, k
#define SIXTEEN(k) FOUR(k), FOUR(k), FOUR(k), FOUR(k)
static const uint8_t kinds[256] = {
    SIXTEEN(POSITIVE), SIXTEEN(POSITIVE), SIXTEEN(POSITIVE), SIXTEEN(POSITIVE),
    SIXTEEN(POSITIVE), SIXTEEN(POSITIVE), SIXTEEN(POSITIVE), SIXTEEN(POSITIVE),
    SIXTEEN(SHORT_MAP), SIXTEEN(SHORT_ARRAY), SIXTEEN(SHORT_STR), SIXTEEN(SHORT_STR),
    NUMBER, RESERVED, BOOL, BOOL, LONG, LONG, LONG, EXT,
    EXT, EXT, NUMBER, NUMBER, FOUR(NUMBER),
    FOUR(NUMBER), FOUR(EXT),
    EXT, LONG, LONG, LONG, LONG, LONG, LONG, LONG,
    SIXTEEN(NEGATIVE), SIXTEEN(NEGATIVE)
};
#undef FOUR
#undef SIXTEEN

// Of the markers c0 to df.
static const uint8_t widths[32] = {
    0, 0, 0, 0, 1, 2, 4, 0,  0, 0, 4, 8, 1, 2, 4, 8,
    1, 2, 4, 8, 0, 0, 0, 0,  0, 1, 2, 4, 2, 4, 2, 4
};
// clang-format on

static const uint8_t types[32] = {
    [0x04] = CACHEKIT_BIN, [0x05] = CACHEKIT_BIN, [0x06] = CACHEKIT_BIN,   [0x19] = CACHEKIT_STR,
    [0x1a] = CACHEKIT_STR, [0x1b] = CACHEKIT_STR, [0x1c] = CACHEKIT_ARRAY, [0x1d] = CACHEKIT_ARRAY,
    [0x1e] = CACHEKIT_MAP, [0x1f] = CACHEKIT_MAP,
};

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

static void set_number(cachekit_value *node, unsigned marker, const uint8_t *body)
{
    switch (marker) {
    case 0xca:
        *node = cachekit_value_f64(widened(be32(body)));
        return;
    case 0xcb:
        *node = cachekit_value_f64(as_double(be64(body)));
        return;
    case 0xcc:
        set_int(node, body[0]);
        return;
    case 0xcd:
        set_int(node, be16(body));
        return;
    case 0xce:
        set_int(node, be32(body));
        return;
    case 0xcf:
        *node = cachekit_value_u64(be64(body));
        return;
    case 0xd0:
        set_int(node, (int8_t)body[0]);
        return;
    case 0xd1:
        set_int(node, (int16_t)be16(body));
        return;
    case 0xd2:
        set_int(node, (int32_t)be32(body));
        return;
    case 0xd3:
        set_int(node, (int64_t)be64(body));
        return;
    default: // c0
        *node = cachekit_value_nil();
    }
}

static uint64_t length(const uint8_t *body, size_t width)
{
    return width == 1 ? body[0] : width == 2 ? be16(body) : be32(body);
}

static inline void set_bool(cachekit_value *node, bool boolean)
{
    node->type = CACHEKIT_BOOL;
    node->len = 0;
    node->as.u64 = 0;
    node->as.boolean = boolean;
}

// How much of the text is UTF-8.
static inline size_t text_len(const uint8_t *text, size_t len)
{
    return cki_is_ascii(text, len) ? len : cki_utf8_valid_len(text, len);
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

// Inlined twice, for borrowed and for copied text. One long function because its state then lives
// in registers; README.md has the figures.
// NOLINTBEGIN(readability-function-size, readability-function-cognitive-complexity)
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
        size_t head = 1; // bytes of marker and length
        uint64_t len;
        uint32_t type;
        switch ((enum kind)kinds[marker]) {
        case POSITIVE:
            set_int(next++, marker);
            at++;
            continue;
        case NEGATIVE:
            set_int(next++, (int8_t)marker);
            at++;
            continue;
        case BOOL:
            set_bool(next++, marker & 1);
            at++;
            continue;
        case NUMBER:
            NEED(widths[marker & 31]);
            set_number(next++, marker, at + 1);
            at += 1 + widths[marker & 31];
            continue;
        case SHORT_STR:
            len = marker & 31;
            type = CACHEKIT_STR;
            break;
        case SHORT_ARRAY:
            len = marker & 15;
            type = CACHEKIT_ARRAY;
            break;
        case SHORT_MAP:
            len = marker & 15;
            type = CACHEKIT_MAP;
            break;
        case LONG:
            head += widths[marker & 31];
            NEED(head - 1);
            len = length(at + 1, head - 1);
            type = types[marker & 31];
            break;
        case EXT:
            REFUSE(EXTENSION);
        case RESERVED:
            REFUSE(ILLEGAL);
        default:
            __builtin_unreachable(); // saves the range check: the table holds nothing else
        }
        if (type <= CACHEKIT_BIN) {
            NEED(len);
            const uint8_t *body = at + head;
            size_t valid = type == CACHEKIT_STR ? text_len(body, (size_t)len) : (size_t)len;
            if (valid != len) {
                at = body + valid;
                REFUSE(BAD_TEXT);
            }
            set_bytes(next++, type, body, (uint32_t)len, to_copy, is_copy);
            at = body + len;
            continue;
        }
        if (top == frames + CACHEKIT_VALUE_DEPTH_MAX) {
            REFUSE(DEEP);
        }
        uint64_t slots = type == CACHEKIT_MAP ? 2 * len : len;
        NEED(slots);
        bool may_be_date =
            type == CACHEKIT_MAP && len == 2 && (flags & CACHEKIT_DECODE_KEEP_SENTINELS) == 0;
        const uint8_t *body = at + head;
        size_t date_len =
            may_be_date ? cki_sentinel_read(body, (size_t)(input.data + input.len - body), next)
                        : 0;
        if (date_len > 0) {
            NEED(date_len - slots); // the pairs are read, no longer owed
            set_bytes(next, next->type, next->as.bytes, next->len, to_copy, is_copy);
            next++;
            at = body + date_len;
            continue;
        }
        if (CKI_UNLIKELY(slots == 0)) {
            *next++ = (cachekit_value){.type = type};
            at = body;
            continue;
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
        at = body;
    }
}
// NOLINTEND(readability-function-size, readability-function-cognitive-complexity)

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
