// SPDX-License-Identifier: MIT
// The keyring of the environment: which keys it takes, and what is left of them afterwards.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>
#include <string.h>

#include "keys_env.h"

#define KEY_1 "1111111111111111111111111111111111111111111111111111111111111111"
#define KEY_2 "2222222222222222222222222222222222222222222222222222222222222222"
#define KEY_3 "3333333333333333333333333333333333333333333333333333333333333333"

static const struct {
    const char *master;
    const char *retired;
    cachekit_status status;
    size_t count;
} rows[] = {
    {KEY_1, NULL, CACHEKIT_OK, 1},
    {KEY_1, "", CACHEKIT_OK, 1},
    {KEY_1, KEY_2, CACHEKIT_OK, 2},
    {KEY_1, KEY_2 "," KEY_3, CACHEKIT_OK, 3},
    {KEY_1, KEY_2 ",", CACHEKIT_E_CONFIG, 0},
    {KEY_1, "," KEY_2, CACHEKIT_E_CONFIG, 0},
    {KEY_1, KEY_1, CACHEKIT_E_CONFIG, 0},
    {"", NULL, CACHEKIT_E_CONFIG, 0},
    {KEY_1 "0", KEY_2, CACHEKIT_E_CONFIG, 0},
};

static void set(const char *name, const char *value)
{
    cr_assert(value != NULL ? setenv(name, value, 1) == 0 : unsetenv(name) == 0);
}

// Whether nothing but NULs lies where the variable's value lay.
static bool is_wiped(const char *at, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (at[i] != '\0') {
            return false;
        }
    }
    return true;
}

Test(keys_env, keys_are_taken_or_refused_and_wiped_either_way)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cachekit_keyring *keyring = NULL;
        cachekit_error error = {.text = ""};
        set("CACHEKIT_MASTER_KEY", rows[i].master);
        set("CACHEKIT_PREVIOUS_MASTER_KEYS", rows[i].retired);
        const char *master = getenv("CACHEKIT_MASTER_KEY");
        const char *retired = getenv("CACHEKIT_PREVIOUS_MASTER_KEYS");
        cachekit_status status = keys_env_open(NULL, true, &keyring, &error);
        cr_assert(status == rows[i].status, "%zu: %s", i, error.text);
        cr_assert(is_wiped(master, strlen(rows[i].master)), "%zu", i);
        cr_assert(retired == NULL || is_wiped(retired, strlen(rows[i].retired)), "%zu", i);
        if (status == CACHEKIT_OK) {
            cr_assert(cachekit_keyring_count(keyring) == rows[i].count, "%zu", i);
        } else {
            cr_assert(keyring == NULL, "%zu", i);
        }
        cachekit_keyring_free(keyring);
    }
}

Test(keys_env, a_key_that_is_not_there_is_told_with_its_cure)
{
    cachekit_keyring *keyring = NULL;
    cachekit_error error = {.text = ""};
    set("CACHEKIT_MASTER_KEY", NULL);
    set("CACHEKIT_PREVIOUS_MASTER_KEYS", KEY_2);
    const char *retired = getenv("CACHEKIT_PREVIOUS_MASTER_KEYS");
    cr_assert(keys_env_open(NULL, true, &keyring, &error) == CACHEKIT_E_CONFIG);
    cr_assert(strstr(error.text, "CACHEKIT_MASTER_KEY is not set") != NULL, "%s", error.text);
    cr_assert(is_wiped(retired, 64));
}
