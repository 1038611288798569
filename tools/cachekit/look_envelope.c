// SPDX-License-Identifier: MIT
// Envelopes: what they claim, then whether the claim holds, which takes decompressing.
#include <string.h>

#include <cachekit/envelope.h>
#include <cachekit/interop.h>
#include <cachekit/json.h>

#include "complain.h"
#include "look.h"

static void look_damaged(cachekit_slice bytes, const char *kind, cachekit_status status,
                         const cachekit_error *error, struct finding *out)
{
    finding_text(out, "kind", kind);
    finding_number(out, "bytes", bytes.len);
    finding_fault(out, "refused", status, error);
    out->is_out_of_memory = out->is_out_of_memory || status == CACHEKIT_E_NOMEM;
}

// Of a text that an Arrow file begins with.
static void look_arrow(cachekit_slice bytes, struct finding *out)
{
    static const char magic[] = "ARROW1";
    bool is_arrow =
        bytes.len >= sizeof magic - 1 && memcmp(bytes.data, magic, sizeof magic - 1) == 0;
    finding_text(out, "kind", is_arrow ? "arrow file" : "no arrow file");
    finding_number(out, "bytes", bytes.len);
    finding_text(out, "refused",
                 is_arrow ? "by this library, which reads no tables" : "by every reader");
}

void look_payload(const struct look *look, cachekit_slice bytes, const char *format,
                  struct finding *out)
{
    cachekit_value value;
    cachekit_error error = {.text = ""};
    if (strcmp(format, CACHEKIT_FORMAT_ARROW) == 0) {
        look_arrow(bytes, out);
    } else if (strcmp(format, CACHEKIT_FORMAT_BYTES) == 0) {
        look_damaged(bytes, "bytes", CACHEKIT_OK, &error, out);
    } else if (strcmp(format, CACHEKIT_FORMAT_ORJSON) == 0) {
        if (!look_json(look, bytes, out)) {
            cachekit_status status =
                cachekit_json_decode(bytes, CACHEKIT_JSON_PLAIN, look->arena, &value, &error);
            look_damaged(bytes, "no json", status, &error, out);
        }
    } else if (!look_document(look, bytes, LOOK_AT_PAYLOAD, out)) {
        cachekit_status status = cachekit_value_decode(bytes, CACHEKIT_DECODE_KEEP_SENTINELS,
                                                       look->arena, &value, &error);
        look_damaged(bytes, "no document", status, &error, out);
    }
}

static void find_claims(const cachekit_envelope_info *info, size_t len, struct finding *out)
{
    finding_text(out, "kind", "envelope");
    finding_number(out, "bytes", len);
    finding_number(out, "limit_bytes", CACHEKIT_ENVELOPE_MAX_BYTES);
    finding_text(out, "form", info->is_legacy ? "legacy" : "bin");
    finding_text(out, "format", info->format);
    finding_number(out, "compressed_bytes", info->compressed_len);
    finding_number(out, "payload_bytes", info->payload_len);
    if (info->compressed_len > 0) {
        finding_float(out, "ratio", (double)info->payload_len / (double)info->compressed_len);
    } else {
        finding_nil(out, "ratio");
    }
}

bool look_envelope(const struct look *look, cachekit_slice bytes, struct finding *out)
{
    cachekit_error error = {.text = ""};
    cachekit_envelope_info info = {.format = NULL};
    cachekit_buffer payload = CACHEKIT_BUFFER_INIT;
    cachekit_status status = cachekit_envelope_inspect(bytes, &info, &error);
    if (info.format == NULL) {
        return false;
    }
    find_claims(&info, bytes.len, out);
    if (status >= 0) {
        status = cachekit_envelope_decode(bytes, 0, &payload, NULL, &error);
    }
    if (status >= 0 || status == CACHEKIT_E_CHECKSUM) {
        finding_bool(out, "checksum_ok", status >= 0);
    } else {
        finding_nil(out, "checksum_ok");
    }
    finding_fault(out, "refused", status, &error);
    out->is_out_of_memory = out->is_out_of_memory || status == CACHEKIT_E_NOMEM;
    if (status >= 0) {
        struct finding inner;
        finding_init(&inner, look->arena);
        look_payload(look, (cachekit_slice){payload.data, payload.len}, info.format, &inner);
        finding_child(out, "payload", &inner);
    }
    cachekit_buffer_release(&payload);
    return true;
}
