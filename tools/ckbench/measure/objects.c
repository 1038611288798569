// SPDX-License-Identifier: MIT
// A table of a few dozen files, so a plain array is searched. Failures are remembered too: a file
// that cannot be read is asked for again with each dump.
#include "measure/objects.h"

#include <stdlib.h>
#include <string.h>

#include "measure/checked.h"

struct item {
    char *path;
    struct elf_image image;
    struct fault fault; // why there is no image; empty text: there is one
};

struct objects {
    struct item **items; // each its own block: images are handed out
    size_t count, cap;
};

struct objects *objects_new(void)
{
    return calloc(1, sizeof(struct objects));
}

static void free_item(struct item *item)
{
    elf_release(&item->image);
    free(item->path);
    free(item);
}

void objects_free(struct objects *objects)
{
    if (objects != NULL) {
        for (size_t i = 0; i < objects->count; i++) {
            free_item(objects->items[i]);
        }
        free(objects->items);
        free(objects);
    }
}

static struct item *find(const struct objects *objects, const char *path)
{
    for (size_t i = 0; i < objects->count; i++) {
        if (strcmp(objects->items[i]->path, path) == 0) {
            return objects->items[i];
        }
    }
    return NULL;
}

static struct item *add(struct objects *objects, const char *path)
{
    struct item *item = calloc(1, sizeof *item);
    void *items =
        checked_room(objects->items, objects->count, &objects->cap, sizeof(struct item *));
    if (items != NULL) {
        objects->items = items;
    }
    if (item == NULL || items == NULL || (item->path = strdup(path)) == NULL) {
        free(item);
        return NULL;
    }
    if (elf_read(path, &item->image, &item->fault)) {
        item->fault.text[0] = '\0';
    }
    objects->items[objects->count++] = item;
    return item;
}

const struct elf_image *objects_image(struct objects *objects, const char *path,
                                      struct fault *fault)
{
    struct item *item = find(objects, path);
    if (item == NULL) {
        item = add(objects, path);
    }
    if (item == NULL) {
        (void)fault_set(fault, "%s: no memory", path);
        return NULL;
    }
    if (item->fault.text[0] != '\0') {
        (void)fault_set(fault, "%s", item->fault.text);
        return NULL;
    }
    return &item->image;
}

const char *objects_class(void *objects, const char *path)
{
    const struct elf_image *image = objects_image(objects, path, NULL);
    return image != NULL ? image->class_name : NULL;
}
