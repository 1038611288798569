// SPDX-License-Identifier: MIT
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

#include "base/status.h"

Test(status, every_code_has_a_name_and_a_sentence)
{
    for (int code = CACHEKIT_E_UNKNOWN; code <= CACHEKIT_ROTATE; code++) {
        const char *name = cachekit_status_name((cachekit_status)code);
        const char *text = cachekit_status_text((cachekit_status)code);
        cr_assert(strcmp(name, "?") != 0, "%d", code);
        cr_assert(code >= 0 || strncmp(name, "E_", 2) == 0, "%d", code);
        cr_assert(strcmp(text, "unknown status") != 0, "%d", code);
    }
    cr_assert(strcmp(cachekit_status_name((cachekit_status)1000), "?") == 0);
    cr_assert(strcmp(cachekit_status_text((cachekit_status)1000), "unknown status") == 0);
}

Test(status, a_long_text_is_cut_and_terminated)
{
    char text[400];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    cachekit_error error;
    cr_assert(eq(int, cki_fail(&error, CACHEKIT_E_DECODE, 7, "%s", text), CACHEKIT_E_DECODE));
    cr_assert(eq(sz, strlen(error.text), sizeof error.text - 1));
    cr_assert(eq(u64, error.position, 7));
    cr_assert(eq(int, error.foreign, 0));
    cr_assert(eq(int, cki_fail(NULL, CACHEKIT_E_NOMEM, 0, "no"), CACHEKIT_E_NOMEM));
}
