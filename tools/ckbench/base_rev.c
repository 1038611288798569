// SPDX-License-Identifier: MIT
// Resolve, look into the cache, fetch, lay over, build, mark complete. A base that does not build
// is an error, with one exception: a commit from before the manifest, which the first pull request
// with a subject is set against.
#include "base_rev.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base_overlay.h"
#include "cli/exit.h"
#include "cli/say.h"
#include "cli/tool.h"
#include "measure/clean_command.h"
#include "measure/interrupt.h"
#include "measure/tail.h"
#include "store/sha256.h"

enum { BUILD_MS = 60 * 60 * 1000 };

struct making {
    const char *rev;
    const struct scratch *scratch;
    struct git_place place;
    struct base_overlay overlay; // of a base without a manifest
    bool is_laid_over;
    bool has_lfs;
    struct base_rev *base;
};

static void tell_waiting(void)
{
    say("another run is building the same base: waiting for it");
}

// Everything that decides what the built base is like.
static bool make_key(const struct making *m, char key[BASE_KEY_SIZE], struct fault *fault)
{
    char *conditions = command_conditions(), *text = NULL, sum[SHA256_TEXT_SIZE];
    const char *commit = tool_commit();
    int len = conditions == NULL
                  ? -1
                  : asprintf(&text, "%s\n%s\n%s\n%s\n%s\n%s", m->base->commit, m->place.prefix,
                             m->is_laid_over ? m->overlay.digest : "", tool_version(),
                             commit != NULL ? commit : "", conditions);
    free(conditions);
    if (len < 0) {
        return fault_set(fault, "out of memory");
    }
    sha256_text(text, (size_t)len, sum);
    (void)snprintf(key, BASE_KEY_SIZE, "%.*s", BASE_KEY_SIZE - 1, sum);
    free(text);
    return true;
}

// A base without a manifest borrows head's.
static bool choose_manifest(struct making *m, const struct checkout *head, struct fault *fault)
{
    enum git_found found = git_has(&m->place, m->base->commit, "ckbench.json", m->scratch, fault);
    if (found != GIT_ABSENT) {
        return found == GIT_FOUND;
    }
    if (!head->has_manifest) {
        return fault_set(fault,
                         "neither %.12s nor this directory has a ckbench.json: ckbench init "
                         "writes one",
                         m->base->commit);
    }
    m->is_laid_over = base_overlay_open(head, m->scratch, &m->overlay, fault);
    return m->is_laid_over;
}

static bool name_root(struct making *m, struct fault *fault)
{
    struct base_rev *base = m->base;
    size_t prefix = strlen(m->place.prefix);
    int len = snprintf(base->root, sizeof base->root, "%s%s%.*s", base->entry.tree,
                       prefix > 0 ? "/" : "", prefix > 0 ? (int)prefix - 1 : 0, m->place.prefix);
    return (len > 0 && (size_t)len < sizeof base->root) ||
           fault_set(fault, "%.100s...: the path is too long", base->entry.tree);
}

static bool fetch(struct making *m, struct fault *fault)
{
    struct base_rev *base = m->base;
    if (!git_take(&m->place, base->commit, base->entry.tree, m->scratch, &m->has_lfs, fault)) {
        return false;
    }
    if (m->has_lfs) {
        say("%.12s has files of git-lfs: in the base they stay pointers", base->commit);
    }
    return !m->is_laid_over || base_overlay_write(&m->overlay, base->root, fault);
}

// The first of the last lines that names an error, or the last of all.
static char *telling_line(const char *log)
{
    enum { LINES = 30 };
    char *text = tail_read(log, 0, LINES), *last = text, *rest = NULL;
    if (text == NULL) {
        return NULL;
    }
    for (char *at = strtok_r(text, "\n", &rest); at != NULL; at = strtok_r(NULL, "\n", &rest)) {
        last = at;
        if (strstr(at, "error:") != NULL || strstr(at, "Error ") != NULL) {
            break;
        }
    }
    char *line = strdup(last);
    free(text);
    return line;
}

