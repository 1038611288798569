// SPDX-License-Identifier: MIT
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/manifest.h"
#include "same.h"
#include "spoil.h"

static const char *const path = spoil_path;

TestSuite(manifest, .init = spoil_open, .fini = spoil_close);

static const char good[] =
    "{\"schema\": \"ckbench/manifest/1\", \"subject\": \"build/gate/workloads/ck-workloads\",\n"
    "\"build\": \"cmake --workflow --preset gate\", \"own\": [\"libcachekit.so\", \"x/y.so\"],\n"
    "\"subject_files\": [\"bench\", \"tools/z.mk\"],\n"
    "\"gate\": {\"fail_pct\": 1.0, \"warn_pct\": 0.2,\n"
    "  \"paths\": {\"alpha\": {\"fail_pct\": 2.5}, \"beta\": {\"warn_pct\": 0.001}},\n"
    "  \"accept\": [{\"path\": \"alpha\", \"metric\": \"total\", \"reason\": \"issue 7\",\n"
    "    \"expires\": \"2028-02-29\", \"max\": 9007199254740991},\n"
    "   {\"path\": \"gone_one\", \"metric\": \"gone\", \"reason\": \"r\", "
    "\"expires\": \"2027-12-31\"}]}}";

static bool read_one(const char *from, struct fault *fault)
{
    struct manifest manifest;
    bool is_good = manifest_read(from, &manifest, fault);
    manifest_release(&manifest);
    return is_good;
}

Test(manifest, says_what_the_file_says)
{
    struct fault fault;
    struct manifest m;
    spoil_write(path, good, strlen(good));
    cr_assert(manifest_read(path, &m, &fault), "%s", fault.text);
    SAME(m.subject, "build/gate/workloads/ck-workloads");
    SAME(m.build, "cmake --workflow --preset gate");
    cr_assert(eq(sz, m.own_count, 2));
    SAME(m.own[1], "x/y.so");
    cr_assert(eq(sz, m.subject_file_count, 2));
    SAME(m.subject_files[1], "tools/z.mk");
    struct manifest_limits alpha = manifest_limits_of(&m, "alpha");
    struct manifest_limits beta = manifest_limits_of(&m, "beta");
    struct manifest_limits other = manifest_limits_of(&m, "other");
    cr_assert(alpha.fail_mpct == 2500 && alpha.warn_mpct == 200);
    cr_assert(beta.fail_mpct == 1000 && beta.warn_mpct == 1);
    cr_assert(other.fail_mpct == 1000 && other.warn_mpct == 200);
    const struct manifest_accept *a = manifest_accept_of(&m, "alpha", MANIFEST_TOTAL, "2028-02-29");
    cr_assert(a != NULL && a->has_max && a->max == INT64_C(9007199254740991));
    SAME(a->reason, "issue 7");
    cr_assert(manifest_accept_of(&m, "alpha", MANIFEST_TOTAL, "2028-03-01") == NULL);
    cr_assert(manifest_accept_of(&m, "alpha", MANIFEST_ALLOCS, "2027-01-01") == NULL);
    cr_assert(manifest_accept_of(&m, "beta", MANIFEST_TOTAL, "2027-01-01") == NULL);
    a = manifest_accept_of(&m, "gone_one", MANIFEST_GONE, "2027-01-01");
    cr_assert(a != NULL && !a->has_max);
    manifest_release(&m);
}

Test(manifest, what_may_be_left_out_has_the_documented_defaults)
{
    static const char least[] = "{\"subject\":\"s\",\"schema\":\"ckbench/manifest/1\"}";
    struct fault fault;
    struct manifest m;
    spoil_write(path, least, strlen(least));
    cr_assert(manifest_read(path, &m, &fault), "%s", fault.text);
    cr_assert(m.build == NULL && m.own_count == 0 && m.accept_count == 0);
    cr_assert(m.gate.fail_mpct == 1000 && m.gate.warn_mpct == 200);
    manifest_release(&m);
    struct manifest_limits none = manifest_limits_of(NULL, "x");
    cr_assert(none.fail_mpct == 1000 && none.warn_mpct == 200);
}

Test(manifest, every_cut_every_foreign_byte_and_every_common_damage_is_refused)
{
    spoil_cuts(read_one, path, good);
    spoil_bytes(read_one, path, good);
    spoil_any(read_one, path, good);
}

