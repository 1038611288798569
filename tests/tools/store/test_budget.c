// SPDX-License-Identifier: MIT
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/budget.h"
#include "same.h"
#include "spoil.h"

static const char *const path = spoil_path;

TestSuite(budget, .init = spoil_open, .fini = spoil_close);

// Written by hand as the format's text says it: one line a path, sorted.
static const char good[] =
    "{\n"
    "\"schema\":\"ckbench/ir-budgets/1\",\n"
    "\"fingerprints\":{\n"
    "  \"aa11\":{\n"
    "    \"fingerprint\":{\"arch\": \"x86_64\", \"objects\": [1, 2]},\n"
    "    \"paths\":{\n"
    "      \"alpha\":{\"ops\":1000,\"total_ir\":9007199254740991,\"own_ir\":7,\"allocs\":0,"
    "\"syscalls\":2,\"empty_ir\":5000},\n"
    "      \"beta\":{\"ops\":4,\"total_ir\":5000000000,\"own_ir\":null,\"allocs\":4,\"syscalls\":0,"
    "\"empty_ir\":20}\n"
    "    }\n"
    "  },\n"
    "  \"bb22\":{\n"
    "    \"fingerprint\":{},\n"
    "    \"paths\":{\n"
    "    }\n"
    "  }\n"
    "}\n"
    "}";

static bool read_one(const char *from, struct fault *fault)
{
    struct budget budget;
    bool is_good = budget_read(from, &budget, fault);
    budget_release(&budget);
    return is_good;
}

Test(budget, says_what_the_file_says_and_writes_the_same_text)
{
    struct fault fault;
    struct budget b;
    char wanted[4096];
    spoil_write(path, good, strlen(good));
    cr_assert(budget_read(path, &b, &fault), "%s", fault.text);
    const struct budget_entry *entry = budget_find(&b, "aa11");
    cr_assert(entry != NULL && entry->row_count == 2);
    SAME(entry->fingerprint, "{\"arch\": \"x86_64\", \"objects\": [1, 2]}");
    const struct budget_row *alpha = budget_row_of(entry, "alpha");
    const struct budget_row *beta = budget_row_of(entry, "beta");
    cr_assert(alpha->ops == 1000 && alpha->total_ir == INT64_C(9007199254740991));
    cr_assert(alpha->own_ir == 7 && alpha->allocs == 0 && alpha->syscalls == 2);
    cr_assert(alpha->empty_ir == 5000);
    cr_assert(beta->own_ir == -1 && beta->total_ir == INT64_C(5000000000) && beta->allocs == 4);
    cr_assert(budget_row_of(entry, "alph") == NULL && budget_find(&b, "aa1") == NULL);
    cr_assert(budget_write(path, &b, &fault), "%s", fault.text);
    (void)snprintf(wanted, sizeof wanted, "%s\n", good);
    SAME(spoil_content(), wanted);
    budget_release(&b);
}

Test(budget, an_update_of_one_fingerprint_keeps_all_others_to_the_byte)
{
    const struct budget_row first = {"aaa", 10, 100, 50, 1, 2, 3};
    const struct budget_row lower = {"beta", 4, 4000000000, -1, 3, 0, 20};
    struct fault fault;
    struct budget b;
    spoil_write(path, good, strlen(good));
    cr_assert(budget_read(path, &b, &fault));
    cr_assert(budget_put(&b, "aa11", "{\"arch\":\"y\"}", &lower, &fault));
    cr_assert(budget_put(&b, "aa11", "{\"arch\":\"y\"}", &first, &fault));
    cr_assert(budget_put(&b, "0new", "{}", &first, &fault));
    cr_assert(budget_write(path, &b, &fault));
    budget_release(&b);
    SAME(spoil_content(),
         "{\n"
         "\"schema\":\"ckbench/ir-budgets/1\",\n"
         "\"fingerprints\":{\n"
         "  \"0new\":{\n"
         "    \"fingerprint\":{},\n"
         "    \"paths\":{\n"
         "      \"aaa\":{\"ops\":10,\"total_ir\":100,\"own_ir\":50,\"allocs\":1,\"syscalls\":2,"
         "\"empty_ir\":3}\n"
         "    }\n"
         "  },\n"
         "  \"aa11\":{\n"
         "    \"fingerprint\":{\"arch\":\"y\"},\n"
         "    \"paths\":{\n"
         "      \"aaa\":{\"ops\":10,\"total_ir\":100,\"own_ir\":50,\"allocs\":1,\"syscalls\":2,"
         "\"empty_ir\":3},\n"
         "      \"alpha\":{\"ops\":1000,\"total_ir\":9007199254740991,\"own_ir\":7,\"allocs\":0,"
         "\"syscalls\":2,\"empty_ir\":5000},\n"
         "      \"beta\":{\"ops\":4,\"total_ir\":4000000000,\"own_ir\":null,\"allocs\":3,"
         "\"syscalls\":0,\"empty_ir\":20}\n"
         "    }\n"
         "  },\n"
         "  \"bb22\":{\n"
         "    \"fingerprint\":{},\n"
         "    \"paths\":{\n"
         "    }\n"
         "  }\n"
         "}\n"
         "}\n");
    cr_assert(read_one(path, &fault), "%s", fault.text);
}

