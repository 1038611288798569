// SPDX-License-Identifier: MIT
// Which directories are trusted, which options are taken, and what a start cleans up.
#include <criterion/criterion.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cachekit/cache.h>

#include "file_kit.h"

static cachekit_status open_at(const char *directory)
{
    cachekit_file_backend_options o = {.size = sizeof o, .directory = directory};
    cachekit_backend *backend = NULL;
    cachekit_error error = {0};
    cachekit_status status = cachekit_file_backend_new(&o, &backend, &error);
    cr_assert((backend != NULL) == (status == CACHEKIT_OK));
    cr_assert(status == CACHEKIT_OK || (error.status == status && error.text[0] != '\0'));
    cachekit_backend_free(backend);
    return status;
}

Test(file_directory, is_made_for_its_owner_alone)
{
    struct file_kit kit;
    struct stat made;
    file_kit_make_dir(&kit);
    mode_t old = umask(0);
    const char *inner = file_kit_path(&kit, "inner");
    SAYS(open_at(inner), CACHEKIT_OK);
    (void)umask(old);
    cr_assert(stat(inner, &made) == 0);
    cr_assert((made.st_mode & 07777) == 0700);
    SAYS(open_at(inner), CACHEKIT_OK);
    file_kit_close(&kit);
}

Test(file_directory, is_refused_if_others_may_write_to_it)
{
    static const struct {
        mode_t mode;
        cachekit_status status;
    } rows[] = {
        {0700, CACHEKIT_OK},       {0755, CACHEKIT_OK},       {0750, CACHEKIT_OK},
        {0720, CACHEKIT_E_CONFIG}, {0702, CACHEKIT_E_CONFIG}, {01777, CACHEKIT_E_CONFIG},
    };
    struct file_kit kit;
    file_kit_make_dir(&kit);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cr_assert(chmod(kit.dir, rows[i].mode) == 0);
        cachekit_status status = open_at(kit.dir);
        cr_assert(status == rows[i].status, "%o: %s", rows[i].mode, cachekit_status_name(status));
    }
    file_kit_close(&kit);
}

Test(file_directory, is_refused_if_it_belongs_to_another_user)
{
    struct file_kit kit;
    file_kit_make_dir(&kit);
    if (geteuid() == 0) {
        cr_assert(chown(kit.dir, 65534, 65534) == 0);
        SAYS(open_at(kit.dir), CACHEKIT_E_CONFIG);
    } else {
        SAYS(open_at("/usr"), CACHEKIT_E_CONFIG); // root's
    }
    file_kit_close(&kit);
}

Test(file_directory, is_no_link_and_no_file)
{
    struct file_kit kit;
    file_kit_make_dir(&kit);
    cr_assert(mkdir(file_kit_path(&kit, "real"), 0700) == 0);
    cr_assert(symlink("real", file_kit_path(&kit, "link")) == 0);
    file_kit_plant(&kit, "file", "x", 1);
    SAYS(open_at(file_kit_path(&kit, "real")), CACHEKIT_OK);
    SAYS(open_at(file_kit_path(&kit, "real//")), CACHEKIT_OK);
    SAYS(open_at(file_kit_path(&kit, "link")), CACHEKIT_E_CONFIG);
    SAYS(open_at(file_kit_path(&kit, "link/")), CACHEKIT_E_CONFIG);
    SAYS(open_at(file_kit_path(&kit, "file")), CACHEKIT_E_CONFIG);
    SAYS(open_at(file_kit_path(&kit, "absent/inner")), CACHEKIT_E_CONFIG);
    cr_assert(unlink(file_kit_path(&kit, "link")) == 0);
    file_kit_close(&kit);
}

