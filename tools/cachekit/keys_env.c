// SPDX-License-Identifier: MIT
// Splits the list of earlier keys in a copy of its own, hands everything to the library, whose
// rules are the only ones, and wipes what it read.
#include "keys_env.h"

#include <stdlib.h>
#include <string.h>

#include "complain.h"

struct retired {
    char *text; // a copy of the list, with NULs for commas
    size_t room;
    const char **keys;
    size_t count;
};

static bool split(struct retired *retired, const char *list)
{
    if (list == NULL || list[0] == '\0') {
        return true;
    }
    retired->room = strlen(list) + 1;
    retired->text = malloc(retired->room);
    retired->keys = malloc(retired->room * sizeof *retired->keys); // more keys than characters? no
    if (retired->text == NULL || retired->keys == NULL) {
        return false;
    }
    memcpy(retired->text, list, retired->room);
    for (char *at = retired->text; at != NULL;) {
        retired->keys[retired->count++] = at;
        at = strchr(at, ',');
        if (at != NULL) {
            *at++ = '\0';
        }
    }
    return true;
}

static void forget(struct retired *retired, char *master, char *list)
{
    if (retired->text != NULL) {
        explicit_bzero(retired->text, retired->room);
    }
    free(retired->text);
    free(retired->keys);
    if (master != NULL) {
        explicit_bzero(master, strlen(master));
    }
    if (list != NULL) {
        explicit_bzero(list, strlen(list));
    }
}

cachekit_status keys_env_open(const char *tenant, bool allow_unlocked, cachekit_keyring **out,
                              cachekit_error *error)
{
    char *master = getenv("CACHEKIT_MASTER_KEY");
    char *list = getenv("CACHEKIT_PREVIOUS_MASTER_KEYS");
    struct retired retired = {0};
    cachekit_status status;
    if (master == NULL) {
        status = complaint_set(error, CACHEKIT_E_CONFIG,
                               "CACHEKIT_MASTER_KEY is not set; it wants 64 hexadecimal digits");
    } else if (!split(&retired, list)) {
        status = complaint_set(error, CACHEKIT_E_NOMEM, "no memory for the keys");
    } else {
        cachekit_keyring_options options = CACHEKIT_KEYRING_OPTIONS_INIT;
        options.master_key = master;
        options.retired_keys = retired.keys;
        options.retired_count = retired.count;
        options.tenant = tenant;
        options.allow_unlocked = allow_unlocked;
        status = cachekit_keyring_new(&options, out, error);
    }
    forget(&retired, master, list);
    return status;
}
