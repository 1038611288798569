// SPDX-License-Identifier: MIT
// A stranger's program: an envelope there and back through the installed library.
#include <stdio.h>
#include <string.h>

#include <cachekit/cachekit.h>
#include <cachekit/envelope.h>

int main(void)
{
    static const char text[] =
        "the same words, the same words, the same words, the same words, again";
    cachekit_slice payload = {(const uint8_t *)text, sizeof text};
    cachekit_buffer envelope = CACHEKIT_BUFFER_INIT, back = CACHEKIT_BUFFER_INIT;
    cachekit_error error;
    if (cachekit_envelope_encode(payload, NULL, &envelope, &error) != CACHEKIT_OK) {
        return 1;
    }
    cachekit_slice stored = {envelope.data, envelope.len};
    if (cachekit_envelope_decode(stored, 0, &back, NULL, &error) != CACHEKIT_OK) {
        return 1;
    }
    int same = back.len == sizeof text && memcmp(back.data, text, sizeof text) == 0;
    cachekit_buffer_release(&envelope);
    cachekit_buffer_release(&back);
    printf("cachekit %s\n", same ? cachekit_version() : "lost its payload");
    return same ? 0 : 1;
}
