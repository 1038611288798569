// SPDX-License-Identifier: MIT
// The manifest decides what may pass the gate, so nothing in it is guessed: an unknown member or a
// date that does not exist is an error, not a default.
#include "store/manifest.h"

#include <stdlib.h>
#include <string.h>

#include "store/json.h"

enum { LIST_MAX = 64, PATHS_MAX = 4096, ACCEPTS_MAX = 1024, PCT_MAX_MILLI = 1000000 };

static const struct manifest_limits default_limits = {.fail_mpct = 1000, .warn_mpct = 200};

static const struct json_text_rule path_rule = {.min = 1, .max = 1024, .is_free = true};
static const struct json_text_rule reason_rule = {.min = 1, .max = 300, .is_free = true};
static const struct json_text_rule date_rule = {.min = 10, .max = 10, .extra = "-"};

static const char *const metric_words[] = {"total", "allocs", "syscalls", "gone"};
enum { METRIC_COUNT = sizeof metric_words / sizeof metric_words[0] };

const char *manifest_metric_word(enum manifest_metric metric)
{
    return metric_words[metric];
}

static bool has_dots(const char *path)
{
    for (const char *at = path; *at != '\0';) {
        size_t len = strcspn(at, "/");
        if (len == 2 && at[0] == '.' && at[1] == '.') {
            return true;
        }
        at += len + (at[len] == '/');
    }
    return false;
}

// The manifest of a base is as foreign as its code: it may not point out of its checkout.
static bool as_inner_path(const struct json_value *value, const char **out, struct fault *fault)
{
    if (!json_as_text(value, &path_rule, out, fault)) {
        return false;
    }
    if ((*out)[0] == '/' || has_dots(*out)) {
        return json_fail(value, fault, "a path inside the checkout is wanted, without '..'");
    }
    return true;
}

static bool want_inner_path(const struct json_value *object, const char *key, const char **out,
                            struct fault *fault)
{
    const struct json_value *value;
    return json_want(object, key, JSON_TEXT, &value, fault) && as_inner_path(value, out, fault);
}

// A member with items of one kind, which may be left out.
struct list {
    const char *key;
    enum json_kind kind;
    size_t max, item_size;
    const char *items; // what they are called
};

// The first item, NULL when there is none, and zeroed room for as many of ours as there are.
static bool open_list(const struct json_value *object, const struct list *list,
                      const struct json_value **first, void **room, struct fault *fault)
{
    const struct json_value *value = NULL;
    *first = NULL;
    *room = NULL;
    if (!json_may(object, list->key, list->kind, &value, fault)) {
        return false;
    }
    if (value == NULL || json_count(value) == 0) {
        return true;
    }
    if (json_count(value) > list->max) {
        return json_fail(value, fault, "more than %zu %s", list->max, list->items);
    }
    *first = json_first(value);
    *room = calloc(json_count(value), list->item_size);
    return *room != NULL || json_fail(value, fault, "no memory");
}

// A member with paths inside the checkout.
static bool read_inner_paths(const struct json_value *root, const struct list *list,
                             const char ***paths, size_t *count, struct fault *fault)
{
    const struct json_value *item;
    void *room;
    if (!open_list(root, list, &item, &room, fault)) {
        return false;
    }
    *paths = room;
    for (; item && *paths; item = json_next(item)) {
        if (!as_inner_path(item, &(*paths)[*count], fault)) {
            return false;
        }
        (*count)++;
    }
    return true;
}

static bool read_lists(const struct json_value *root, struct manifest *out, struct fault *fault)
{
    static const struct list own = {"own", JSON_ARRAY, LIST_MAX, sizeof *out->own, "objects"};
    static const struct list files = {"subject_files", JSON_ARRAY, LIST_MAX,
                                      sizeof *out->subject_files, "files"};
    return read_inner_paths(root, &own, &out->own, &out->own_count, fault) &&
           read_inner_paths(root, &files, &out->subject_files, &out->subject_file_count, fault);
}

// Members that are left out keep what `limits` holds.
static bool read_limits(const struct json_value *object, struct manifest_limits *limits,
                        struct fault *fault)
{
    if (!json_may_milli(object, "fail_pct", 1, PCT_MAX_MILLI, &limits->fail_mpct, fault) ||
        !json_may_milli(object, "warn_pct", 1, PCT_MAX_MILLI, &limits->warn_mpct, fault)) {
        return false;
    }
    return limits->warn_mpct <= limits->fail_mpct ||
           json_fail(object, fault, "warn_pct is above fail_pct");
}

static bool read_path(const struct json_value *member, const struct manifest_limits *gate,
                      struct manifest_path *out, struct fault *fault)
{
    static const char *const keys[] = {"fail_pct", "warn_pct", NULL};
    out->limits = *gate;
    return json_key_as_text(member, &json_rule_name, &out->name, fault) &&
           json_is(member, JSON_OBJECT, fault) && json_only(member, keys, fault) &&
           read_limits(member, &out->limits, fault);
}

static bool read_paths(const struct json_value *gate, struct manifest *out, struct fault *fault)
{
    static const struct list list = {"paths", JSON_OBJECT, PATHS_MAX, sizeof *out->paths, "paths"};
    const struct json_value *item;
    void *room;
    if (!open_list(gate, &list, &item, &room, fault)) {
        return false;
    }
    out->paths = room;
    for (; item; item = json_next(item)) {
        if (!read_path(item, &out->gate, &out->paths[out->path_count], fault)) {
            return false;
        }
        out->path_count++;
    }
    return true;
}

