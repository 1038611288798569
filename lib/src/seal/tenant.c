// SPDX-License-Identifier: MIT
// A tenant is text in every SDK: bytes that are no UTF-8 would be a tenant that only C can name.
#include "seal/tenant.h"

#include <stdint.h>
#include <string.h>

#include <cachekit/seal.h>

// Unicode table 3-7: what may stand in the first two bytes; all further ones are 80 to bf.
static const struct form {
    uint8_t first, last; // of the first byte
    uint8_t low, high;   // of the second
    uint8_t len;
} forms[] = {
    {0x01, 0x7f, 0x00, 0x00, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
    {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
    {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

// The length of the character at `at`, or 0. A NUL, which ends every text, is in no form.
static size_t character_len(const uint8_t *at)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        const struct form *form = &forms[i];
        if (at[0] < form->first || at[0] > form->last) {
            continue;
        }
        if (form->len > 1 && (at[1] < form->low || at[1] > form->high)) {
            return 0;
        }
        for (size_t k = 2; k < form->len; k++) {
            if ((at[k] & 0xc0) != 0x80) {
                return 0;
            }
        }
        return form->len;
    }
    return 0;
}

size_t cki_tenant_len(const char *tenant)
{
    size_t len = strnlen(tenant, CACHEKIT_TENANT_MAX_BYTES + 1);
    if (len > CACHEKIT_TENANT_MAX_BYTES) {
        return 0;
    }
    for (size_t at = 0; at < len;) {
        size_t step = character_len((const uint8_t *)tenant + at);
        if (step == 0) {
            return 0;
        }
        at += step;
    }
    return len;
}
