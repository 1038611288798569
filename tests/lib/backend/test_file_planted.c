// SPDX-License-Identifier: MIT
// Things that somebody put where an entry or a temporary file should be: nothing is followed,
// waited for or written through.
#include <criterion/criterion.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cachekit/cache.h>

#include "backend/file_inside.h"
#include "file_calls.h"
#include "file_kit.h"

enum { HEADER = 14, ALARM_S = 20, NOBODY = 65534 };

static const char secret[] = "CK\1\0\0\0\0\0\0\0\0\0\0\0secret";

enum { SECRET_LEN = sizeof secret - 1 };

struct kind {
    const char *name;
    void (*plant)(const struct file_kit *kit, const char *at);
    cachekit_status get;
    cachekit_status set;
    cachekit_status remove; // asked before the set
};

static void plant_link(const struct file_kit *kit, const char *at)
{
    cr_assert(symlink("target", file_kit_path(kit, at)) == 0);
}

static void plant_dangling(const struct file_kit *kit, const char *at)
{
    cr_assert(symlink("nothing", file_kit_path(kit, at)) == 0);
}

static void plant_fifo(const struct file_kit *kit, const char *at)
{
    cr_assert(mkfifo(file_kit_path(kit, at), 0600) == 0);
}

static void plant_directory(const struct file_kit *kit, const char *at)
{
    cr_assert(mkdir(file_kit_path(kit, at), 0700) == 0);
}

static void plant_hard_link(const struct file_kit *kit, const char *at)
{
    cr_assert(link(file_kit_path(kit, "target"), file_kit_path(kit, at)) == 0);
}

static void plant_socket(const struct file_kit *kit, const char *at)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", file_kit_path(kit, at));
    cr_assert(fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0);
    (void)close(fd);
}

