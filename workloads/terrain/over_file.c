// SPDX-License-Identifier: MIT
// Memory over files in one directory (option `directory`), which is made if it is not there.

#include "terrain/layered_cache.h"

static void *open_file(const struct ckbench_terrain_setup *setup)
{
    cachekit_file_backend_options options = {.size = sizeof options};
    cachekit_backend *backend = NULL;
    cachekit_error error = {0};
    options.directory = ckbench_terrain_option("directory");
    options.entries_max = 1000000;
    if (options.directory == NULL || setup->tick_ns != NULL) {
        ckbench_terrain_refuse(options.directory == NULL ? "directory=DIR is missing"
                                                         : "files live in real time only");
        return NULL;
    }
    cachekit_status status = cachekit_file_backend_new(&options, &backend, &error);
    return layered_cache_open(setup, backend, status, &error);
}

CKBENCH_TERRAIN(file, "memory over files in a directory", layered_cache_layers, open_file,
                layered_cache_call, layered_cache_counters, layered_cache_close)
