// SPDX-License-Identifier: MIT
#ifndef WORKLOADS_PACK_H
#define WORKLOADS_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A growing run of bytes. Start with {0}; `failed` stays set once memory ran out. */
typedef struct pack {
    uint8_t *bytes;
    size_t len;
    size_t room;
    bool failed;
} pack;

/** Bytes as they are. */
void pack_raw(pack *out, const void *bytes, size_t len);

/** The rest write one MessagePack item each, in its shortest form. */
void pack_nil(pack *out);
void pack_bool(pack *out, bool value);
void pack_int(pack *out, int64_t value);
void pack_float(pack *out, double value);
void pack_array(pack *out, uint16_t items);
void pack_map(pack *out, uint16_t pairs);
/** A string of at most 255 bytes, made as by printf. */
__attribute__((format(printf, 2, 3))) void pack_text(pack *out, const char *format, ...);

/** Gives the memory back and leaves {0}. */
void pack_release(pack *out);

#endif
