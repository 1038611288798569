// SPDX-License-Identifier: MIT
// A commit is fetched into a fresh repository rather than cloned: that works from shallow
// checkouts and for commits that no branch holds, copies one tree instead of all history, and takes
// neither hooks nor settings with it.
#include "measure/git.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/clean_command.h"

enum { ANSWER_MS = 60 * 1000, FETCH_MS = 30 * 60 * 1000, SHA256_DIGITS = 64 };

#define GIT                                                                                        \
    "git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c",                   \
        "advice.detachedHead=false"

static const char take[] =
    "set -e; top=$1 commit=$2 dir=$3 format=$4; "
    "g() { git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c advice.detachedHead=false "
    "-c init.defaultBranch=base -c gc.auto=0 \"$@\"; }; "
    "g init -q --template= --object-format=\"$format\" \"$dir\"; "
    "cd \"$dir\"; "
    "g fetch -q --no-tags --depth=1 --no-recurse-submodules "
    "--upload-pack='git -c uploadpack.allowAnySHA1InWant=true upload-pack' \"$top\" \"$commit\"; "
    "g checkout -q --detach \"$commit\"; "
    "if g ls-files -s | grep -q '^160000 '; then echo submodules; fi; "
    "if g ls-files ':(attr:filter=lfs)' | grep -q .; then echo lfs; fi";

// Why git did not do it, in one line.
static bool blame(int status, const char *what, const struct scratch *scratch, struct fault *fault)
{
    char *line = command_complaint(scratch);
    if (status == COMMAND_NOT_FOUND) {
        (void)fault_set(fault, "git is not in PATH; install it (Debian: apt-get install git)");
    } else {
        (void)fault_set(fault, "%s: %.300s", what, line != NULL ? line : "git gave no reason");
    }
    free(line);
    return false;
}

static bool take_line(const char **at, char *out, size_t room)
{
    size_t len = strcspn(*at, "\n");
    if ((*at)[len] != '\n' || len >= room) {
        return false;
    }
    memcpy(out, *at, len);
    out[len] = '\0';
    *at += len + 1;
    return true;
}

bool git_place_of(const char *dir, const struct scratch *scratch, struct git_place *place,
                  struct fault *fault)
{
    const struct command command = {
        .words = {GIT, "rev-parse", "--show-toplevel", "--show-prefix", "--is-shallow-repository"},
        .dir = dir,
        .is_git = true,
        .timeout_ms = ANSWER_MS};
    char shallow[8] = "";
    int status;
    if (!command_run(&command, scratch, &status, fault)) {
        return false;
    }
    if (status != 0) {
        return blame(status, "this directory is in no git checkout", scratch, fault);
    }
    char *text = command_out(scratch);
    const char *at = text;
    bool ok = text != NULL && take_line(&at, place->top, sizeof place->top) &&
              take_line(&at, place->prefix, sizeof place->prefix) &&
              take_line(&at, shallow, sizeof shallow);
    free(text);
    place->is_shallow = strcmp(shallow, "true") == 0;
    return ok || fault_set(fault, "git does not say where its checkout is");
}

static bool is_hash(const char *text)
{
    size_t len = strspn(text, "0123456789abcdef");
    return text[len] == '\0' && (len == 40 || len == SHA256_DIGITS);
}

static enum git_found absent(const struct git_place *place, const char *rev, struct fault *fault)
{
    (void)(place->is_shallow
               ? fault_set(fault,
                           "%.100s is not in this shallow clone: git fetch --depth 1 origin HASH "
                           "brings one commit, git fetch --unshallow all",
                           rev)
               : fault_set(fault,
                           "%.100s names no commit here: git log --all shows which there are",
                           rev));
    return GIT_ABSENT;
}

enum git_found git_commit_of(const struct git_place *place, const char *rev,
                             const struct scratch *scratch, char commit[GIT_COMMIT_SIZE],
                             struct fault *fault)
{
    char *wanted = NULL;
    int status;
    if (rev[0] == '-' || rev[0] == '^') {
        return absent(place, rev, fault);
    }
    if (asprintf(&wanted, "%s^{commit}", rev) < 0) {
        return fault_set(fault, "out of memory") ? GIT_FOUND : GIT_FAILED;
    }
    const struct command command = {.words = {GIT, "rev-parse", "--quiet", "--verify", wanted},
                                    .dir = place->top,
                                    .is_git = true,
                                    .timeout_ms = ANSWER_MS};
    bool ran = command_run(&command, scratch, &status, fault);
    free(wanted);
    if (!ran) {
        return GIT_FAILED;
    }
    if (status != 0) {
        return absent(place, rev, fault);
    }
    char *text = command_out(scratch);
    const char *at = text;
    bool ok = text != NULL && take_line(&at, commit, GIT_COMMIT_SIZE) && is_hash(commit);
    free(text);
    return ok || fault_set(fault, "git does not say which commit %.100s is", rev) ? GIT_FOUND
                                                                                  : GIT_FAILED;
}

enum git_found git_has(const struct git_place *place, const char *commit, const char *name,
                       const struct scratch *scratch, struct fault *fault)
{
    char *path = NULL;
    int status;
    if (asprintf(&path, "%s%s", place->prefix, name) < 0) {
        return fault_set(fault, "out of memory") ? GIT_FOUND : GIT_FAILED;
    }
    const struct command command = {
        .words = {GIT, "ls-tree", "--name-only", "--full-tree", commit, "--", path},
        .dir = place->top,
        .is_git = true,
        .timeout_ms = ANSWER_MS};
    bool ran = command_run(&command, scratch, &status, fault);
    free(path);
    if (!ran || (status != 0 && !blame(status, "the files of the base", scratch, fault))) {
        return GIT_FAILED;
    }
    char *text = command_out(scratch);
    bool found = text != NULL && text[0] != '\0';
    free(text);
    return found ? GIT_FOUND : GIT_ABSENT;
}

bool git_take(const struct git_place *place, const char *commit, const char *dir,
              const struct scratch *scratch, bool *has_lfs, struct fault *fault)
{
    const char *format = strlen(commit) == SHA256_DIGITS ? "sha256" : "sha1";
    const struct command command = {
        .words = {"/bin/sh", "-c", take, "sh", place->top, commit, dir, format},
        .dir = place->top,
        .is_git = true,
        .timeout_ms = FETCH_MS};
    int status;
    if (!command_run(&command, scratch, &status, fault)) {
        return false;
    }
    if (status != 0) {
        return blame(status, "the base could not be fetched from this checkout", scratch, fault);
    }
    char *text = command_out(scratch);
    bool has_submodules = text != NULL && strstr(text, "submodules") != NULL;
    *has_lfs = text != NULL && strstr(text, "lfs") != NULL;
    free(text);
    return !has_submodules ||
           fault_set(fault,
                     "%.12s has submodules, which are not fetched: build it in a clone with "
                     "them, and name that by --base",
                     commit);
}