Test(manifest, every_rule_of_the_format_refuses_with_its_field)
{
    static const struct spoil_case cases[] = {
        {"ckbench/manifest/1", "ckbench/manifest/2", "schema: 'ckbench/manifest/2'"},
        {"\"schema\"", "\"Schema\"", "'schema' is missing"},
        {"\"ckbench/manifest/1\"", "1", "schema: a text is wanted"},
        {"\"build/gate/workloads/ck-workloads\"", "\"/bin/sh\"", "inside the checkout"},
        {"build/gate", "../build", "inside the checkout"},
        {"build/gate", "a/../../b", "inside the checkout"},
        {"build/gate/workloads/ck-workloads", "", "subject: a text of 0 bytes"},
        {"build/gate", "a\\u001bb", "control character"},
        {"\"subject\": ", "\"subject\": \"x\", \"subject\": ", "subject: a member is there twice"},
        {"\"subject\": ", "\"SUBJECT\": \"x\", \"subject\": ", "a member is there twice"},
        {"\"subject\"", "\"subjekt\"", "subjekt: the member is unknown"},
        {"\"build\": ", "\"build\": \"x\", \"build\": ", "a member is there twice"},
        {"\"cmake --workflow --preset gate\"", "[\"cmake\"]", "build: a text is wanted"},
        {"cmake", "cm\\nake", "build: a control character"},
        {"[\"libcachekit.so\", \"x/y.so\"]", "\"libcachekit.so\"", "own: an array is wanted"},
        {"\"x/y.so\"", "7", "own[1]: a text is wanted"},
        {"\"x/y.so\"", "null", "own[1]: a text is wanted"},
        {"x/y.so", "/usr/lib/libc.so", "own[1]: a path inside"},
        {"tools/z.mk", "tools/../../z.mk", "subject_files[1]: a path inside"},
        {"[\"bench\", \"tools/z.mk\"]", "{}", "subject_files: an array is wanted"},
        {"\"gate\": {", "\"gate\": {\"fail_pct\": 1, ", "gate.fail_pct: a member is there twice"},
        {"\"gate\": {", "\"gate\": {\"fial_pct\": 1, ", "gate.fial_pct: the member is unknown"},
        {"\"fail_pct\": 1.0", "\"fail_pct\": \"1.0\"", "gate.fail_pct: a number is wanted"},
        {"\"fail_pct\": 1.0", "\"fail_pct\": 1.0001", "at most three decimals"},
        {"\"fail_pct\": 1.0", "\"fail_pct\": 1e0", "at most three decimals"},
        {"\"fail_pct\": 1.0", "\"fail_pct\": 0", "out of range, 0.001 to 1000.000"},
        {"\"fail_pct\": 1.0", "\"fail_pct\": -1", "out of range"},
        {"\"fail_pct\": 1.0", "\"fail_pct\": 1001", "out of range"},
        {"\"fail_pct\": 1.0", "\"fail_pct\": 01.0", "leading zeros"},
        {"\"fail_pct\": 1.0", "\"fail_pct\": 1.", "ends in its decimal point"},
        {"\"fail_pct\": 1.0", "\"fail_pct\": 1e999", "beyond 2^53"},
        {"\"fail_pct\": 1.0", "\"fail_pct\": NaN", "no JSON value"},
        {"\"fail_pct\": 1.0", "\"fail_pct\": null", "a number is wanted, here is null"},
        {"\"fail_pct\": 1.0", "\"fail_pct\": true", "a number is wanted"},
        {"\"fail_pct\": 1.0", "\"fail_pct\": 0.1", "gate: warn_pct is above fail_pct"},
        {"\"warn_pct\": 0.2", "\"warn_pct\": 1.1", "gate: warn_pct is above fail_pct"},
        {"\"alpha\": {\"fail_pct\": 2.5}", "\"Alpha\": {\"fail_pct\": 2.5}", "other characters"},
        {"\"alpha\": {\"fail_pct\": 2.5}", "\"al pha\": {\"fail_pct\": 2.5}", "other characters"},
        {"\"alpha\": {\"fail_pct\": 2.5}", "\"\": {\"fail_pct\": 2.5}", "a text of 0 bytes"},
        {"\"beta\": {", "\"alpha\": {", "gate.paths.alpha: a member is there twice"},
        {"{\"fail_pct\": 2.5}", "2.5", "gate.paths.alpha: an object is wanted"},
        {"{\"fail_pct\": 2.5}", "{\"max\": 2.5}", "gate.paths.alpha.max: the member is unknown"},
        {"{\"fail_pct\": 2.5}", "{\"fail_pct\": 0.1}", "gate.paths.alpha: warn_pct is above"},
        {"\"accept\": [", "\"accept\": [7, ", "gate.accept[0]: an object is wanted"},
        {"\"metric\": \"total\"", "\"metric\": \"Total\"", "other characters"},
        {"\"metric\": \"total\"", "\"metric\": \"totals\"", "is none of total, allocs"},
        {"\"metric\": \"total\"", "\"metric\": \"own\"", "is none of total, allocs"},
        {"\"metric\": \"total\", ", "", "gate.accept[0]: the member 'metric' is missing"},
        {"\"reason\": \"issue 7\",", "", "the member 'reason' is missing"},
        {"\"reason\": \"issue 7\",", "\"reason\": \"\",", "reason: a text of 0 bytes"},
        {"\"reason\": \"issue 7\",", "\"reason\": \"\\u202eissue\",", "control character"},
        {"\"reason\": \"issue 7\",", "\"because\": \"issue 7\",", "because: the member is unknown"},
        {"\"expires\": \"2028-02-29\",", "", "the member 'expires' is missing"},
        {"2028-02-29", "2027-02-29", "expires: a day as"},
        {"2028-02-29", "2028-02-30", "expires: a day as"},
        {"2028-02-29", "2100-02-29", "expires: a day as"},
        {"2028-02-29", "2028-13-01", "expires: a day as"},
        {"2028-02-29", "2028-00-01", "expires: a day as"},
        {"2028-02-29", "2028-04-31", "expires: a day as"},
        {"2028-02-29", "1999-04-30", "expires: a day as"},
        {"2028-02-29", "2028-4-30", "expires: a text of 9 bytes"},
        {"2028-02-29", "2028_04_30", "expires: a day as"},
        {"2028-02-29", "30-04-2028", "expires: a day as"},
        {"2028-02-29", "never", "expires: a text of 5 bytes"},
        {"9007199254740991", "9007199254740992", "max: an integer beyond 2^53"},
        {"9007199254740991", "-1", "max: -1 is out of range"},
        {"9007199254740991", "1.5", "max: an integer is wanted"},
        {"9007199254740991", "1.0", "max: an integer is wanted"},
        {"9007199254740991", "\"1\"", "max: an integer is wanted"},
        {"\"path\": \"gone_one\", \"metric\": \"gone\"",
         "\"path\": \"alpha\", \"metric\": \"total\"", "gate.accept[1]: a second acceptance"},
    };
    spoil_table(read_one, path, good, cases, sizeof cases / sizeof cases[0]);
}

