// SPDX-License-Identifier: MIT
// The paths of the program. They enter themselves before main() starts, in link order; sorting
// them by name makes the order of answers independent of it. Nothing here allocates, so that the
// heap a path meets is the same however many paths there are.
#include "kit.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 64, WORD_BYTES = 32, WORDS = 16, ABOUT_BYTES = 200 };

static struct ckbench_path *ckbench_paths;

void ckbench_register(struct ckbench_path *path)
{
    struct ckbench_path **at = &ckbench_paths;
    while (*at != NULL && strcmp((*at)->name, path->name) < 0) {
        at = &(*at)->next;
    }
    path->next = *at;
    *at = path;
}

struct ckbench_path *ckbench_registry_first(void)
{
    return ckbench_paths;
}

const struct ckbench_path *ckbench_registry_find(const char *name, size_t len)
{
    for (const struct ckbench_path *path = ckbench_paths; path != NULL; path = path->next) {
        if (strlen(path->name) == len && memcmp(path->name, name, len) == 0) {
            return path;
        }
    }
    return ckbench_self_find(name, len);
}

static const char *ckbench_chosen_shape = "", *ckbench_chosen_operation = "";

void ckbench_choose(const char *shape, const char *operation)
{
    ckbench_chosen_shape = shape != NULL ? shape : "";
    ckbench_chosen_operation = operation != NULL ? operation : "";
}

const char *ckbench_shape(void)
{
    return ckbench_chosen_shape;
}

const char *ckbench_operation(void)
{
    return ckbench_chosen_operation;
}

static bool ckbench_is_word(const char *word, size_t room, char joint)
{
    size_t len = strlen(word);
    for (size_t i = 0; i < len; i++) {
        char c = word[i];
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == joint)) {
            return false;
        }
    }
    return len > 0 && len <= room;
}

static bool ckbench_are_words(const char *const *words)
{
    size_t count = 0;
    while (words != NULL && words[count] != NULL) {
        if (!ckbench_is_word(words[count], WORD_BYTES, '-')) {
            return false;
        }
        count++;
    }
    return count <= WORDS;
}

static bool ckbench_are_phases(const struct ckbench_phase *phases)
{
    size_t count = 0;
    while (phases != NULL && phases[count].name != NULL) {
        if (!ckbench_is_word(phases[count].name, WORD_BYTES, '-') || phases[count].run == NULL) {
            return false;
        }
        count++;
    }
    return count <= WORDS;
}

static bool ckbench_is_extra(const struct ckbench_extra *extra)
{
    return ckbench_are_words(extra->shapes) && ckbench_are_words(extra->operations) &&
           ckbench_are_phases(extra->phases);
}

static const char *ckbench_path_fault(const struct ckbench_path *path)
{
    if (path->size != sizeof *path) {
        return "is compiled against another version of ckbench/subject.h than the kit";
    }
    if (!ckbench_is_word(path->name, NAME_BYTES, '_')) {
        return "has a name that is not [a-z0-9_]{1,64}";
    }
    if (strncmp(path->name, ckbench_self_prefix, strlen(ckbench_self_prefix)) == 0) {
        return "has a name that is kept for the kit's self-test";
    }
    if (path->next != NULL && strcmp(path->name, path->next->name) == 0) {
        return "is there twice";
    }
    if (path->about == NULL || strlen(path->about) > ABOUT_BYTES) {
        return "is described by nothing or by more than 200 bytes";
    }
    if (path->op == NULL) {
        return "has no op";
    }
    if (path->extra != NULL && !ckbench_is_extra(path->extra)) {
        return "has shapes, operations or phases that are not at most 16 of [a-z0-9-]{1,32}";
    }
    return NULL;
}

const char *ckbench_registry_check(char *fault, size_t room)
{
    for (const struct ckbench_path *path = ckbench_paths; path != NULL; path = path->next) {
        const char *reason = ckbench_path_fault(path);
        if (reason != NULL) {
            snprintf(fault, room, "path '%.80s' %s", path->name, reason);
            return fault;
        }
    }
    return NULL;
}
