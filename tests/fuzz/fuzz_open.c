// SPDX-License-Identifier: MIT
// Any bytes as a message under any binding, and as a plaintext. What opens is what sealing with
// its nonce makes; what was sealed opens in its place only, and no change of a bit passes.
// Input: a byte for format, compression and type, a byte for the length of the key, key, message.
#include <string.h>

#include <cachekit/seal.h>

#include "fuzz.h"

static cachekit_keyring *keyring;
static uint8_t nonce[12]; // what the next message gets
static cachekit_buffer sealed = CACHEKIT_BUFFER_INIT, plain = CACHEKIT_BUFFER_INIT;

static cachekit_status fill_nonce(void *context, void *out, size_t len)
{
    (void)context;
    memcpy(out, nonce, len < sizeof nonce ? len : sizeof nonce);
    return CACHEKIT_OK;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    static const cachekit_entropy entropy = {fill_nonce, NULL};
    static const char *const retired[] = {
        "1111111111111111111111111111111111111111111111111111111111111111"};
    cachekit_keyring_options options = CACHEKIT_KEYRING_OPTIONS_INIT;
    options.master_key = "6161616161616161616161616161616161616161616161616161616161616161";
    options.retired_keys = retired;
    options.retired_count = 1;
    options.tenant = "cross-sdk-test"; // so that the protocol's rows are seeds that open
    options.entropy = &entropy;
    FUZZ_CLAIM(cachekit_keyring_new(&options, &keyring, NULL) == CACHEKIT_OK, "a keyring");
    fuzz_tell_at_exit();
    return 0;
}

// All bytes of the room are zero when the first is and each is like the one before.
static bool is_wiped(const cachekit_buffer *buffer)
{
    size_t room = buffer->room;
    return buffer->len == 0 &&
           (room == 0 ||
            (buffer->data[0] == 0 && memcmp(buffer->data, buffer->data + 1, room - 1) == 0));
}

static cachekit_status open_into_plain(const cachekit_binding *binding, cachekit_slice message)
{
    cachekit_error error = {0};
    size_t index = 9;
    if (plain.room > 0) {
        memset(plain.data, 0xa5, plain.room); // an older plaintext
    }
    cachekit_status status = cachekit_open(keyring, binding, message, &plain, &index, &error);
    if (status == CACHEKIT_OK) {
        FUZZ_CLAIM(index == 0 && plain.len + 28 == message.len, "opened by the current key");
    } else {
        FUZZ_CLAIM(status == error.status && is_wiped(&plain) && index == 9, "nothing is left");
        FUZZ_CLAIM(status == (message.len < 28 ? CACHEKIT_E_DECODE : CACHEKIT_E_AUTH),
                   "the right class");
    }
    return status;
}

// The message as someone's ciphertext.
static void try_as_sealed(const cachekit_binding *binding, cachekit_slice message)
{
    if (open_into_plain(binding, message) != CACHEKIT_OK) {
        return;
    }
    cachekit_slice text = {plain.data, plain.len};
    memcpy(nonce, message.data, sizeof nonce);
    FUZZ_CLAIM(cachekit_seal(keyring, binding, text, &sealed, NULL) == CACHEKIT_OK &&
                   sealed.len == message.len && memcmp(sealed.data, message.data, message.len) == 0,
               "what opens is what we seal");
    fuzz_accepted++;
}

static void try_elsewhere(const cachekit_binding *binding, size_t where)
{
    cachekit_binding other = *binding;
    switch (where % 4) {
    case 0:
        other.compressed = !other.compressed;
        break;
    case 1:
        other.format = strcmp(other.format, "arrow") == 0 ? "orjson" : "arrow";
        break;
    case 2:
        other.original_type = other.original_type == NULL ? "x" : "xx";
        break;
    default:
        other.cache_key.len--;
    }
    if (other.cache_key.len > 0) {
        cachekit_slice message = {sealed.data, sealed.len};
        FUZZ_CLAIM(open_into_plain(&other, message) == CACHEKIT_E_AUTH, "opens in its place only");
    }
}

// The message as our own plaintext.
static void try_as_plain(const cachekit_binding *binding, cachekit_slice message, size_t choice)
{
    memset(nonce, (int)choice, sizeof nonce);
    FUZZ_CLAIM(cachekit_seal(keyring, binding, message, &sealed, NULL) == CACHEKIT_OK, "it seals");
    cachekit_slice bytes = {sealed.data, sealed.len};
    FUZZ_CLAIM(open_into_plain(binding, bytes) == CACHEKIT_OK && plain.len == message.len &&
                   (message.len == 0 || memcmp(plain.data, message.data, message.len) == 0),
               "and opens again");
    size_t bit = choice % (8 * sealed.len);
    sealed.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    FUZZ_CLAIM(open_into_plain(binding, bytes) == CACHEKIT_E_AUTH, "no bit can be changed");
    sealed.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    bytes.len = choice % sealed.len;
    FUZZ_CLAIM(open_into_plain(binding, bytes) < 0, "none can be left out");
    try_elsewhere(binding, choice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const formats[] = {"msgpack", "orjson", "arrow"};
    static const char *const types[] = {NULL, "", "msgpack", "orjson", "arrow"};
    if (size < 2) {
        return 0;
    }
    size_t key_len = data[1] < size - 2 ? data[1] : size - 2;
    const cachekit_binding binding = {
        {data + 2, key_len}, formats[data[0] % 3], data[0] / 3 % 2 == 1, types[data[0] / 6 % 5]};
    cachekit_slice message = {data + 2 + key_len, size - 2 - key_len};
    if (key_len == 0) {
        FUZZ_CLAIM(cachekit_open(keyring, &binding, message, &plain, NULL, NULL) ==
                       CACHEKIT_E_INVALID,
                   "a key is needed");
        return 0;
    }
    size_t choice = size;
    for (size_t i = 0; i < size; i++) {
        choice = choice * 31 + data[i];
    }
    try_as_sealed(&binding, message);
    try_as_plain(&binding, message, choice);
    return 0;
}
