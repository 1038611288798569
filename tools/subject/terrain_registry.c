// SPDX-License-Identifier: MIT
// The terrains of the program, sorted by name like its paths, and the one that every program has:
// it does nothing, so that what the loop itself costs can be measured.
#include "terrain_parts.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 64, ABOUT_BYTES = 200, LAYER_BYTES = 32 };

static struct ckbench_terrain *ckbench_terrains;

void ckbench_terrain_register(struct ckbench_terrain *terrain)
{
    struct ckbench_terrain **at = &ckbench_terrains;
    while (*at != NULL && strcmp((*at)->name, terrain->name) < 0) {
        at = &(*at)->next;
    }
    terrain->next = *at;
    *at = terrain;
}

const struct ckbench_terrain *ckbench_terrain_first(void)
{
    return ckbench_terrains;
}

static void *ckbench_null_open(const struct ckbench_terrain_setup *setup)
{
    static char state;
    (void)setup;
    return &state;
}

static int ckbench_null_call(void *state, const struct ckbench_ask *ask)
{
    (void)state;
    (void)ask;
    return 0;
}

const struct ckbench_terrain *ckbench_terrain_find(const char *name)
{
    static const char *const layers[] = {"null", NULL};
    static const struct ckbench_terrain null = {sizeof null,
                                                "ckbench_self_null",
                                                "nothing",
                                                layers,
                                                ckbench_null_open,
                                                ckbench_null_call,
                                                NULL,
                                                NULL,
                                                NULL};
    for (const struct ckbench_terrain *at = ckbench_terrains; at != NULL; at = at->next) {
        if (strcmp(at->name, name) == 0) {
            return at;
        }
    }
    return strcmp(name, null.name) == 0 ? &null : NULL;
}

size_t ckbench_terrain_layers(const struct ckbench_terrain *terrain)
{
    size_t count = 0;
    while (terrain->layers != NULL && terrain->layers[count] != NULL) {
        count++;
    }
    return count;
}

static bool ckbench_terrain_is_word(const char *word, size_t room, char joint)
{
    char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789?";
    allowed[sizeof allowed - 2] = joint;
    size_t len = strlen(word);
    return len > 0 && len <= room && strspn(word, allowed) == len;
}

static bool ckbench_terrain_has_layers(const struct ckbench_terrain *terrain)
{
    size_t count = ckbench_terrain_layers(terrain);
    for (size_t i = 0; i < count && count <= CKBENCH_LAYERS_MAX; i++) {
        const char *layer = terrain->layers[i];
        if (!ckbench_terrain_is_word(layer, LAYER_BYTES, '-') ||
            strcmp(layer, "unattributed") == 0) {
            return false;
        }
        for (size_t other = 0; other < i; other++) {
            if (strcmp(terrain->layers[other], layer) == 0) {
                return false;
            }
        }
    }
    return count > 0 && count <= CKBENCH_LAYERS_MAX;
}

static const char *ckbench_terrain_fault(const struct ckbench_terrain *terrain)
{
    if (terrain->size != sizeof *terrain) {
        return "is compiled against another version of ckbench/terrain.h than the kit";
    }
    if (!ckbench_terrain_is_word(terrain->name, NAME_BYTES, '_')) {
        return "has a name that is not [a-z0-9_]{1,64}";
    }
    if (strncmp(terrain->name, ckbench_self_prefix, strlen(ckbench_self_prefix)) == 0) {
        return "has a name that is kept for the kit's self-test";
    }
    if (terrain->next != NULL && strcmp(terrain->name, terrain->next->name) == 0) {
        return "is there twice";
    }
    if (terrain->about == NULL || strlen(terrain->about) > ABOUT_BYTES) {
        return "is described by nothing or by more than 200 bytes";
    }
    if (!ckbench_terrain_has_layers(terrain)) {
        return "has layers that are not 1 to 8 different ones of [a-z0-9-]{1,32}";
    }
    return terrain->open == NULL || terrain->call == NULL ? "has no open or no call" : NULL;
}

uint64_t ckbench_list_terrains(void)
{
    uint64_t lines = 0;
    for (const struct ckbench_terrain *at = ckbench_terrains; at != NULL; at = at->next, lines++) {
        struct ckbench_line line;
        ckbench_line_begin(&line, "terrain");
        ckbench_line_text(&line, "name", at->name);
        ckbench_line_text(&line, "about", at->about);
        ckbench_line_list_begin(&line, "layers");
        for (size_t i = 0; at->layers[i] != NULL; i++) {
            (void)ckbench_line_list_item(&line, at->layers[i]);
        }
        ckbench_line_list_end(&line);
        (void)ckbench_line_send(&line);
    }
    return lines;
}

const char *ckbench_terrain_check(char *fault, size_t room)
{
    for (const struct ckbench_terrain *at = ckbench_terrains; at != NULL; at = at->next) {
        const char *reason = ckbench_terrain_fault(at);
        if (reason != NULL) {
            snprintf(fault, room, "terrain '%.80s' %s", at->name, reason);
            return fault;
        }
    }
    return NULL;
}