Test(manifest, too_many_of_anything_is_refused)
{
    static char text[200000];
    size_t len = (size_t)snprintf(
        text, sizeof text, "{\"schema\":\"ckbench/manifest/1\",\"subject\":\"s\",\"own\":[\"a\"");
    for (int i = 0; i < 64; i++) {
        len += (size_t)snprintf(text + len, sizeof text - len, ",\"a\"");
    }
    len += (size_t)snprintf(text + len, sizeof text - len, "]}");
    spoil_expect_refused(read_one, path, text, len, "own: more than 64 objects");
    len = (size_t)snprintf(text, sizeof text,
                           "{\"schema\":\"ckbench/manifest/1\",\"subject\":\"s\",\"gate\":"
                           "{\"paths\":{\"p\":{}");
    for (int i = 0; i < 4096; i++) {
        len += (size_t)snprintf(text + len, sizeof text - len, ",\"p%d\":{}", i);
    }
    len += (size_t)snprintf(text + len, sizeof text - len, "}}}");
    spoil_expect_refused(read_one, path, text, len, "gate.paths: more than 4096 paths");
}

Test(manifest, a_missing_file_is_refused)
{
    struct fault fault;
    struct manifest m;
    cr_assert_not(manifest_read("/nonexistent/ckbench.json", &m, &fault));
    SAME(fault.text, "/nonexistent/ckbench.json: No such file or directory");
    cr_assert(m.subject == NULL && m.doc == NULL);
}
