// SPDX-License-Identifier: MIT
// Three members in this order. The hash is over the body without the white space between its
// values, so that lines may be broken for people and the file may be indented by any tool.
#include "store/document.h"

#include <stdlib.h>
#include <string.h>

#include "store/json.h"
#include "store/json_out.h"
#include "store/replace.h"
#include "store/sha256.h"

// Copies `json` to `compact`, which has room for it, without white space between values.
static size_t make_compact(const char *json, size_t len, char *compact)
{
    size_t compact_len = 0;
    bool is_inside = false;
    for (size_t i = 0; i < len; i++) {
        if (is_inside && json[i] == '\\') {
            compact[compact_len++] = json[i++]; // and what it escapes
        } else if (json[i] == '"') {
            is_inside = !is_inside;
        } else if (!is_inside && strchr(" \t\r\n", json[i]) != NULL) {
            continue;
        }
        compact[compact_len++] = json[i];
    }
    return compact_len;
}

// The hash of `json` as if it had been written without white space; false for want of memory.
static bool hash_compact(const char *json, size_t len, char out[SHA256_TEXT_SIZE])
{
    char *compact = malloc(len + 1);
    if (compact == NULL) {
        return false;
    }
    sha256_text(compact, make_compact(json, len, compact), out);
    free(compact);
    return true;
}

static bool frame(const struct json_out *body, const struct json_out *provenance,
                  struct json_out *out, struct fault *fault)
{
    char hash[SHA256_TEXT_SIZE];
    if (body->is_failed || provenance->is_failed || !hash_compact(body->text, body->len, hash)) {
        return fault_set(fault, "no memory for the document");
    }
    json_begin_object(out, NULL);
    json_put_space(out, "\n");
    json_put_raw(out, "body", body->text, body->len);
    json_put_space(out, "\n");
    json_put_raw(out, "provenance", provenance->text, provenance->len);
    json_put_space(out, "\n");
    json_put_text(out, "body_sha256", hash);
    json_put_space(out, "\n");
    json_end_object(out);
    json_end_text(out);
    return !out->is_failed || fault_set(fault, "no memory for the document");
}

bool document_print(FILE *stream, const struct json_out *body, const struct json_out *provenance,
                    struct fault *fault)
{
    struct json_out out = JSON_OUT_INIT;
    bool is_good = frame(body, provenance, &out, fault);
    if (is_good) {
        (void)fwrite(out.text, 1, out.len, stream);
    }
    json_out_release(&out);
    return is_good;
}

bool document_write(const char *path, const struct json_out *body,
                    const struct json_out *provenance, struct fault *fault)
{
    struct json_out out = JSON_OUT_INIT;
    bool is_good =
        frame(body, provenance, &out, fault) && replace_file(path, out.text, out.len, fault);
    json_out_release(&out);
    return is_good;
}

static bool check_hash(const struct json_value *root, const struct json_value *body,
                       struct fault *fault)
{
    static const struct json_text_rule rule = {.min = 64, .max = 64};
    char hash[SHA256_TEXT_SIZE];
    const char *stated;
    size_t len;
    if (!json_want_text(root, "body_sha256", &rule, &stated, fault)) {
        return false;
    }
    const char *raw = json_raw(body, &len);
    if (!hash_compact(raw, len, hash)) {
        return json_fail(body, fault, "no memory");
    }
    return strcmp(hash, stated) == 0 || json_fail(json_find(root, "body_sha256"), fault,
                                                  "the body was changed: its SHA-256 is %s", hash);
}

static bool check_frame(const struct json_value *root, const char *schema,
                        const struct json_value **body, const struct json_value **provenance,
                        struct fault *fault)
{
    static const char *const keys[] = {"body", "provenance", "body_sha256", NULL};
    return json_only(root, keys, fault) && json_want(root, "body", JSON_OBJECT, body, fault) &&
           json_want(root, "provenance", JSON_OBJECT, provenance, fault) &&
           check_hash(root, *body, fault) && json_want_schema(*body, schema, fault);
}

bool document_read(const char *path, const char *schema, struct json_doc **doc,
                   const struct json_value **body, const struct json_value **provenance,
                   struct fault *fault)
{
    if (!json_read_file(path, doc, fault)) {
        return false;
    }
    if (!check_frame(json_root(*doc), schema, body, provenance, fault)) {
        json_free(*doc);
        *doc = NULL;
        return false;
    }
    return true;
}

static bool same_member(const struct json_value *wanted, const struct json_value *body,
                        struct fault *fault)
{
    size_t wanted_len, len;
    const struct json_value *said = json_find(body, json_key(wanted));
    if (said == NULL) {
        return json_fail(body, fault, "the member '%s' is missing", json_key(wanted));
    }
    const char *wanted_raw = json_raw(wanted, &wanted_len), *raw = json_raw(said, &len);
    char *a = malloc(wanted_len + 1), *b = malloc(len + 1);
    bool ok = a != NULL && b != NULL;
    if (ok) {
        wanted_len = make_compact(wanted_raw, wanted_len, a);
        len = make_compact(raw, len, b);
        ok = wanted_len == len && memcmp(a, b, len) == 0;
    }
    free(a);
    free(b);
    return ok || json_fail(said, fault, "it does not follow from what was measured");
}

bool document_follows(const struct json_value *body, const struct json_out *again,
                      struct fault *fault)
{
    struct json_doc *doc;
    if (again->is_failed) {
        return fault_set(fault, "no memory");
    }
    if (!json_read_text("again", again->text, again->len, &doc, fault)) {
        return false;
    }
    bool ok = true;
    for (const struct json_value *v = json_first(json_root(doc)); ok && v != NULL;
         v = json_next(v)) {
        ok = same_member(v, body, fault);
    }
    json_free(doc);
    return ok;
}

bool document_print_again(FILE *stream, const struct json_value *body,
                          const struct json_value *provenance, struct fault *fault)
{
    size_t len;
    const char *raw = json_raw(body, &len);
    struct json_out first = JSON_OUT_INIT, second = JSON_OUT_INIT;
    json_put_raw(&first, NULL, raw, len);
    raw = json_raw(provenance, &len);
    json_put_raw(&second, NULL, raw, len);
    bool ok = document_print(stream, &first, &second, fault);
    json_out_release(&first);
    json_out_release(&second);
    return ok;
}
