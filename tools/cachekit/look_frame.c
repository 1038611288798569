// SPDX-License-Identifier: MIT
// What begins with `CK`: entries of the file backend (version 1) and frames of Python's auto mode
// (version 3). A frame's header is a claim that nobody signs, and what it says is shown only where
// it is one of the protocol's words.
#include <string.h>

#include <cachekit/json.h>

#include "complain.h"
#include "look.h"

enum {
    FILE_HEADER_BYTES = 14,
    FRAME_HEADER_BYTES = 7,
    FRAME_JSON_MAX_BYTES = 64 * 1024,
};

static bool begins_ck(cachekit_slice bytes)
{
    return bytes.len >= 2 && bytes.data[0] == 0x43 && bytes.data[1] == 0x4b;
}

static uint64_t big_endian(const uint8_t *at, size_t width)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < width; i++) {
        sum = sum << 8 | at[i];
    }
    return sum;
}

static cachekit_slice behind(cachekit_slice bytes, size_t len)
{
    return (cachekit_slice){bytes.data + len, bytes.len - len};
}

static void find_life(const struct look *look, const uint8_t *header, struct finding *out)
{
    uint64_t expiry = big_endian(header + 6, 8);
    uint64_t flags = big_endian(header + 4, 2);
    bool is_foreign = header[3] != 0 || flags != 0;
    bool is_expired = expiry != 0 && look->now_unix_s >= expiry;
    finding_number(out, "reserved", header[3]);
    finding_number(out, "flags", flags);
    if (expiry != 0) {
        finding_number(out, "expiry_unix_s", expiry);
        finding_number(out, "left_s", is_expired ? 0 : expiry - look->now_unix_s);
    } else {
        finding_nil(out, "expiry_unix_s");
        finding_nil(out, "left_s");
    }
    finding_text(out, "reader",
                 is_foreign   ? "a miss; the file stays"
                 : is_expired ? "a miss; the file goes"
                              : "the payload");
    if (is_foreign) {
        finding_text(out, "refused", "reserved byte or flags of another version");
    } else if (is_expired) {
        finding_text(out, "refused", "expired");
    } else {
        finding_nil(out, "refused");
    }
}

bool look_file_entry(const struct look *look, cachekit_slice bytes, struct finding *out)
{
    if (!begins_ck(bytes) || bytes.len < 3 || bytes.data[2] != 1) {
        return false;
    }
    finding_text(out, "kind", "file entry");
    finding_number(out, "bytes", bytes.len);
    finding_number(out, "version", 1);
    if (bytes.len < FILE_HEADER_BYTES) {
        finding_text(out, "reader", "a miss; the file goes");
        finding_text(out, "refused", "shorter than its header of 14 bytes");
        return true;
    }
    struct finding inner;
    finding_init(&inner, look->arena);
    find_life(look, bytes.data, out);
    look_bytes(look, behind(bytes, FILE_HEADER_BYTES), LOOK_AT_ENTRY, &inner);
    finding_child(out, "payload", &inner);
    return true;
}

// A text of the header if it is one of `words`, which NULL ends.
static const char *word_of(const cachekit_value *value, const char *const *words)
{
    cachekit_slice text;
    if (!cachekit_value_to_text(value, &text)) {
        return NULL;
    }
    for (size_t i = 0; words[i] != NULL; i++) {
        if (text.len == strlen(words[i]) && memcmp(text.data, words[i], text.len) == 0) {
            return words[i];
        }
    }
    return NULL;
}

// The word, "?" for any other text, nil for none.
static const char *find_word(struct finding *out, const char *name, const cachekit_value *value,
                             const char *const *words)
{
    const char *word = word_of(value, words);
    cachekit_slice text;
    if (word != NULL) {
        finding_text(out, name, word);
    } else if (cachekit_value_to_text(value, &text)) {
        finding_text(out, name, "?");
    } else {
        finding_nil(out, name);
    }
    return word;
}

static bool find_flag(struct finding *out, const char *name, const cachekit_value *value)
{
    bool flag = false;
    (void)cachekit_value_to_bool(value, &flag);
    finding_bool(out, name, flag);
    return flag;
}

