// SPDX-License-Identifier: MIT
// Envelopes whose checksum is right: the mutator decompresses the mutated block and writes the
// checksum of what came out, so that the fuzzer gets past the gate that stops every other change.
#include "envelope_claims.h"

#include "wire/block.h"
#include "wire/layout.h"

enum { PAYLOAD_MAX = 1 << 20 };

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    fuzz_tell_at_exit();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    claims_about(data, size);
    return 0;
}

struct output {
    uint8_t *data;
    size_t len;
    size_t room;
};

static void put(struct output *output, const void *bytes, size_t len)
{
    if (output->room - output->len >= len) {
        memcpy(output->data + output->len, bytes, len);
    }
    output->len += len; // beyond the room: the caller gives up
}

static void put_byte(struct output *output, uint64_t byte)
{
    uint8_t one = (uint8_t)byte;
    if (output->len < output->room) {
        output->data[output->len] = one;
    }
    output->len++;
}

static void put_head(struct output *output, uint8_t marker, uint64_t number)
{
    put_byte(output, marker);
    for (int shift = 24; shift >= 0; shift -= 8) {
        put_byte(output, number >> shift);
    }
}

// The same envelope with another checksum and length, in plain widths.
static size_t rebuild(const struct cki_layout *layout, const uint8_t *block, uint64_t checksum,
                      size_t payload_len, uint8_t *data, size_t room)
{
    struct output output = {data, 0, room};
    size_t format_len = strlen(layout->info.format);
    put_byte(&output, 0x94);
    put_head(&output, 0xc6, layout->info.compressed_len);
    put(&output, block, layout->info.compressed_len);
    put_byte(&output, 0x98);
    for (int shift = 56; shift >= 0; shift -= 8) {
        put_byte(&output, 0xcc);
        put_byte(&output, checksum >> shift);
    }
    put_head(&output, 0xce, payload_len);
    put_byte(&output, 0xa0 + format_len);
    put(&output, layout->info.format, format_len);
    return output.len <= room ? output.len : 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    static uint8_t payload[PAYLOAD_MAX];
    static uint8_t block[PAYLOAD_MAX];
    struct cki_layout layout;
    size_t produced;
    int code;
    size = LLVMFuzzerMutate(data, size, room);
    if (seed % 8 == 0 || size > sizeof block ||
        cki_layout_read((cachekit_slice){data, size}, &layout, NULL) != CACHEKIT_OK) {
        return size;
    }
    size_t block_len = layout.info.compressed_len;
    if (layout.info.is_legacy) {
        cki_layout_unpack(&layout, block);
    } else {
        memcpy(block, layout.block, block_len);
    }
    if (!cki_block_decompress(block, block_len, payload, sizeof payload, &produced, &code)) {
        return size;
    }
    // Now and then the length stays the claimed one, for the check behind the checksum.
    size_t claimed = seed % 8 == 1 ? layout.info.payload_len : produced;
    size_t rebuilt = rebuild(&layout, block, cki_xxh3(payload, produced), claimed, data, room);
    return rebuilt > 0 ? rebuilt : size;
}
