// SPDX-License-Identifier: MIT
#include "file_kit.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cachekit/cache.h>

static void must(bool ok, const char *what)
{
    if (!ok) {
        perror(what);
        abort();
    }
}

void file_kit_make_dir(struct file_kit *kit)
{
    const char *tmp = getenv("TMPDIR");
    if (tmp == NULL) { // in memory where there is such a place: the tests wait for fsync a lot
        tmp = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    }
    memset(kit, 0, sizeof *kit);
    (void)snprintf(kit->dir, sizeof kit->dir, "%s/file-backend.XXXXXX", tmp);
    must(mkdtemp(kit->dir) != NULL, "mkdtemp");
}

cachekit_status file_kit_reopen(struct file_kit *kit, const cachekit_file_backend_options *options)
{
    cachekit_file_backend_options o = {0};
    if (options != NULL) {
        o = *options;
    }
    o.size = sizeof o;
    o.directory = kit->dir;
    cachekit_backend_free(kit->backend);
    return cachekit_file_backend_new(&o, &kit->backend, &kit->error);
}

void file_kit_open(struct file_kit *kit, const cachekit_file_backend_options *options)
{
    file_kit_make_dir(kit);
    must(file_kit_reopen(kit, options) == CACHEKIT_OK, "cachekit_file_backend_new");
}

static void remove_all(const char *dir)
{
    DIR *stream = opendir(dir);
    must(stream != NULL, "opendir");
    for (struct dirent *entry = readdir(stream); entry != NULL; entry = readdir(stream)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            unlinkat(dirfd(stream), entry->d_name, 0) != 0) {
            must(unlinkat(dirfd(stream), entry->d_name, AT_REMOVEDIR) == 0, "unlinkat");
        }
    }
    (void)closedir(stream);
    must(rmdir(dir) == 0, "rmdir");
}

void file_kit_close(struct file_kit *kit)
{
    cachekit_backend_free(kit->backend);
    cachekit_buffer_release(&kit->value);
    remove_all(kit->dir);
}

cachekit_slice file_kit_slice(const char *text)
{
    return (cachekit_slice){(const uint8_t *)text, strlen(text)};
}

cachekit_status file_kit_set(struct file_kit *kit, const char *key, const char *value,
                             int64_t ttl_ms)
{
    return kit->backend->ops->set(kit->backend, file_kit_slice(key), file_kit_slice(value), ttl_ms,
                                  cachekit_deadline_ns(60000), &kit->error);
}

cachekit_status file_kit_get(struct file_kit *kit, const char *key)
{
    return kit->backend->ops->get(kit->backend, file_kit_slice(key), cachekit_deadline_ns(60000),
                                  &kit->value, &kit->error);
}

bool file_kit_has(const struct file_kit *kit, const char *value)
{
    return kit->value.len == strlen(value) && memcmp(kit->value.data, value, kit->value.len) == 0;
}

cachekit_status file_kit_remove(struct file_kit *kit, const char *key)
{
    return kit->backend->ops->remove(kit->backend, file_kit_slice(key), cachekit_deadline_ns(60000),
                                     &kit->error);
}

const char *file_kit_path(const struct file_kit *kit, const char *name)
{
    static char paths[4][2 * FILE_KIT_PATH_ROOM];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    (void)snprintf(path, sizeof paths[0], "%s/%s", kit->dir, name);
    return path;
}

void file_kit_plant(const struct file_kit *kit, const char *name, const void *bytes, size_t len)
{
    int fd = open(file_kit_path(kit, name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    must(fd >= 0 && write(fd, bytes, len) == (ssize_t)len && close(fd) == 0, "plant");
}

long file_kit_raw(const struct file_kit *kit, const char *name, unsigned char *out, size_t room)
{
    FILE *file = fopen(file_kit_path(kit, name), "rb");
    if (file == NULL) {
        return -1;
    }
    size_t len = fread(out, 1, room, file);
    (void)fclose(file);
    return (long)len;
}

bool file_kit_is_there(const struct file_kit *kit, const char *name)
{
    struct stat found;
    return lstat(file_kit_path(kit, name), &found) == 0;
}

int file_kit_count(const struct file_kit *kit, const char *part)
{
    int count = 0;
    DIR *stream = opendir(kit->dir);
    must(stream != NULL, "opendir");
    for (struct dirent *entry = readdir(stream); entry != NULL; entry = readdir(stream)) {
        count += entry->d_name[0] != '.' && strstr(entry->d_name, part) != NULL;
    }
    (void)closedir(stream);
    return count;
}

void file_kit_age(const struct file_kit *kit, const char *name, int seconds)
{
    struct timespec times[2];
    (void)clock_gettime(CLOCK_REALTIME, &times[0]);
    times[0].tv_sec -= seconds;
    times[1] = times[0];
    must(utimensat(AT_FDCWD, file_kit_path(kit, name), times, AT_SYMLINK_NOFOLLOW) == 0, "age");
}

void file_kit_age_all(const struct file_kit *kit, const char *part, int seconds)
{
    DIR *stream = opendir(kit->dir);
    must(stream != NULL, "opendir");
    for (struct dirent *entry = readdir(stream); entry != NULL; entry = readdir(stream)) {
        if (strstr(entry->d_name, part) != NULL) {
            file_kit_age(kit, entry->d_name, seconds);
        }
    }
    (void)closedir(stream);
}
