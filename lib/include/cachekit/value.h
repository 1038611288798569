// SPDX-License-Identifier: MIT
#ifndef CACHEKIT_VALUE_H
#define CACHEKIT_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cachekit/arena.h>
#include <cachekit/bytes.h>
#include <cachekit/status.h>

CACHEKIT_BEGIN_DECLS

/* All functions here: any thread, no lock, no global state, no recursion. */

/** Collections along one path: a document or tree of more levels is refused everywhere. */
#define CACHEKIT_VALUE_DEPTH_MAX 1024

typedef enum cachekit_type {
    CACHEKIT_NIL = 0,
    CACHEKIT_BOOL = 1,
    CACHEKIT_INT = 2,   /* every integer in [-2^63, 2^63 - 1] */
    CACHEKIT_UINT = 3,  /* only integers in [2^63, 2^64 - 1] */
    CACHEKIT_FLOAT = 4, /* binary64; binary32 is widened when read and never written */
    CACHEKIT_STR = 5,   /* UTF-8 */
    CACHEKIT_BIN = 6,
    CACHEKIT_ARRAY = 7,
    CACHEKIT_MAP = 8,      /* pairs in insertion order; keys of any type */
    CACHEKIT_DATETIME = 9, /* the three below keep their ISO 8601 text as it was written */
    CACHEKIT_DATE = 10,
    CACHEKIT_TIME = 11
} cachekit_type;

/**
 * One node of a tree: a plain struct of 16 bytes, to be read freely and copied by assignment. A
 * node owns nothing: text, bytes and children belong to an arena, to the decoded input or to the
 * caller, and must outlive it. Build nodes with the functions below, which keep the rules that
 * encode and compare rely on.
 */
typedef struct cachekit_value {
    uint32_t type; /* a cachekit_type */
    uint32_t len;  /* STR, BIN, DATETIME, DATE, TIME: bytes; ARRAY: items; MAP: pairs; else 0 */
    union {
        bool boolean;
        int64_t i64;          /* INT */
        uint64_t u64;         /* UINT */
        double f64;           /* FLOAT */
        const char *text;     /* STR, DATETIME, DATE, TIME; NUL-terminated only if so made */
        const uint8_t *bytes; /* BIN */
        /* ARRAY: `len` nodes. MAP: 2 * `len` nodes, key and value in turn. NULL if none. */
        const struct cachekit_value *items;
    } as;
} cachekit_value;

/* ---- reading MessagePack ---- */

enum cachekit_decode_flags {
    /** Text and bytes point into the input, which must outlive the tree. */
    CACHEKIT_DECODE_BORROW = 0,
    /** Text and bytes are copied into the arena, each with a NUL behind it. */
    CACHEKIT_DECODE_COPY = 1 << 0,
    /** Leaves `{"__datetime__": true, "value": text}` and its kin the maps they are. */
    CACHEKIT_DECODE_KEEP_SENTINELS = 1 << 1
};

/**
 * Reads exactly one MessagePack document of any widths and any key order.
 *
 * The bytes may be hostile. Refused with CACHEKIT_E_DECODE, `error->position` being the offset of
 * the marker (for text: of the first bad byte): more than 1,024 levels, lengths that promise more
 * than the input holds (also in sum), the reserved marker c1, ext types, text that is not strict
 * UTF-8, an incomplete document, bytes behind it, an empty input. Time is linear in `input.len`;
 * the arena gives at most 16 bytes for each input byte, and one more each with
 * CACHEKIT_DECODE_COPY; about 17 KiB of stack are used, whatever the depth.
 *
 * A map of exactly two pairs, one of the keys `__datetime__`, `__date__` and `__time__` with
 * true and `value` with text as Python's isoformat() writes it (or ending in Z), becomes a node
 * of its own type. Duplicate keys are kept.
 *
 * `*root` is nil after a failure. The arena is not reset: it may hold several documents, and what
 * a failed call took from it comes back with the next reset. Returns CACHEKIT_OK,
 * CACHEKIT_E_DECODE, CACHEKIT_E_NOMEM, CACHEKIT_E_INVALID (unknown flag) or CACHEKIT_E_TOO_LARGE
 * (an input over SIZE_MAX / 32 bytes).
 */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status cachekit_value_decode(cachekit_slice input,
                                                                       unsigned flags,
                                                                       cachekit_arena *arena,
                                                                       cachekit_value *root,
                                                                       cachekit_error *error);

/* ---- writing MessagePack ---- */

/**
 * Writes the tree into `out`, which is emptied first: shortest integers and lengths, binary64,
 * text as str and bytes as bin, maps in their own order, dates as sentinel maps.
 *
 * CACHEKIT_E_VALUE: more than 1,024 levels, text that is not strict UTF-8, a date that is not
 * what its type says, an unknown type. Otherwise CACHEKIT_OK or CACHEKIT_E_NOMEM. After a failure
 * `out` is empty. About 17 KiB of stack, whatever the depth.
 */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status cachekit_value_encode(const cachekit_value *value,
                                                                       cachekit_buffer *out,
                                                                       cachekit_error *error);

