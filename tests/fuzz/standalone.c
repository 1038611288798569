// SPDX-License-Identifier: MIT
// Replays files and folders through a fuzz target without libFuzzer, so that corpora are tests
// with every compiler. Exit 1 when there was nothing to replay.
#include <dirent.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

static unsigned replayed;

// Not every target has something to prepare.
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return 0;
}

// Only libFuzzer mutates; a target with a mutator of its own still has to link.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room)
{
    (void)data, (void)room;
    return size;
}

static bool replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat info;
    if (file == NULL || fstat(fileno(file), &info) != 0) {
        perror(path);
        return false;
    }
    size_t size = (size_t)info.st_size;
    uint8_t *data = malloc(size > 0 ? size : 1);
    bool is_read = data != NULL && fread(data, 1, size, file) == size;
    fclose(file);
    if (is_read) {
        LLVMFuzzerTestOneInput(data, size);
        replayed++;
    } else {
        fprintf(stderr, "%s: cannot be read\n", path);
    }
    free(data);
    return is_read;
}

static bool replay_folder(const char *path, DIR *folder)
{
    bool is_good = true;
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        char file[4096];
        if (entry->d_name[0] == '.') {
            continue;
        }
        int len = snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        is_good = len > 0 && (size_t)len < sizeof file && replay_file(file) && is_good;
    }
    closedir(folder);
    return is_good;
}

int main(int argc, char **argv)
{
    bool is_good = true;
    LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        bool is_replayed = folder != NULL ? replay_folder(argv[i], folder) : replay_file(argv[i]);
        is_good = is_replayed && is_good;
    }
    printf("%u inputs replayed\n", replayed);
    return is_good && replayed > 0 ? 0 : 1;
}
