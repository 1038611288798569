// SPDX-License-Identifier: MIT
// Most of a newcomer's mistakes are made here, so each has a line of its own.
#include "store/checkout.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool join(char out[PATH_MAX], const char *dir, const char *name, struct fault *fault)
{
    int len = snprintf(out, PATH_MAX, "%s/%s", dir, name);
    return (len > 0 && len < PATH_MAX) || fault_set(fault, "%.100s...: the path is too long", dir);
}

static bool open_root(const char *dir, char root[PATH_MAX], struct fault *fault)
{
    struct stat st;
    if (realpath(dir, root) == NULL || stat(root, &st) != 0) {
        root[0] = '\0';
        return fault_set(fault, "%s: %s", dir, strerror(errno));
    }
    if (!S_ISDIR(st.st_mode)) {
        root[0] = '\0';
        return fault_set(fault, "%s is no directory: name a built checkout", dir);
    }
    return true;
}

static bool read_manifest(struct checkout *out, bool required, struct fault *fault)
{
    char path[PATH_MAX];
    if (!join(path, out->root, "ckbench.json", fault)) {
        return false;
    }
    if (access(path, F_OK) != 0) {
        bool ok =
            !required || fault_set(fault,
                                   "%s has no ckbench.json: name a checkout that has one, or a "
                                   "program with --subject",
                                   out->root);
        out->root[0] = '\0';
        return ok;
    }
    out->has_manifest = manifest_read(path, &out->manifest, fault);
    return out->has_manifest;
}

static bool find_subject(struct checkout *out, const char *subject, struct fault *fault)
{
    char path[PATH_MAX];
    if (subject != NULL) {
        return realpath(subject, out->subject) != NULL ||
               fault_set(fault, "%s: %s", subject, strerror(errno));
    }
    if (!join(path, out->root, out->manifest.subject, fault)) {
        return false;
    }
    if (realpath(path, out->subject) == NULL) {
        const char *build = out->manifest.build;
        return fault_set(fault, "%s is not built: %s is missing%s%s", out->root,
                         out->manifest.subject, build != NULL ? "; there, run: " : "",
                         build != NULL ? build : "");
    }
    return true;
}

bool checkout_open(const char *dir, const char *subject, struct checkout *out, struct fault *fault)
{
    memset(out, 0, sizeof *out);
    bool ok = open_root(dir, out->root, fault) && read_manifest(out, subject == NULL, fault) &&
              find_subject(out, subject, fault);
    if (!ok) {
        checkout_close(out);
    }
    return ok;
}

void checkout_close(struct checkout *checkout)
{
    if (checkout->has_manifest) {
        manifest_release(&checkout->manifest);
    }
    memset(checkout, 0, sizeof *checkout);
}