static const struct kind kinds[] = {
    {"link", plant_link, CACHEKIT_MISS, CACHEKIT_OK, CACHEKIT_OK},
    {"dangling link", plant_dangling, CACHEKIT_MISS, CACHEKIT_OK, CACHEKIT_OK},
    {"fifo", plant_fifo, CACHEKIT_MISS, CACHEKIT_OK, CACHEKIT_OK},
    {"socket", plant_socket, CACHEKIT_MISS, CACHEKIT_OK, CACHEKIT_OK},
    {"directory", plant_directory, CACHEKIT_MISS, CACHEKIT_E_WRONG_TYPE, CACHEKIT_E_WRONG_TYPE},
    {"hard link", plant_hard_link, CACHEKIT_OK, CACHEKIT_OK, CACHEKIT_OK},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void must_be_untouched(const struct file_kit *kit, const char *name)
{
    unsigned char found[64];
    cr_assert(file_kit_raw(kit, "target", found, sizeof found) == SECRET_LEN, "%s", name);
    cr_assert(memcmp(found, secret, SECRET_LEN) == 0, "%s", name);
    cr_assert(!file_kit_is_there(kit, "nothing"), "%s", name);
}

Test(file_planted, under_an_entrys_name)
{
    (void)alarm(ALARM_S); // who waits for a FIFO waits for ever
    for (size_t i = 0; i < KINDS; i++) {
        const struct kind *k = &kinds[i];
        struct file_kit kit;
        file_kit_open(&kit, NULL);
        file_kit_plant(&kit, "target", secret, SECRET_LEN);
        k->plant(&kit, KEY_NAME);
        cachekit_status status = file_kit_get(&kit, KEY);
        cr_assert(status == k->get, "%s: %s", k->name, cachekit_status_name(status));
        cr_assert(file_kit_is_there(&kit, KEY_NAME), "%s", k->name);
        status = file_kit_remove(&kit, KEY);
        cr_assert(status == k->remove, "%s: %s", k->name, cachekit_status_name(status));
        if (status == CACHEKIT_OK) {
            k->plant(&kit, KEY_NAME);
        }
        status = file_kit_set(&kit, KEY, "mine", CACHEKIT_FOREVER_MS);
        cr_assert(status == k->set, "%s: %s", k->name, cachekit_status_name(status));
        if (status == CACHEKIT_OK) {
            SAYS(file_kit_get(&kit, KEY), CACHEKIT_OK);
            cr_assert(file_kit_has(&kit, "mine"), "%s", k->name);
        }
        must_be_untouched(&kit, k->name);
        cr_assert(file_kit_count(&kit, ".tmp.") == 0, "%s", k->name);
        file_kit_close(&kit);
    }
}

// The name that the next set will try first.
static void next_temp(const struct file_kit *kit, char name[128])
{
    struct cki_file_backend *self = (struct cki_file_backend *)kit->backend;
    (void)snprintf(name, 128, "%s%s%010llu", KEY_NAME, self->temp_part,
                   (unsigned long long)atomic_load(&self->temp_number));
}

Test(file_planted, under_a_temporary_files_name)
{
    (void)alarm(ALARM_S);
    for (size_t i = 0; i < KINDS; i++) {
        const struct kind *k = &kinds[i];
        struct file_kit kit;
        char temp[128];
        file_kit_open(&kit, NULL);
        file_kit_plant(&kit, "target", secret, SECRET_LEN);
        next_temp(&kit, temp);
        k->plant(&kit, temp);
        SAYS(file_kit_set(&kit, KEY, "mine", CACHEKIT_FOREVER_MS), CACHEKIT_OK);
        cr_assert(file_kit_is_there(&kit, temp), "%s", k->name); // it is not ours to remove
        SAYS(file_kit_get(&kit, KEY), CACHEKIT_OK);
        cr_assert(file_kit_has(&kit, "mine"), "%s", k->name);
        must_be_untouched(&kit, k->name);
        cr_assert(file_kit_count(&kit, ".tmp.") == 1, "%s", k->name);
        file_kit_close(&kit);
    }
}

Test(file_planted, under_every_temporary_name_ends)
{
    struct file_kit kit;
    file_kit_open(&kit, NULL);
    for (int i = 0; i < 200; i++) {
        char temp[128];
        next_temp(&kit, temp);
        atomic_fetch_add(&((struct cki_file_backend *)kit.backend)->temp_number, 1);
        plant_directory(&kit, temp);
    }
    atomic_store(&((struct cki_file_backend *)kit.backend)->temp_number, 0);
    SAYS(file_kit_set(&kit, KEY, "mine", CACHEKIT_FOREVER_MS), CACHEKIT_E_UNKNOWN);
    cr_assert(kit.error.foreign == EEXIST);
    cr_assert(file_kit_count(&kit, ".tmp.") == 200);
    file_kit_close(&kit);
}

Test(file_planted, a_link_that_comes_between_looking_and_opening_is_not_followed)
{
    struct file_kit kit;
    file_kit_open(&kit, NULL);
    file_kit_plant(&kit, "target", secret, SECRET_LEN);
    SAYS(file_kit_set(&kit, KEY, "mine", CACHEKIT_FOREVER_MS), CACHEKIT_OK);
    cr_assert(unlink(file_kit_path(&kit, KEY_NAME)) == 0);
    plant_link(&kit, KEY_NAME);
    SAYS(kit.backend->ops->exists(kit.backend, file_kit_slice(KEY), cachekit_deadline_ns(1000),
                                  NULL),
         CACHEKIT_MISS);
    file_kit_close(&kit);
}

Test(file_planted, another_users_file_is_a_miss_and_kept)
{
    struct file_kit kit;
    file_kit_open(&kit, NULL);
    file_kit_plant(&kit, KEY_NAME, secret, SECRET_LEN);
    SAYS(file_kit_get(&kit, KEY), CACHEKIT_OK);
    if (geteuid() == 0) { // nobody else can give a file away
        cr_assert(chown(file_kit_path(&kit, KEY_NAME), NOBODY, NOBODY) == 0);
        SAYS(file_kit_get(&kit, KEY), CACHEKIT_MISS);
        cr_assert(file_kit_is_there(&kit, KEY_NAME));
        SAYS(file_kit_set(&kit, KEY, "mine", 5000), CACHEKIT_OK);
        SAYS(file_kit_get(&kit, KEY), CACHEKIT_OK);
    }
    file_kit_close(&kit);
}

// Root is refused nothing, so these are asked as another user.
static int as_nobody(struct file_kit *kit)
{
    if (geteuid() == 0 && (setegid(NOBODY) != 0 || seteuid(NOBODY) != 0)) {
        return 10;
    }
    if (file_kit_reopen(kit, NULL) != CACHEKIT_OK ||
        file_kit_set(kit, KEY, "x", 5000) != CACHEKIT_OK) {
        return 11;
    }
    if (chmod(file_kit_path(kit, KEY_NAME), 0) != 0 ||
        file_kit_get(kit, KEY) != CACHEKIT_E_TRANSIENT || kit->error.foreign != EACCES) {
        return 12;
    }
    if (chmod(kit->dir, 0500) != 0 || file_kit_set(kit, OTHER, "x", 5000) != CACHEKIT_E_CONFIG ||
        kit->error.foreign != EACCES) {
        return 13;
    }
    if (file_kit_remove(kit, KEY) != CACHEKIT_E_CONFIG || chmod(kit->dir, 0300) != 0 ||
        file_kit_reopen(kit, NULL) != CACHEKIT_E_CONFIG) {
        return 14;
    }
    return chmod(kit->dir, 0700) == 0 ? 0 : 15;
}

Test(file_planted, rights_that_are_missing_are_of_the_right_class)
{
    struct file_kit kit;
    int status = -1;
    file_kit_make_dir(&kit);
    cr_assert(geteuid() != 0 || chown(kit.dir, NOBODY, NOBODY) == 0);
    pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        _exit(as_nobody(&kit));
    }
    cr_assert(waitpid(child, &status, 0) == child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%d", WEXITSTATUS(status));
    file_kit_close(&kit);
}
