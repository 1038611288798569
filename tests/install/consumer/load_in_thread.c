// SPDX-License-Identifier: MIT
// A thread opens the shared library, caches, closes it and ends: what the library left for the end
// of the thread must still be there to run.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <cachekit/cachekit.h>

static void *library;
static const char *(*version)(void);

static int take(void *function, const char *name)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static void *use(void *ok)
{
    cachekit_status (*make)(const cachekit_cache_options *, cachekit_cache **, cachekit_error *);
    cachekit_status (*put)(cachekit_cache *, cachekit_slice, void *, size_t, cachekit_destroy,
                           void *, int64_t);
    cachekit_status (*get)(cachekit_cache *, cachekit_slice, cachekit_hit *);
    void (*release)(cachekit_hit *);
    cachekit_status (*end)(cachekit_cache *);
    cachekit_slice key = {(const uint8_t *)"key", 3};
    cachekit_cache *cache;
    cachekit_hit hit;
    library = dlopen("libcachekit.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL || !take(&version, "cachekit_version") ||
        !take(&make, "cachekit_cache_new") || !take(&put, "cachekit_put") ||
        !take(&get, "cachekit_get") || !take(&release, "cachekit_release") ||
        !take(&end, "cachekit_cache_free") || make(NULL, &cache, NULL) != CACHEKIT_OK) {
        return NULL;
    }
    int good = put(cache, key, &key, 1, NULL, NULL, 1000) == CACHEKIT_OK;
    for (int i = 0; i < 3; i++) {
        good = good && get(cache, key, &hit) == CACHEKIT_OK && hit.object == &key;
        release(&hit);
    }
    *(int *)ok = good && end(cache) == CACHEKIT_OK && dlclose(library) == 0;
    return NULL;
}

int main(void)
{
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        int ok = 0;
        if (pthread_create(&thread, NULL, use, &ok) != 0 || pthread_join(thread, NULL) != 0 ||
            !ok) {
            return 1;
        }
    }
    printf("cachekit %s\n", version());
    return 0;
}
