// SPDX-License-Identifier: MIT
// Two kinds on purpose: text halves under LZ4, random bytes do not shrink at all, so the buffers of
// the two differ in every step behind the compressor.
#include "paths/payload_value.h"

#include <string.h>

#include <ckbench/subject.h>

#include "gen/json_filler.h"

static const struct {
    const char *name;
    uint64_t bytes;
} sizes[] = {{"64", 64}, {"1k", 1024}, {"64k", 65536}, {"1m", 1000000}, {"4m", 4000000}};

const char *const payload_shapes[] = {"json-64", "json-1k", "json-64k", "json-1m",
                                      "json-4m", "bin-64",  "bin-1k",   "bin-64k",
                                      "bin-1m",  "bin-4m",  NULL};
const char *const payload_operations[] = {"get", "set", NULL};

static uint64_t size_of(const char *name)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (strcmp(sizes[i].name, name) == 0) {
            return sizes[i].bytes;
        }
    }
    return 0;
}

bool payload_value_make(payload_value *out, uint64_t bytes)
{
    const char *shape = ckbench_shape()[0] != '\0' ? ckbench_shape() : "json-1k";
    bool is_text = strncmp(shape, "json-", 5) == 0;
    memset(out, 0, sizeof *out);
    bytes = bytes != 0 ? bytes : size_of(shape + (is_text ? 5 : 4));
    if (is_text) {
        json_filler_make(&out->bytes, bytes);
    } else {
        random_make(&out->bytes, bytes);
    }
    out->items[0] = cachekit_value_text("version");
    out->items[1] = cachekit_value_i64(1);
    out->items[2] = cachekit_value_text("data");
    out->items[3] = is_text ? cachekit_value_str((const char *)out->bytes.bytes, out->bytes.len)
                            : cachekit_value_bin(out->bytes.bytes, out->bytes.len);
    out->tree = cachekit_value_map(out->items, 2);
    return bytes > 0 && !out->bytes.failed;
}

void payload_value_release(payload_value *value)
{
    pack_release(&value->bytes);
}

bool payload_is_set(void)
{
    return strcmp(ckbench_operation(), "set") == 0;
}

uint64_t payload_digest(const cachekit_value *tree)
{
    const cachekit_value *data = cachekit_value_get(tree, "data");
    uint64_t hash = 0xcbf29ce484222325;
    if (data == NULL || (data->type != CACHEKIT_STR && data->type != CACHEKIT_BIN)) {
        return 0;
    }
    const uint8_t *bytes =
        data->type == CACHEKIT_STR ? (const uint8_t *)data->as.text : data->as.bytes;
    for (uint32_t i = 0; i < data->len; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001b3;
    }
    return hash;
}
