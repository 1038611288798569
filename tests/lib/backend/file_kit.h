// SPDX-License-Identifier: MIT
// A directory for one test, a backend on it, and short forms of its calls.
#ifndef TESTS_FILE_KIT_H
#define TESTS_FILE_KIT_H

#include <stdbool.h>
#include <sys/stat.h>

#include <cachekit/backends.h>

enum { FILE_KIT_PATH_ROOM = 256 };

// Keys and the names of their files, as `printf %s KEY | b2sum -l 128` says.
#define KEY        "test-key"
#define KEY_NAME   "0e2a03b49262c15a063c04d5a29c0158"
#define OTHER      "other"
#define OTHER_NAME "305257bf1b736b6c8ac529f8cb1ef59a"

struct file_kit {
    char dir[FILE_KIT_PATH_ROOM];
    cachekit_backend *backend;
    cachekit_buffer value; // of the last get
    cachekit_error error;
};

// A fresh directory, and a backend with these options (NULL: defaults); aborts if that fails.
void file_kit_open(struct file_kit *kit, const cachekit_file_backend_options *options);
// A fresh directory only.
void file_kit_make_dir(struct file_kit *kit);
// A backend on the directory that is there.
cachekit_status file_kit_reopen(struct file_kit *kit, const cachekit_file_backend_options *options);
void file_kit_close(struct file_kit *kit);

cachekit_slice file_kit_slice(const char *text);
cachekit_status file_kit_set(struct file_kit *kit, const char *key, const char *value,
                             int64_t ttl_ms);
cachekit_status file_kit_get(struct file_kit *kit, const char *key);
bool file_kit_has(const struct file_kit *kit, const char *value); // whether get found that
cachekit_status file_kit_remove(struct file_kit *kit, const char *key);

const char *file_kit_path(const struct file_kit *kit, const char *name);

// Writes a file as it is, 0600.
void file_kit_plant(const struct file_kit *kit, const char *name, const void *bytes, size_t len);
// The whole file into `out`, -1 if there is none.
long file_kit_raw(const struct file_kit *kit, const char *name, unsigned char *out, size_t room);
bool file_kit_is_there(const struct file_kit *kit, const char *name);
// How many names the directory holds, and how many of them contain `part`.
int file_kit_count(const struct file_kit *kit, const char *part);
// Moves a file's time of change.
void file_kit_age(const struct file_kit *kit, const char *name, int seconds);
void file_kit_age_all(const struct file_kit *kit, const char *part, int seconds);

// For Criterion tests: a call and the status that it must answer.
#define SAYS(call, wanted)                                                                         \
    do {                                                                                           \
        cachekit_status says_ = (call);                                                            \
        cr_assert(says_ == (wanted), "%s: %s", #call, cachekit_status_name(says_));                \
    } while (0)

#endif