static bool blame_build(const struct making *m, int status, const char *build, struct fault *fault)
{
    char *line = telling_line(m->base->entry.log);
    (void)fault_set(fault,
                    "the base %.12s does not build: `%.80s` ended with %d%s%.120s; see %.200s",
                    m->base->commit, build, status, line != NULL ? ": " : "",
                    line != NULL ? line : "", m->base->entry.log);
    free(line);
    return false;
}

static bool run_build(const struct making *m, const char *build, struct fault *fault)
{
    const struct base_rev *base = m->base;
    const struct command command = {.words = {"/bin/sh", "-c", build},
                                    .dir = base->root,
                                    .log = base->entry.log,
                                    .timeout_ms = BUILD_MS};
    struct fault why;
    int status = 0;
    say("building the base %.12s (%.60s)%s; its output: %s", base->commit, m->rev,
        m->is_laid_over ? ", which has no ckbench.json, with this checkout's subject" : "",
        base->entry.log);
    if (!command_run(&command, m->scratch, &status, &why)) {
        return interrupt_seen() != 0
                   ? fault_set(fault, "%s", why.text)
                   : fault_set(fault, "the base %.12s does not build: %s; see %.200s", base->commit,
                               why.text, base->entry.log);
    }
    return status == 0 || blame_build(m, status, build, fault);
}

// A manifest without a command needs none: then its subject is there already, or it is missing.
static bool build(const struct making *m, struct fault *fault)
{
    char path[PATH_MAX];
    struct manifest manifest;
    struct checkout built;
    int len = snprintf(path, sizeof path, "%s/ckbench.json", m->base->root);
    if (len < 0 || (size_t)len >= sizeof path || !manifest_read(path, &manifest, fault)) {
        return len >= 0 && (size_t)len < sizeof path
                   ? false
                   : fault_set(fault, "%.100s...: the path is too long", m->base->root);
    }
    bool ok = manifest.build == NULL || run_build(m, manifest.build, fault);
    if (ok && !checkout_open(m->base->root, NULL, &built, fault)) {
        ok = fault_set(fault, "the base %.12s does not build its subject %.100s%s%.200s",
                       m->base->commit, manifest.subject,
                       manifest.build != NULL ? "; see " : ": its ckbench.json names no command",
                       manifest.build != NULL ? m->base->entry.log : "");
    } else if (ok) {
        checkout_close(&built);
    }
    manifest_release(&manifest);
    return ok;
}

static bool make(struct making *m, struct fault *fault)
{
    struct base_rev *base = m->base;
    char key[BASE_KEY_SIZE];
    if (!make_key(m, key, fault) || !base_cache_open(key, tell_waiting, &base->entry, fault) ||
        !name_root(m, fault)) {
        return false;
    }
    if (base->entry.is_complete) {
        return true;
    }
    if (!fetch(m, fault)) {
        return false;
    }
    if (build(m, fault)) {
        return base_cache_complete(&base->entry, fault);
    }
    base->is_adoption = m->is_laid_over && interrupt_seen() == 0;
    base->adoption = *fault;
    return base->is_adoption;
}

int base_rev_open(const char *rev, const struct checkout *head, const struct scratch *scratch,
                  struct base_rev *base, struct fault *fault)
{
    struct making m = {.rev = rev, .scratch = scratch, .base = base};
    *base = (struct base_rev){.entry = {.lock = -1}};
    if (!git_place_of(".", scratch, &m.place, fault)) {
        return EXIT_INCOMPLETE;
    }
    enum git_found found = git_commit_of(&m.place, rev, scratch, base->commit, fault);
    if (found != GIT_FOUND) {
        return found == GIT_ABSENT && !m.place.is_shallow ? EXIT_USAGE : EXIT_INCOMPLETE;
    }
    bool ok = choose_manifest(&m, head, fault) && make(&m, fault);
    base_overlay_close(&m.overlay);
    return ok ? EXIT_GOOD : EXIT_INCOMPLETE;
}

void base_rev_close(struct base_rev *base)
{
    base_cache_close(&base->entry);
}