struct frame {
    const char *format; // NULL: none that is known
    bool is_encrypted;
};

static void find_header(struct finding *out, const cachekit_value *header, struct frame *frame)
{
    static const char *const serializers[] = {"default", "std",   "standard", "auto", "pythonic",
                                              "orjson",  "arrow", "local",    NULL};
    static const char *const formats[] = {"msgpack", "orjson", "arrow", NULL};
    static const char *const types[] = {"msgpack",   "orjson", "arrow", "numpy",
                                        "dataframe", "series", NULL};
    const cachekit_value *meta = cachekit_value_get(header, "m");
    (void)find_word(out, "serializer", cachekit_value_get(header, "s"), serializers);
    frame->format = find_word(out, "format", cachekit_value_get(meta, "format"), formats);
    (void)find_word(out, "original_type", cachekit_value_get(meta, "original_type"), types);
    (void)find_flag(out, "compressed", cachekit_value_get(meta, "compressed"));
    frame->is_encrypted = find_flag(out, "encrypted", cachekit_value_get(meta, "encrypted"));
}

static void look_in_frame(const struct look *look, cachekit_slice payload,
                          const struct frame *frame, struct finding *out)
{
    bool is_arrow = frame->format != NULL && strcmp(frame->format, "arrow") == 0;
    if (frame->is_encrypted) {
        look_unknown(look, payload, out);
    } else if (!is_arrow || !look_checked_arrow(look, payload, out)) {
        look_bytes(look, payload, LOOK_AT_FRAMED, out);
    }
}

// NULL, or what is wrong with the seven bytes and the length that they claim.
static const char *check_start(cachekit_slice bytes)
{
    if (bytes.len < FRAME_HEADER_BYTES) {
        return "shorter than the 7 bytes that begin a frame";
    }
    if (bytes.data[2] != 3) {
        return "a version of frames that nobody reads, not 3";
    }
    if (big_endian(bytes.data + 3, 4) > bytes.len - FRAME_HEADER_BYTES) {
        return "the header is longer than the frame";
    }
    return big_endian(bytes.data + 3, 4) > FRAME_JSON_MAX_BYTES
               ? "the header is over 64 KiB, more than inspect reads"
               : NULL;
}

static void look_header(const struct look *look, cachekit_slice bytes, struct finding *out)
{
    struct frame frame;
    cachekit_value header;
    cachekit_error error = {.text = ""};
    size_t len = (size_t)big_endian(bytes.data + 3, 4);
    cachekit_slice json = {bytes.data + FRAME_HEADER_BYTES, len};
    finding_number(out, "header_bytes", len);
    cachekit_status status =
        cachekit_json_decode(json, CACHEKIT_JSON_PLAIN, look->arena, &header, &error);
    out->is_out_of_memory = out->is_out_of_memory || status == CACHEKIT_E_NOMEM;
    if (status < 0) {
        finding_fault(out, "refused", status, &error);
        return;
    }
    find_header(out, &header, &frame);
    if (frame.format == NULL) {
        finding_text(out, "refused", "the header names no known format");
    } else {
        finding_text(out, "refused", "by readers of interop/v1; Python's auto mode reads it");
    }
    struct finding inner;
    finding_init(&inner, look->arena);
    look_in_frame(look, behind(bytes, FRAME_HEADER_BYTES + len), &frame, &inner);
    finding_child(out, "payload", &inner);
}

bool look_frame(const struct look *look, cachekit_slice bytes, struct finding *out)
{
    if (!begins_ck(bytes)) {
        return false;
    }
    const char *wrong = check_start(bytes);
    finding_text(out, "kind", "frame");
    finding_number(out, "bytes", bytes.len);
    if (bytes.len > 2) {
        finding_number(out, "version", bytes.data[2]);
    } else {
        finding_nil(out, "version");
    }
    if (wrong != NULL) {
        finding_text(out, "refused", wrong);
    } else {
        look_header(look, bytes, out);
    }
    return true;
}
