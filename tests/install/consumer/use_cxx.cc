// SPDX-License-Identifier: MIT
// The same in C++11, which must take every public header.
#include <cstdio>
#include <cstring>

#include <cachekit/cachekit.h>
#include <cachekit/envelope.h>

int main()
{
    static const char text[] = "short";
    cachekit_slice payload = {reinterpret_cast<const uint8_t *>(text), sizeof text};
    cachekit_buffer envelope = CACHEKIT_BUFFER_INIT, back = CACHEKIT_BUFFER_INIT;
    bool same = cachekit_envelope_encode(payload, nullptr, &envelope, nullptr) == CACHEKIT_OK;
    cachekit_slice stored = {envelope.data, envelope.len};
    same = same && cachekit_envelope_decode(stored, 0, &back, nullptr, nullptr) == CACHEKIT_OK &&
           back.len == sizeof text && std::memcmp(back.data, text, sizeof text) == 0;
    cachekit_buffer_release(&envelope);
    cachekit_buffer_release(&back);
    std::printf("cachekit %s\n", same ? cachekit_version() : "lost its payload");
    return same ? 0 : 1;
}
