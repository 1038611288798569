// SPDX-License-Identifier: MIT
// Three witnesses: the dynamic linker's own list of tunables under that environment, its log of a
// real start (which objects were initialised, what `malloc` was bound to), and build ids.
#include "measure/ab_proof.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/ab_linker.h"
#include "measure/elf.h"

static const struct {
    const char *variable, *tunable;
} settings[] = {
    {"MALLOC_CHECK_", "glibc.malloc.check"},
    {"MALLOC_TOP_PAD_", "glibc.malloc.top_pad"},
    {"MALLOC_PERTURB_", "glibc.malloc.perturb"},
    {"MALLOC_MMAP_MAX_", "glibc.malloc.mmap_max"},
    {"MALLOC_MMAP_THRESHOLD_", "glibc.malloc.mmap_threshold"},
    {"MALLOC_TRIM_THRESHOLD_", "glibc.malloc.trim_threshold"},
    {"MALLOC_ARENA_MAX", "glibc.malloc.arena_max"},
    {"MALLOC_ARENA_TEST", "glibc.malloc.arena_test"},
};
enum { SETTINGS = sizeof settings / sizeof settings[0], NAME_ROOM = 128 };

const char *const ab_glibc_malloc_names[] = {
    "MALLOC_CHECK_",    "MALLOC_TOP_PAD_",        "MALLOC_PERTURB_",
    "MALLOC_MMAP_MAX_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_",
    "MALLOC_ARENA_MAX", "MALLOC_ARENA_TEST",      NULL};

static const char *tunable_of(const char *variable)
{
    size_t len = strcspn(variable, "=");
    for (size_t i = 0; i < SETTINGS; i++) {
        if (strlen(settings[i].variable) == len &&
            strncmp(settings[i].variable, variable, len) == 0) {
            return settings[i].tunable;
        }
    }
    return NULL;
}

bool ab_is_glibc_malloc(const char *name)
{
    return tunable_of(name) != NULL;
}

struct look {
    const struct ab_claim *claim;
    const struct scratch *scratch;
    char *tunables; // the linker's list; NULL: it has none
    char *log;      // of a start; "": the linker wrote none
    bool is_doubtful;
    bool is_shown; // something was seen to take effect
    struct fault *fault;
};

static enum ab_finding refuse(struct look *look, enum ab_finding finding, const char *what,
                              const char *why)
{
    (void)fault_set(look->fault, "arm %s: %.200s: %.200s", look->claim->arm, what, why);
    return finding;
}

static bool read_number(const char *text, size_t len, uint64_t *out)
{
    char copy[NAME_ROOM], *end = NULL;
    if (len == 0 || len >= sizeof copy || text[0] < '0' || text[0] > '9') {
        return false;
    }
    memcpy(copy, text, len);
    copy[len] = '\0';
    errno = 0;
    *out = strtoull(copy, &end, 0);
    return errno == 0 && *end == '\0';
}

// One setting against the linker's list.
static enum ab_finding check_setting(struct look *look, const char *tunable, size_t name_len,
                                     const char *value, size_t value_len)
{
    char name[NAME_ROOM], why[NAME_ROOM];
    uint64_t asked, seen;
    (void)snprintf(name, sizeof name, "%.*s", (int)name_len, tunable);
    if (!read_number(value, value_len, &asked)) {
        return refuse(look, AB_WRONG, name, "its value must be a whole number");
    }
    if (look->tunables == NULL) {
        look->is_doubtful = true;
        return AB_TOOK_EFFECT;
    }
    size_t len = 0;
    const char *shown = ab_linker_tunable(look->tunables, name, &len);
    if (shown == NULL) {
        return refuse(look, AB_WRONG, name, "the C library knows no such setting");
    }
    if (!read_number(shown, len, &seen) || seen != asked) {
        (void)snprintf(why, sizeof why, "asked for %.*s, the C library took %.*s", (int)value_len,
                       value, (int)len, shown);
        return refuse(look, AB_WRONG, name, why);
    }
    look->is_shown = true;
    return AB_TOOK_EFFECT;
}

static enum ab_finding check_tunables(struct look *look, const char *value)
{
    while (*value != '\0') {
        size_t len = strcspn(value, ":"), name_len = strcspn(value, "=:");
        if (name_len >= len) {
            return refuse(look, AB_WRONG, "GLIBC_TUNABLES", "is written name=value:name=value");
        }
        enum ab_finding finding =
            check_setting(look, value, name_len, value + name_len + 1, len - name_len - 1);
        if (finding != AB_TOOK_EFFECT) {
            return finding;
        }
        value += len + (value[len] == ':');
    }
    return AB_TOOK_EFFECT;
}

// A setting of glibc's allocator is idle where another allocator answers.
static enum ab_finding check_owner(struct look *look, const char *variable)
{
    char owner[PATH_MAX];
    if (look->log[0] == '\0' || !ab_linker_binding(look->log, "malloc", owner)) {
        look->is_doubtful = true;
        return AB_TOOK_EFFECT;
    }
    const char *base = strrchr(owner, '/') != NULL ? strrchr(owner, '/') + 1 : owner;
    if (strncmp(variable, "MALLOC_CHECK_", strcspn(variable, "=")) == 0) {
        return ab_linker_is_loaded(look->log, "libc_malloc_debug.so")
                   ? AB_TOOK_EFFECT
                   : refuse(look, AB_DID_NOTHING, variable,
                            "does nothing without libc_malloc_debug.so.0 preloaded");
    }
    return strncmp(base, "libc.so", 7) == 0 || strncmp(base, "libc-2", 6) == 0
               ? AB_TOOK_EFFECT
               : refuse(look, AB_DID_NOTHING, variable,
                        "does nothing: malloc is not the C "
                        "library's but another object's");
}

