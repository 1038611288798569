// SPDX-License-Identifier: MIT
// Opens the shared library by its SONAME, calls it, closes it, and opens it again: it is linked
// `-z nodelete`, so the second handle must find the first one's code.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    const char *(*version[2])(void) = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        void *library = dlopen("libcachekit.so.0", RTLD_NOW | RTLD_LOCAL);
        if (library == NULL) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        void *symbol = dlsym(library, "cachekit_version");
        memcpy(&version[i], &symbol, sizeof symbol);
        if (symbol == NULL || dlclose(library) != 0) {
            return 1;
        }
    }
    printf("cachekit %s\n", version[0]()); // after dlclose: nodelete keeps it mapped
    return version[0] == version[1] ? 0 : 1;
}
