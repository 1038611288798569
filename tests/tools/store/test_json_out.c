// SPDX-License-Identifier: MIT
// What the writer writes, cJSON and our own strict reader understand as it was meant.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <cJSON.h>
#include <stdint.h>
#include <string.h>

#include "store/json.h"
#include "store/json_out.h"
#include "same.h"

Test(json_out, writes_members_in_the_order_of_the_calls)
{
    struct json_out out = JSON_OUT_INIT;
    json_begin_object(&out, NULL);
    json_put_i64(&out, "max", INT64_MAX);
    json_put_i64(&out, "min", INT64_MIN);
    json_put_fixed(&out, "pct", -1234, 3);
    json_put_fixed(&out, "small", -1, 3);
    json_put_fixed(&out, "nought", 0, 2);
    json_put_fixed(&out, "least", INT64_MIN, 9);
    json_begin_array(&out, "list");
    json_put_bool(&out, NULL, true);
    json_put_null(&out, NULL);
    json_begin_object(&out, NULL);
    json_end_object(&out);
    json_begin_array(&out, NULL);
    json_end_array(&out);
    json_end_array(&out);
    json_put_raw(&out, "raw", "{\"x\":1}", 7);
    json_put_space(&out, "\n ");
    json_put_text(&out, "none", NULL);
    json_put_space(&out, "\n");
    json_end_object(&out);
    cr_assert_not(out.is_failed);
    SAME(out.text, "{\"max\":9223372036854775807,\"min\":-9223372036854775808,\"pct\":-1.234,"
                   "\"small\":-0.001,\"nought\":0.00,\"least\":-9223372036.854775808,"
                   "\"list\":[true,null,{},[]],\"raw\":{\"x\":1},\n \"none\":null\n}");
    cr_assert(eq(sz, out.len, strlen(out.text)));
    json_out_release(&out);
}

Test(json_out, any_bytes_become_a_text_that_reads_back)
{
    static const char *const texts[] = {"",
                                        "plain",
                                        "\"\\/\b\f\n\r\t",
                                        "\x01\x1f\x7f",
                                        "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
                                        "a|b`<img>@x#1 \xe2\x80\xae",
                                        "\xc2\x9bm \xdf\xbf\xef\xbf\xbf\xf4\x8f\xbf\xbf"};
    static const struct {
        const char *bad, *as;
    } repaired[] = {{"\xff", "?"},
                    {"a\x80z", "a?z"},
                    {"\xc3", "?"},
                    {"\xe2\x82", "??"},
                    {"\xed\xa0\x80", "???"},
                    {"\xc0\xaf", "??"},
                    {"\xf4\x90\x80\x80", "????"}};
    struct json_out out = JSON_OUT_INIT;
    json_begin_object(&out, NULL);
    json_begin_array(&out, "a");
    size_t count = sizeof texts / sizeof texts[0];
    size_t bad_count = sizeof repaired / sizeof repaired[0];
    for (size_t i = 0; i < count + bad_count; i++) {
        json_put_text(&out, NULL, i < count ? texts[i] : repaired[i - count].bad);
    }
    json_end_array(&out);
    json_end_object(&out);
    for (size_t i = 0; i < out.len; i++) {
        cr_assert(out.text[i] >= 0x20 && out.text[i] <= 0x7e, "byte %zu of %s", i, out.text);
    }
    struct fault fault;
    struct json_doc *doc;
    cr_assert(json_read_text("t", out.text, out.len, &doc, &fault), "%s", fault.text);
    json_free(doc);
    cJSON *theirs = cJSON_Parse(out.text);
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(theirs, "a");
    for (size_t i = 0; i < count + bad_count; i++) {
        SAME(cJSON_GetStringValue(cJSON_GetArrayItem(list, (int)i)),
             i < count ? texts[i] : repaired[i - count].as);
    }
    cJSON_Delete(theirs);
    json_out_release(&out);
}
