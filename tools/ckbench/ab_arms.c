// SPDX-License-Identifier: MIT
// A variable that nobody reads makes a perfect "no difference", so what can be known to be misspelt
// is refused here; what cannot is looked at in a process (measure/ab_proof.h).
#include "ab_arms.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/nearest.h"
#include "measure/ab_proof.h"

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

// A slash makes it a file, which must be there; else the linker looks for it.
static bool add_real_library(char *out, const char *name, const char *arm, struct fault *fault)
{
    char real[PATH_MAX];
    if (strchr(name, '/') != NULL) {
        if (realpath(name, real) == NULL) {
            return fault_set(fault, "arm %s: %.200s: %s", arm, name, strerror(errno));
        }
        name = real;
    }
    size_t len = strlen(out);
    (void)snprintf(out + len, AB_TEXT_ROOM - len, "%s%s", out[len - 1] != '=' ? ":" : "", name);
    return true;
}

static bool resolve_preload(const char *value, char *out, const char *arm, struct fault *fault)
{
    char name[PATH_MAX];
    (void)snprintf(out, AB_TEXT_ROOM, "LD_PRELOAD=");
    while (*value != '\0') {
        size_t len = strcspn(value, " :");
        (void)snprintf(name, sizeof name, "%.*s", (int)len, value);
        if (len > 0 && !add_real_library(out, name, arm, fault)) {
            return false;
        }
        value += len + (value[len] != '\0');
    }
    return true;
}

static bool check_name(const char *variable, const char *arm, struct fault *fault)
{
    size_t len = strcspn(variable, "=");
    bool is_name = len > 0 && variable[len] == '=' && !isdigit((unsigned char)variable[0]);
    for (size_t i = 0; i < len; i++) {
        is_name = is_name && (isalnum((unsigned char)variable[i]) || variable[i] == '_');
    }
    if (!is_name) {
        return fault_set(fault, "arm %s: '%.80s' is not of the form K=V", arm, variable);
    }
    return !starts(variable, "CKBENCH_") ||
           fault_set(fault, "arm %s: names that start with CKBENCH_ are ckbench's own", arm);
}

static bool add_variable(struct ab_arms *arms, size_t arm, const char *variable,
                         struct fault *fault)
{
    char resolved[AB_TEXT_ROOM];
    struct ab_wish *wish = &arms->wishes[arm];
    const char *name = arms->names[arm];
    size_t len = strcspn(variable, "=") + 1;
    if (!check_name(variable, name, fault)) {
        return false;
    }
    for (size_t i = 0; i < wish->count; i++) {
        if (strncmp(wish->items[i], variable, len) == 0) {
            return fault_set(fault, "arm %s: %.*s is given twice", name, (int)len - 1, variable);
        }
    }
    if (starts(variable, "LD_PRELOAD=")) {
        if (!resolve_preload(variable + len, resolved, name, fault)) {
            return false;
        }
        variable = resolved;
    }
    if (wish->count == AB_VARIABLES_MAX || strlen(variable) >= AB_TEXT_ROOM) {
        return fault_set(fault, "arm %s: too many variables, or too long ones", name);
    }
    char *copy = strdup(variable);
    if (copy == NULL) {
        return fault_set(fault, "out of memory");
    }
    arms->texts[arms->text_count++] = copy;
    wish->items[wish->count++] = copy;
    return true;
}

// Names of MALLOC_ are the C library's, but for the one that preloaded allocators read.
static bool check_allocator_names(const struct ab_arms *arms, size_t arm, struct fault *fault)
{
    const struct ab_wish *wish = &arms->wishes[arm];
    bool has_preload = false;
    for (size_t i = 0; i < wish->count; i++) {
        has_preload = has_preload || starts(wish->items[i], "LD_PRELOAD=");
    }
    for (size_t i = 0; i < wish->count; i++) {
        char name[128];
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(wish->items[i], "="),
                       wish->items[i]);
        if (!starts(name, "MALLOC_") || ab_is_glibc_malloc(name) ||
            (has_preload && strcmp(name, "MALLOC_CONF") == 0)) {
            continue;
        }
        size_t count = 0;
        while (ab_glibc_malloc_names[count] != NULL) {
            count++;
        }
        const char *near = nearest_word(name, ab_glibc_malloc_names, count);
        return fault_set(fault, "arm %s: the C library reads no %.80s%s%s%s", arms->names[arm],
                         name, near != NULL ? "; did you mean " : "", near != NULL ? near : "",
                         near != NULL ? "?" : "");
    }
    return true;
}

static bool add_arm(struct ab_arms *arms, const char *name, size_t len, const char *subject,
                    struct fault *fault)
{
    if (arms->count == AB_ARMS_MAX) {
        return fault_set(fault, "more than %d arms", AB_ARMS_MAX);
    }
    char *own = arms->names[arms->count];
    (void)snprintf(own, AB_NAME_ROOM, "%.*s", (int)len, name);
    for (size_t i = 0; i < arms->count; i++) {
        if (strcmp(arms->names[i], own) == 0) {
            return fault_set(fault, "two arms are called %s", own);
        }
    }
    arms->wishes[arms->count].program_bytes = strlen(subject);
    arms->subjects[arms->count++] = subject;
    return true;
}

