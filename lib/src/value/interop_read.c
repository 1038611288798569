// SPDX-License-Identifier: MIT
// A document of interop/v1 is any well-formed MessagePack; the reader of values reads it. What is
// left is to name the containers of other modes, none of which can begin a document that is whole.
#include <cachekit/interop.h>

#include "base/status.h"

static const struct container {
    uint8_t start[2];
    const char *text;
} containers[] = {
    {{0x43, 0x4b}, "an entry of Python's auto mode (it starts CK), not of interop/v1"},
    {{0xc1, 0x02}, "a container of interop/v2 (it starts c1 02), not a document of interop/v1"},
};

static const char *foreign_container(cachekit_slice input)
{
    if (input.len < 2) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof containers / sizeof containers[0]; i++) {
        const uint8_t *start = containers[i].start;
        if (input.data[0] == start[0] && input.data[1] == start[1]) {
            return containers[i].text;
        }
    }
    return NULL;
}

cachekit_status cachekit_interop_decode(cachekit_slice input, unsigned flags, cachekit_arena *arena,
                                        cachekit_value *root, cachekit_error *error)
{
    const char *container = foreign_container(input);
    if (container != NULL) {
        *root = cachekit_value_nil();
        return cki_fail(error, CACHEKIT_E_DECODE, 0, "%s", container);
    }
    return cachekit_value_decode(input, flags, arena, root, error);
}
