// SPDX-License-Identifier: MIT
// The order in which kinds are tried: those with a mark of their own first, then those that must be
// read whole. Sealed bytes have no mark; whatever is left may be some.
#include "look.h"

#include <string.h>

#include <cachekit/envelope.h>
#include <cachekit/interop.h>
#include <cachekit/json.h>
#include <cachekit/seal.h>

#include "complain.h"

void look_unknown(const struct look *look, cachekit_slice bytes, struct finding *out)
{
    cachekit_error error = {.text = ""};
    cachekit_envelope_info info;
    cachekit_value value;
    (void)look;
    finding_text(out, "kind", "unknown");
    finding_number(out, "bytes", bytes.len);
    finding_text(out, "about", "unknown; ciphertext cannot be told from noise");
    if (bytes.len >= CACHEKIT_SEAL_OVERHEAD_BYTES) {
        finding_number(out, "if_sealed_payload_bytes", bytes.len - CACHEKIT_SEAL_OVERHEAD_BYTES);
    } else {
        finding_nil(out, "if_sealed_payload_bytes");
    }
    cachekit_status status = cachekit_envelope_inspect(bytes, &info, &error);
    finding_fault(out, "as_envelope", status, &error);
    error = (cachekit_error){.text = ""};
    status = cachekit_interop_decode(bytes, CACHEKIT_DECODE_BORROW, out->arena, &value, &error);
    finding_fault(out, "as_interop", status, &error);
    finding_text(out, "refused",
                 bytes.len >= CACHEKIT_SEAL_OVERHEAD_BYTES
                     ? "by every reader but that of its key, if it is sealed"
                     : "by every reader");
}

void look_bytes(const struct look *look, cachekit_slice bytes, enum look_at at, struct finding *out)
{
    if (at < LOOK_AT_ENTRY && look_file_entry(look, bytes, out)) {
        return;
    }
    if (at < LOOK_AT_FRAMED && look_frame(look, bytes, out)) {
        return;
    }
    if (look_envelope(look, bytes, out) || look_document(look, bytes, at, out) ||
        look_json(look, bytes, out) || look_checked_json(look, bytes, out)) {
        return;
    }
    look_unknown(look, bytes, out);
}