// Up to a comma without a backslash before it; how much of `text` that was.
static size_t cut_item(const char *text, char *out)
{
    size_t at = 0, len = 0;
    for (; text[at] != '\0' && text[at] != ','; at++) {
        at += text[at] == '\\' && text[at + 1] == ',';
        if (len < AB_TEXT_ROOM - 1) {
            out[len++] = text[at];
        }
    }
    out[len] = '\0';
    return at;
}

static bool is_arm_name(const char *text, size_t len)
{
    bool is_name = len > 0 && len < AB_NAME_ROOM && text[len] == ':';
    for (size_t i = 0; i < len; i++) {
        is_name = is_name && (isalnum((unsigned char)text[i]) || strchr("_-.", text[i]) != NULL);
    }
    return is_name;
}

static bool read_named(struct ab_arms *arms, const char *text, const char *subject,
                       struct fault *fault)
{
    size_t len = strcspn(text, ":=,");
    size_t arm = arms->count;
    char item[AB_TEXT_ROOM];
    if (!is_arm_name(text, len)) {
        return fault_set(fault, "--arm: '%.80s' is not of the form NAME:K=V,K=V", text);
    }
    if (!add_arm(arms, text, len, subject, fault)) {
        return false;
    }
    for (text += len + 1; *text != '\0';) {
        text += cut_item(text, item);
        text += *text == ',';
        if (!add_variable(arms, arm, item, fault)) {
            return false;
        }
    }
    return arms->wishes[arm].count > 0 ||
           fault_set(fault, "arm %s: no variables", arms->names[arm]);
}

static bool read_candidate(const struct ab_options *o, const struct ab_subjects *subjects,
                           struct ab_arms *arms, struct fault *fault)
{
    char preload[AB_TEXT_ROOM];
    size_t arm = arms->count;
    bool is_asked = o->candidate_env.count > 0 || o->candidate_preload != NULL ||
                    o->candidate_subject != NULL ||
                    ((o->base != NULL || o->base_rev != NULL) && o->arms.count == 0);
    if (!is_asked) {
        return true;
    }
    if (!add_arm(arms, "candidate", strlen("candidate"), subjects->candidate, fault)) {
        return false;
    }
    if (o->candidate_preload != NULL) {
        (void)snprintf(preload, sizeof preload, "LD_PRELOAD=%s", o->candidate_preload);
        if (!add_variable(arms, arm, preload, fault)) {
            return false;
        }
    }
    for (size_t i = 0; i < o->candidate_env.count; i++) {
        if (!add_variable(arms, arm, o->candidate_env.items[i], fault)) {
            return false;
        }
    }
    return true;
}

// Arms that are the base with more calls than are told.
static bool add_injected(const char *subject, struct ab_arms *arms, struct fault *fault)
{
    static const struct {
        const char *name;
        int64_t ppm;
    } injections[] = {{"more-0.5", 5000}, {"more-1", 10000}, {"more-2", 20000}, {"more-5", 50000}};
    for (size_t i = 0; i < sizeof injections / sizeof injections[0]; i++) {
        arms->injected_ppm[arms->count] = injections[i].ppm;
        if (!add_arm(arms, injections[i].name, strlen(injections[i].name), subject, fault)) {
            return false;
        }
    }
    return true;
}

static bool read_all(const struct ab_options *o, const struct ab_subjects *subjects,
                     struct ab_arms *arms, struct fault *fault)
{
    if (!add_arm(arms, "base", strlen("base"), subjects->base, fault) ||
        !add_arm(arms, "base-again", strlen("base-again"), subjects->base, fault) ||
        !read_candidate(o, subjects, arms, fault) ||
        (o->selftest && !add_injected(subjects->base, arms, fault))) {
        return false;
    }
    for (size_t i = 0; i < o->arms.count; i++) {
        if (!read_named(arms, o->arms.items[i], subjects->head, fault)) {
            return false;
        }
    }
    for (size_t i = 0; i < arms->count; i++) {
        if (!check_allocator_names(arms, i, fault)) {
            return false;
        }
    }
    return true;
}

bool ab_arms_read(const struct ab_options *options, const struct ab_subjects *subjects,
                  struct ab_arms *arms, struct fault *fault)
{
    memset(arms, 0, sizeof *arms);
    if (!read_all(options, subjects, arms, fault) ||
        !ab_env_build(arms->wishes, arms->count, arms->envs, fault)) {
        return false;
    }
    for (size_t i = 0; i < arms->count; i++) {
        const char *const *env = (const char *const *)arms->envs[i];
        arms->starters[i] =
            (struct ab_starter){arms->subjects[i], env, ab_env_find(env, "LD_PRELOAD") != NULL};
    }
    return true;
}

void ab_arms_release(struct ab_arms *arms)
{
    for (size_t i = 0; i < arms->text_count; i++) {
        free(arms->texts[i]);
    }
    for (size_t i = 0; i < AB_ARMS_MAX; i++) {
        ab_env_free(arms->envs[i]);
    }
    memset(arms, 0, sizeof *arms);
}