static enum ab_finding check_preloads(struct look *look, const char *value)
{
    static const char separators[] = " :";
    while (*value != '\0') {
        char name[PATH_MAX];
        size_t len = strcspn(value, separators);
        (void)snprintf(name, sizeof name, "%.*s", (int)len, value);
        if (len > 0 && look->log[0] == '\0') {
            look->is_doubtful = true;
        } else if (len > 0 && !ab_linker_is_loaded(look->log, name)) {
            return refuse(look, AB_DID_NOTHING, name, "is not loaded by the program");
        } else {
            look->is_shown = look->is_shown || len > 0;
        }
        value += len + (value[len] != '\0');
    }
    return AB_TOOK_EFFECT;
}

static enum ab_finding check_variable(struct look *look, const char *variable)
{
    const char *value = variable + strcspn(variable, "=") + 1;
    const char *tunable = tunable_of(variable);
    if (tunable != NULL) {
        enum ab_finding finding =
            check_setting(look, tunable, strlen(tunable), value, strlen(value));
        return finding == AB_TOOK_EFFECT ? check_owner(look, variable) : finding;
    }
    if (strncmp(variable, "GLIBC_TUNABLES=", 15) == 0) {
        return check_tunables(look, value);
    }
    if (strncmp(variable, "LD_PRELOAD=", 11) == 0) {
        return check_preloads(look, value);
    }
    look->is_doubtful = true;
    return AB_TOOK_EFFECT;
}

static const char *file_name(const char *path)
{
    return strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
}

// The base's object of the same file name; the programs themselves may have other names.
static bool find_twin(const struct look *look, const char *base_log, const char *object,
                      char twin[PATH_MAX])
{
    const struct ab_claim *c = look->claim;
    if (strcmp(object, c->subject) == 0) {
        (void)snprintf(twin, PATH_MAX, "%s", c->base_subject);
        return true;
    }
    for (const char *at = base_log; ab_linker_next(&at, twin);) {
        if (strcmp(file_name(twin), file_name(object)) == 0) {
            return true;
        }
    }
    return false;
}

enum likeness { LIKE, UNLIKE, NOBODY_KNOWS };

static enum likeness compare_objects(const char *object, const char *twin)
{
    struct elf_image a, b;
    struct fault ignored;
    enum likeness likeness = NOBODY_KNOWS;
    if (strcmp(object, twin) == 0) {
        return LIKE;
    }
    bool is_read = elf_read(object, &a, &ignored);
    is_read = elf_read(twin, &b, &ignored) && is_read;
    if (is_read && a.build_id[0] != '\0' && b.build_id[0] != '\0') {
        likeness = strcmp(a.build_id, b.build_id) == 0 ? LIKE : UNLIKE;
    }
    elf_release(&a);
    elf_release(&b);
    return likeness;
}

// Objects bind many symbols each, so equal neighbours are looked at once.
static enum likeness compare_builds(const struct look *look, const char *base_log)
{
    char object[PATH_MAX], last[PATH_MAX] = "", twin[PATH_MAX];
    enum likeness all = LIKE;
    for (const char *at = look->log; ab_linker_next(&at, object);) {
        if (strcmp(object, last) == 0) {
            continue;
        }
        (void)snprintf(last, sizeof last, "%s", object);
        enum likeness one =
            find_twin(look, base_log, object, twin) ? compare_objects(object, twin) : UNLIKE;
        if (one == UNLIKE) {
            return UNLIKE;
        }
        all = one == NOBODY_KNOWS ? one : all;
    }
    return all;
}

static enum ab_finding check_build(struct look *look)
{
    const struct ab_claim *c = look->claim;
    char *base_log = NULL;
    if (strcmp(c->subject, c->base_subject) == 0) {
        return c->wish->count > 0
                   ? AB_TOOK_EFFECT
                   : refuse(look, AB_DID_NOTHING, c->subject, "is the base's own program");
    }
    if (!ab_linker_log(c->base_subject, c->base_env, look->scratch, &base_log, look->fault)) {
        return AB_DID_NOTHING;
    }
    enum likeness likeness = compare_objects(c->subject, c->base_subject);
    if (likeness != UNLIKE && look->log[0] != '\0' && base_log[0] != '\0') {
        likeness = compare_builds(look, base_log);
    }
    free(base_log);
    look->is_shown = look->is_shown || likeness == UNLIKE;
    look->is_doubtful = look->is_doubtful || likeness == NOBODY_KNOWS;
    return likeness == LIKE && c->wish->count == 0
               ? refuse(look, AB_DID_NOTHING, c->subject, "is the same build as the base")
               : AB_TOOK_EFFECT;
}

static enum ab_finding check_all(struct look *look)
{
    const struct ab_claim *c = look->claim;
    enum ab_finding finding = check_build(look);
    for (size_t i = 0; i < c->wish->count && finding == AB_TOOK_EFFECT; i++) {
        finding = check_variable(look, c->wish->items[i]);
    }
    if (finding != AB_TOOK_EFFECT) {
        return finding;
    }
    return look->is_doubtful || !look->is_shown ? AB_CANNOT_TELL : AB_TOOK_EFFECT;
}

enum ab_finding ab_prove(const struct ab_claim *claim, const struct scratch *scratch,
                         struct fault *fault)
{
    struct look look = {.claim = claim, .scratch = scratch, .fault = fault};
    enum ab_finding finding = AB_DID_NOTHING;
    if (ab_linker_list(claim->subject, claim->env, scratch, &look.tunables, fault) &&
        ab_linker_log(claim->subject, claim->env, scratch, &look.log, fault)) {
        finding = check_all(&look);
    }
    free(look.tunables);
    free(look.log);
    return finding;
}
