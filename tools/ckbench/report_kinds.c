// SPDX-License-Identifier: MIT
#include "report_kinds.h"

#include <string.h>

#include "store/ab_record.h"
#include "store/json.h"

static bool find_schema(const struct json_value *root, enum report_kind *kind, struct fault *fault)
{
    const struct json_value *body;
    const char *schema;
    if (json_find(root, "body") == NULL) {
        return json_fail(root, fault, "neither a document nor a record of ckbench");
    }
    if (!json_want(root, "body", JSON_OBJECT, &body, fault) ||
        !json_want_text(body, "schema", &json_rule_line, &schema, fault)) {
        return false;
    }
    for (int i = REPORT_IR; i < REPORT_KINDS; i++) {
        if (strcmp(schema, report_kind_name((enum report_kind)i)) == 0) {
            *kind = (enum report_kind)i;
            return true;
        }
    }
    return json_fail(json_find(body, "schema"), fault, "'%.64s' is nothing to report", schema);
}

static bool find_one(const char *path, enum report_kind *kind, struct fault *fault)
{
    struct json_doc *doc;
    if (ab_record_is_one(path)) {
        *kind = REPORT_RECORD;
        return true;
    }
    if (!json_read_file(path, &doc, fault)) {
        return false;
    }
    bool ok = find_schema(json_root(doc), kind, fault);
    json_free(doc);
    return ok;
}

enum report_answer report_find_kind(const struct report_options *o, enum report_kind *kind,
                                    struct fault *fault)
{
    const char *first = NULL;
    *kind = REPORT_IR;
    if (o->expect_shards != 0) {
        return REPORT_ONE_KIND; // what is no report of ir is a shard without a result
    }
    for (size_t i = 0; i < o->files.count; i++) {
        enum report_kind one = REPORT_IR;
        if (!find_one(o->files.items[i], &one, fault)) {
            return REPORT_UNREADABLE;
        }
        if (first != NULL && one != *kind) {
            (void)fault_set(fault, "%.150s is %s, %.150s is %s: give files of one kind", first,
                            report_kind_name(*kind), o->files.items[i], report_kind_name(one));
            return REPORT_MIXED;
        }
        first = first != NULL ? first : o->files.items[i];
        *kind = one;
    }
    return REPORT_ONE_KIND;
}
