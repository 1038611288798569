// SPDX-License-Identifier: MIT
// The only file that knows libmd.
#include "store/sha256.h"

#include <sha2.h>

void sha256_text(const void *data, size_t len, char out[SHA256_TEXT_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA2_CTX context;
    SHA256Init(&context);
    SHA256Update(&context, data, len);
    SHA256Final(digest, &context);
    for (size_t i = 0; i < sizeof digest; i++) {
        out[2 * i] = digits[digest[i] >> 4];
        out[2 * i + 1] = digits[digest[i] & 15];
    }
    out[SHA256_TEXT_SIZE - 1] = '\0';
}
