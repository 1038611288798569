// SPDX-License-Identifier: MIT
// Payloads of auto mode that carry their checksum in front: XXH3-64, eight bytes, big-endian.
#include <string.h>

#include <cachekit/envelope.h>

#include "look.h"

enum { CHECKSUM_BYTES = 8 };

// The library has no other door to the checksum than an envelope of the bytes.
static cachekit_status checksum_of(cachekit_slice bytes, uint64_t *out)
{
    cachekit_envelope_info info;
    cachekit_buffer envelope = CACHEKIT_BUFFER_INIT;
    cachekit_status status = cachekit_envelope_encode(bytes, NULL, &envelope, NULL);
    if (status >= 0) {
        status =
            cachekit_envelope_inspect((cachekit_slice){envelope.data, envelope.len}, &info, NULL);
    }
    if (status >= 0) {
        *out = info.checksum;
    }
    cachekit_buffer_release(&envelope);
    return status;
}

static bool is_right(cachekit_slice bytes, cachekit_slice payload, struct finding *out)
{
    uint64_t wanted = 0;
    uint64_t stored = 0;
    for (size_t i = 0; i < CHECKSUM_BYTES; i++) {
        stored = stored << 8 | bytes.data[i];
    }
    out->is_out_of_memory = out->is_out_of_memory || checksum_of(payload, &wanted) < 0;
    return stored == wanted;
}

static void find_checked(const char *kind, cachekit_slice bytes, bool checksum_ok,
                         const struct finding *inner, struct finding *out)
{
    finding_text(out, "kind", kind);
    finding_number(out, "bytes", bytes.len);
    finding_number(out, "limit_bytes", CACHEKIT_ENVELOPE_MAX_BYTES);
    finding_bool(out, "checksum_ok", checksum_ok);
    finding_fault(out, "refused", checksum_ok ? CACHEKIT_OK : CACHEKIT_E_CHECKSUM,
                  &(cachekit_error){.text = ""});
    finding_child(out, "payload", inner);
}

static cachekit_slice behind_checksum(cachekit_slice bytes)
{
    return (cachekit_slice){bytes.data + CHECKSUM_BYTES, bytes.len - CHECKSUM_BYTES};
}

bool look_checked_json(const struct look *look, cachekit_slice bytes, struct finding *out)
{
    struct finding inner;
    finding_init(&inner, look->arena);
    if (bytes.len <= CHECKSUM_BYTES || !look_json(look, behind_checksum(bytes), &inner)) {
        return false;
    }
    cachekit_slice json = behind_checksum(bytes);
    bool checksum_ok = is_right(bytes, json, out);
    if (!checksum_ok && json.data[0] != '{' && json.data[0] != '[') {
        return false; // noise that ends in a digit
    }
    find_checked("json with checksum", bytes, checksum_ok, &inner, out);
    return true;
}

bool look_checked_arrow(const struct look *look, cachekit_slice bytes, struct finding *out)
{
    struct finding inner;
    if (bytes.len < CHECKSUM_BYTES) {
        return false;
    }
    finding_init(&inner, look->arena);
    look_payload(look, behind_checksum(bytes), CACHEKIT_FORMAT_ARROW, &inner);
    find_checked("arrow file with checksum", bytes, is_right(bytes, behind_checksum(bytes), out),
                 &inner, out);
    return true;
}