/* ---- building ---- */

CACHEKIT_API cachekit_value cachekit_value_nil(void);
CACHEKIT_API cachekit_value cachekit_value_bool(bool boolean);
CACHEKIT_API cachekit_value cachekit_value_i64(int64_t number);
/** INT where the number fits, UINT above: one number has one node. */
CACHEKIT_API cachekit_value cachekit_value_u64(uint64_t number);
CACHEKIT_API cachekit_value cachekit_value_f64(double number);
/** Borrows the text; at most 2^32 - 1 bytes. UTF-8 is checked when it is encoded. */
CACHEKIT_API cachekit_value cachekit_value_str(const char *text, size_t len);
/** cachekit_value_str() of a NUL-terminated text. */
CACHEKIT_API cachekit_value cachekit_value_text(const char *text);
/** Borrows the bytes; at most 2^32 - 1. */
CACHEKIT_API cachekit_value cachekit_value_bin(const void *bytes, size_t len);
/** Borrows `count` nodes; at most 2^32 - 1. `items` may be NULL when `count` is 0. */
CACHEKIT_API cachekit_value cachekit_value_array(const cachekit_value *items, size_t count);
/** Borrows 2 * `pairs` nodes, key and value in turn; at most 2^32 - 1 pairs. */
CACHEKIT_API cachekit_value cachekit_value_map(const cachekit_value *items, size_t pairs);

/**
 * A node of `type` CACHEKIT_DATETIME, CACHEKIT_DATE or CACHEKIT_TIME that borrows `text`.
 * CACHEKIT_E_VALUE when the text is not of that type: YYYY-MM-DD, HH:MM:SS with 1 to 6 digits of
 * fraction or none and a UTC offset (+HH:MM, +HH:MM:SS, Z) or none, or both joined by T.
 */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status cachekit_value_date(cachekit_type type,
                                                                     const char *text, size_t len,
                                                                     cachekit_value *out);

/** `count` nil nodes in the arena, to be filled and given to array or map; NULL: no memory. */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_value *cachekit_arena_values(cachekit_arena *arena,
                                                                       size_t count);

/* ---- looking ---- */

/** The name of a type for people, as "int", or "?": static storage. */
CACHEKIT_API const char *cachekit_type_name(uint32_t type);

/** Item `index` of an array, or NULL: out of range, NULL or no array. */
CACHEKIT_API const cachekit_value *cachekit_value_at(const cachekit_value *array, size_t index);

/**
 * The value under a text key, or NULL: absent, NULL or no map. Linear in the pairs. Of duplicate
 * keys the last counts, as in readers that build a dictionary.
 */
CACHEKIT_API const cachekit_value *cachekit_value_get(const cachekit_value *map, const char *key);
/** The same for a key that may hold NULs. */
CACHEKIT_API const cachekit_value *cachekit_value_get_str(const cachekit_value *map,
                                                          const char *key, size_t len);

/**
 * Each reads a node as a C type and writes `*out` only if it returns true: the node is not NULL,
 * of that type, and the number fits. cachekit_value_to_f64() also takes integers that binary64
 * holds exactly.
 */
CACHEKIT_API bool cachekit_value_to_bool(const cachekit_value *value, bool *out);
CACHEKIT_API bool cachekit_value_to_i64(const cachekit_value *value, int64_t *out);
CACHEKIT_API bool cachekit_value_to_u64(const cachekit_value *value, uint64_t *out);
CACHEKIT_API bool cachekit_value_to_f64(const cachekit_value *value, double *out);
/** The bytes of STR, DATETIME, DATE or TIME, borrowed. */
CACHEKIT_API bool cachekit_value_to_text(const cachekit_value *value, cachekit_slice *out);
/** The bytes of BIN, borrowed. */
CACHEKIT_API bool cachekit_value_to_bin(const cachekit_value *value, cachekit_slice *out);

/**
 * Microseconds since 1970-01-01T00:00:00Z of a DATETIME that carries a UTC offset; false without
 * one, since a naive time names no instant.
 */
CACHEKIT_API bool cachekit_value_to_unix_us(const cachekit_value *value, int64_t *out);

/**
 * Whether two trees are the same node by node: types, text, order of pairs, and floats bit by bit
 * (a NaN equals itself, 0.0 is not -0.0). Of two such trees one encodes exactly if the other does,
 * and to the same bytes. Trees over 1,024 levels or with unknown types equal nothing. About 25 KiB
 * of stack, whatever the depth.
 */
CACHEKIT_API bool cachekit_value_equal(const cachekit_value *a, const cachekit_value *b);

CACHEKIT_END_DECLS

#endif