Test(file_directory, options_outside_their_bounds_are_refused_by_name)
{
    const uint64_t mib = 1 << 20;
    static const char dir[] = "/nowhere/at/all"; // options are judged first
    const size_t size = sizeof(cachekit_file_backend_options);
    const struct {
        cachekit_file_backend_options o;
        const char *named;
    } rows[] = {
        {{.size = size}, "directory"},
        {{.size = size, .directory = ""}, "directory"},
        {{.size = 0, .directory = dir}, "size"},
        {{.size = size + 8, .directory = dir}, "size"},
        {{.size = size, .directory = dir, .budget_bytes = mib - 1}, "budget_bytes"},
        {{.size = size, .directory = dir, .budget_bytes = 1000000 * mib + 1}, "budget_bytes"},
        {{.size = size, .directory = dir, .budget_bytes = mib, .value_max_bytes = mib / 2 + 1},
         "value_max_bytes"},
        {{.size = size, .directory = dir, .entries_max = 99}, "entries_max"},
        {{.size = size, .directory = dir, .entries_max = 1000001}, "entries_max"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cachekit_backend *backend = (cachekit_backend *)(uintptr_t)1;
        cachekit_error error = {0};
        SAYS(cachekit_file_backend_new(&rows[i].o, &backend, &error), CACHEKIT_E_INVALID);
        cr_assert(backend == NULL);
        cr_assert(strstr(error.text, rows[i].named) != NULL, "%zu: %s", i, error.text);
    }
}

Test(file_directory, bounds_themselves_are_taken)
{
    const uint64_t mib = 1 << 20;
    const cachekit_file_backend_options rows[] = {
        {.budget_bytes = mib, .value_max_bytes = mib / 2, .entries_max = 100},
        {.budget_bytes = 1000000 * mib, .entries_max = 1000000},
        {.budget_bytes = mib},
    };
    struct file_kit kit;
    file_kit_open(&kit, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        SAYS(file_kit_reopen(&kit, &rows[i]), CACHEKIT_OK);
    }
    file_kit_close(&kit);
}

Test(file_directory, a_start_removes_stale_temporary_files_and_nothing_else)
{
    static const struct {
        const char *name;
        int age_s;
        bool stays;
    } rows[] = {
        {KEY_NAME ".tmp.17.1000", 61, false},
        {KEY_NAME ".tmp.17.1000.3", 3600, false},
        {OTHER_NAME ".tmp.18.1000", 50, true},
        {"letter.tmp.17", 3600, true},
        {KEY_NAME ".bak", 3600, true},
        {KEY_NAME ".tmp", 3600, true},
        {"0E2A03B49262C15A063C04D5A29C0158.tmp.1.1", 3600, true},
    };
    struct file_kit kit;
    file_kit_make_dir(&kit);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        file_kit_plant(&kit, rows[i].name, "half", 4);
        file_kit_age(&kit, rows[i].name, rows[i].age_s);
    }
    cr_assert(symlink("letter.tmp.17", file_kit_path(&kit, KEY_NAME ".tmp.1.1")) == 0);
    file_kit_age(&kit, KEY_NAME ".tmp.1.1", 3600);
    cr_assert(mkdir(file_kit_path(&kit, KEY_NAME ".tmp.2.2"), 0700) == 0);
    file_kit_age(&kit, KEY_NAME ".tmp.2.2", 3600);
    SAYS(file_kit_reopen(&kit, NULL), CACHEKIT_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cr_assert(file_kit_is_there(&kit, rows[i].name) == rows[i].stays, "%s", rows[i].name);
    }
    cr_assert(file_kit_is_there(&kit, KEY_NAME ".tmp.1.1"));
    cr_assert(file_kit_is_there(&kit, KEY_NAME ".tmp.2.2"));
    file_kit_close(&kit);
}

Test(file_directory, that_is_gone_or_closed_to_us_is_a_fault_of_the_set_up)
{
    struct file_kit kit;
    file_kit_open(&kit, NULL);
    cr_assert(rmdir(kit.dir) == 0);
    SAYS(file_kit_get(&kit, KEY), CACHEKIT_MISS);
    SAYS(file_kit_set(&kit, KEY, "x", CACHEKIT_FOREVER_MS), CACHEKIT_E_CONFIG);
    cr_assert(kit.error.foreign == ENOENT);
    cr_assert(mkdir(kit.dir, 0700) == 0); // another one, which the backend does not know
    SAYS(file_kit_set(&kit, KEY, "x", CACHEKIT_FOREVER_MS), CACHEKIT_E_CONFIG);
    cr_assert(file_kit_count(&kit, "") == 0);
    file_kit_close(&kit);
}