static int two_digits(const char *at)
{
    return (at[0] - '0') * 10 + (at[1] - '0');
}

static bool is_date(const char *text)
{
    static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    for (int i = 0; i < 10; i++) {
        bool is_dash = i == 4 || i == 7;
        if (is_dash ? text[i] != '-' : text[i] < '0' || text[i] > '9') {
            return false;
        }
    }
    int year = two_digits(text) * 100 + two_digits(text + 2);
    int month = two_digits(text + 5);
    int day = two_digits(text + 8);
    if (year < 2000 || month < 1 || month > 12 || day < 1 || day > days[month - 1]) {
        return false;
    }
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month != 2 || day < 29 || is_leap;
}

static bool read_expiry(const struct json_value *object, struct manifest_accept *out,
                        struct fault *fault)
{
    const struct json_value *value;
    return json_want(object, "expires", JSON_TEXT, &value, fault) &&
           json_as_text(value, &date_rule, &out->expires, fault) &&
           (is_date(out->expires) || json_fail(value, fault, "a day as 2027-01-31 is wanted"));
}

static bool read_metric(const struct json_value *object, struct manifest_accept *out,
                        struct fault *fault)
{
    const struct json_value *value;
    const char *word;
    if (!json_want(object, "metric", JSON_TEXT, &value, fault) ||
        !json_as_text(value, &json_rule_name, &word, fault)) {
        return false;
    }
    for (int i = 0; i < METRIC_COUNT; i++) {
        if (strcmp(word, metric_words[i]) == 0) {
            out->metric = (enum manifest_metric)i;
            return true;
        }
    }
    return json_fail(value, fault, "'%s' is none of total, allocs, syscalls, gone", word);
}

static bool read_accept(const struct json_value *item, struct manifest_accept *out,
                        struct fault *fault)
{
    static const char *const keys[] = {"path", "metric", "reason", "expires", "max", NULL};
    if (!json_is(item, JSON_OBJECT, fault) || !json_only(item, keys, fault)) {
        return false;
    }
    out->has_max = json_find(item, "max") != NULL;
    return json_want_text(item, "path", &json_rule_name, &out->path, fault) &&
           read_metric(item, out, fault) &&
           json_want_text(item, "reason", &reason_rule, &out->reason, fault) &&
           read_expiry(item, out, fault) &&
           json_may_i64(item, "max", 0, JSON_SAFE_INTEGER, &out->max, fault);
}

static bool read_accepts(const struct json_value *gate, struct manifest *out, struct fault *fault)
{
    static const struct list list = {"accept", JSON_ARRAY, ACCEPTS_MAX, sizeof *out->accepts,
                                     "acceptances"};
    const struct json_value *item;
    void *room;
    if (!open_list(gate, &list, &item, &room, fault)) {
        return false;
    }
    out->accepts = room;
    for (; item; item = json_next(item)) {
        struct manifest_accept *accept = &out->accepts[out->accept_count];
        if (!read_accept(item, accept, fault)) {
            return false;
        }
        if (manifest_accept_of(out, accept->path, accept->metric, "") != NULL) {
            return json_fail(item, fault, "a second acceptance of this path and metric");
        }
        out->accept_count++;
    }
    return true;
}

static bool read_gate(const struct json_value *root, struct manifest *out, struct fault *fault)
{
    static const char *const keys[] = {"fail_pct", "warn_pct", "paths", "accept", NULL};
    const struct json_value *gate = NULL;
    if (!json_may(root, "gate", JSON_OBJECT, &gate, fault)) {
        return false;
    }
    return gate == NULL || (json_only(gate, keys, fault) && read_limits(gate, &out->gate, fault) &&
                            read_paths(gate, out, fault) && read_accepts(gate, out, fault));
}

bool manifest_read(const char *path, struct manifest *out, struct fault *fault)
{
    static const char *const keys[] = {"schema",        "subject", "build", "own",
                                       "subject_files", "gate",    NULL};
    *out = (struct manifest){.gate = default_limits};
    if (!json_read_file(path, &out->doc, fault)) {
        return false;
    }
    const struct json_value *root = json_root(out->doc);
    if (json_want_schema(root, "ckbench/manifest/1", fault) && json_only(root, keys, fault) &&
        want_inner_path(root, "subject", &out->subject, fault) &&
        json_may_text(root, "build", &json_rule_line, &out->build, fault) &&
        read_lists(root, out, fault) && read_gate(root, out, fault)) {
        return true;
    }
    manifest_release(out);
    return false;
}

void manifest_release(struct manifest *manifest)
{
    free(manifest->own);
    free(manifest->subject_files);
    free(manifest->paths);
    free(manifest->accepts);
    json_free(manifest->doc);
    *manifest = (struct manifest){.gate = default_limits};
}

struct manifest_limits manifest_limits_of(const struct manifest *manifest, const char *path)
{
    if (manifest == NULL) {
        return default_limits;
    }
    for (size_t i = 0; i < manifest->path_count; i++) {
        if (strcmp(manifest->paths[i].name, path) == 0) {
            return manifest->paths[i].limits;
        }
    }
    return manifest->gate;
}

const struct manifest_accept *manifest_accept_of(const struct manifest *manifest, const char *path,
                                                 enum manifest_metric metric, const char *today)
{
    for (size_t i = 0; manifest != NULL && i < manifest->accept_count; i++) {
        const struct manifest_accept *accept = &manifest->accepts[i];
        if (accept->metric == metric && strcmp(accept->path, path) == 0 &&
            strcmp(today, accept->expires) <= 0) {
            return accept;
        }
    }
    return NULL;
}