Test(budget, a_missing_file_is_empty_and_an_unreadable_one_is_not)
{
    struct fault fault;
    struct budget b;
    cr_assert(budget_read("/nonexistent/ir.json", &b, &fault));
    cr_assert(eq(sz, b.entry_count, 0));
    cr_assert_not(budget_read("/proc/version/ir.json", &b, &fault));
    cr_assert_not(budget_read("/tmp", &b, &fault));
}

Test(budget, every_cut_every_foreign_byte_and_every_common_damage_is_refused)
{
    spoil_cuts(read_one, path, good);
    spoil_bytes(read_one, path, good);
    spoil_any(read_one, path, good);
}

Test(budget, every_rule_of_the_format_refuses_with_its_field)
{
    static const struct spoil_case cases[] = {
        {"ckbench/ir-budgets/1", "ckbench/ir-budgets/0", "schema: 'ckbench/ir-budgets/0'"},
        {"ckbench/ir-budgets/1", "ckbench/ir/1", "is not the schema wanted"},
        {"\"schema\":", "\"schema\":\"ckbench/ir-budgets/1\",\"schema\":", "there twice"},
        {"\"fingerprints\"", "\"fingerprint\"", "fingerprint: the member is unknown"},
        {"\"fingerprints\":{", "\"fingerprints\":[{", "a comma is missing"},
        {"\"bb22\"", "\"aa11\"", "fingerprints.aa11: a member is there twice"},
        {"\"bb22\"", "\"AA11\"", "fingerprints.AA11: a member is there twice"},
        {"\"bb22\"", "\"\"", "a text of 0 bytes"},
        {"\"bb22\"", "\"b\\u0007b\"", "control character"},
        {"\"fingerprint\":{}", "\"fingerprint\":\"x\"", "bb22.fingerprint: an object is wanted"},
        {"\"fingerprint\":{},", "", "'fingerprint' is missing"},
        {"\"fingerprint\":{},", "\"fingerprint\":{},\"note\":1,",
         "bb22.note: the member is unknown"},
        {"\"beta\"", "\"alpha\"", "paths.alpha: a member is there twice"},
        {"\"beta\"", "\"be-ta\"", "other characters"},
        {"\"beta\"", "\"<img src=x>\"", "other characters"},
        {"\"ops\":4", "\"ops\":0", "paths.beta.ops: 0 is out of range"},
        {"\"ops\":4", "\"ops\":-4", "beta.ops: -4 is out of range"},
        {"\"ops\":4", "\"ops\":1", "beta.ops: 1 is out of range"}, // its half is no loop
        {"\"total_ir\":5000000000", "\"total_ir\":3", "empty_ir is above total_ir"},
        {"\"ops\":4", "\"ops\":1000000001", "out of range"},
        {"\"ops\":4", "\"ops\":4.0", "beta.ops: an integer is wanted"},
        {"\"ops\":4", "\"ops\":4e0", "beta.ops: an integer is wanted"},
        {"\"ops\":4", "\"ops\":\"4\"", "beta.ops: an integer is wanted"},
        {"\"ops\":4", "\"ops\":null", "beta.ops: an integer is wanted, here is null"},
        {"\"ops\":4", "\"ops\":04", "leading zeros"},
        {"\"ops\":4", "\"ops\":4,\"ops\":5", "there twice"},
        {"\"ops\":4", "\"OPS\":4", "beta.OPS: the member is unknown"},
        {"\"ops\":4,", "", "beta: the member 'ops' is missing"},
        {"9007199254740991", "9007199254740992", "alpha.total_ir: an integer beyond 2^53"},
        {"9007199254740991", "18446744073709551616", "alpha.total_ir: an integer beyond 2^53"},
        {"9007199254740991", "1e999", "beyond 2^53"},
        {"9007199254740991", "NaN", "no JSON value"},
        {"9007199254740991", "6", "alpha: own_ir is above total_ir"},
        {"9007199254740991", "-1", "alpha.total_ir: -1 is out of range"},
        {"\"own_ir\":7", "\"own_ir\":-1", "alpha.own_ir: -1 is out of range"},
        {"\"own_ir\":7", "\"own_ir\":false", "alpha.own_ir: an integer is wanted"},
        {"\"own_ir\":7,", "", "'own_ir' is missing"},
        {"\"allocs\":4", "\"allocs\":null", "beta.allocs: an integer is wanted"},
        {"\"allocs\":4", "\"allocs\":0.5", "beta.allocs: an integer is wanted"},
        {"\"syscalls\":2", "\"syscalls\":[2]", "alpha.syscalls: an integer is wanted"},
        {"\"empty_ir\":20", "\"empty_ir\":20,\"extra\":1", "beta.extra: the member is unknown"},
        {"\"objects\": [1, 2]", "\"objects\": [1, 2", "a comma is missing"},
        {"\"objects\": [1, 2]", "\"objects\": 1, \"objects\": 2", "there twice"},
    };
    spoil_table(read_one, path, good, cases, sizeof cases / sizeof cases[0]);
}

Test(budget, a_failed_write_changes_nothing)
{
    struct fault fault;
    struct budget b = {NULL, 0};
    cr_assert_not(budget_write("/nonexistent/ir.json", &b, &fault));
    cr_assert(strncmp(fault.text, "could not write /nonexistent/ir.json", 36) == 0);
}
