// SPDX-License-Identifier: MIT
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/document.h"
#include "store/json.h"
#include "store/json_out.h"
#include "store/sha256.h"
#include "same.h"
#include "spoil.h"

static const char *const path = spoil_path;

TestSuite(document, .init = spoil_open, .fini = spoil_close);

// FIPS 180-2, appendix B, and the empty text.
Test(document, sha256_is_the_standard_one)
{
    char hash[SHA256_TEXT_SIZE];
    sha256_text("", 0, hash);
    SAME(hash, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    sha256_text("abc", 3, hash);
    SAME(hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sha256_text("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, hash);
    SAME(hash, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

// The hash of {"schema":"t/1","text":"a b \" c","n":1} as sha256sum tells it.
static const char known_hash[] = "76c299eca5ed94ef6b6e24681644daa86fbeb46a58e91f4d4c9e33464af9e2f3";

static void write_one(void)
{
    struct fault fault;
    struct json_out body = JSON_OUT_INIT;
    struct json_out provenance = JSON_OUT_INIT;
    json_begin_object(&body, NULL);
    json_put_text(&body, "schema", "t/1");
    json_put_text(&body, "text", "a b \" c");
    json_put_space(&body, "\n  ");
    json_put_i64(&body, "n", 1);
    json_end_object(&body);
    json_begin_object(&provenance, NULL);
    json_end_object(&provenance);
    cr_assert(document_write(path, &body, &provenance, &fault), "%s", fault.text);
    json_out_release(&body);
    json_out_release(&provenance);
}

static bool read_document(const char *from, struct fault *fault)
{
    struct json_doc *doc;
    const struct json_value *body;
    const struct json_value *provenance;
    bool is_good = document_read(from, "t/1", &doc, &body, &provenance, fault);
    json_free(doc);
    return is_good;
}

Test(document, reads_back_and_carries_the_hash_of_the_compact_body)
{
    struct fault fault;
    write_one();
    cr_assert(strstr(spoil_content(), known_hash) != NULL, "%s", spoil_content());
    cr_assert(read_document(path, &fault), "%s", fault.text);
}

Test(document, may_be_indented_by_other_tools)
{
    struct fault fault;
    write_one();
    char *text = spoil_replace(spoil_content(), "\"n\":1", "\n\t\"n\" : 1 ");
    spoil_write(path, text, strlen(text));
    cr_assert(read_document(path, &fault), "%s", fault.text);
    free(text);
}

Test(document, any_change_is_seen)
{
    static const struct spoil_case cases[] = {
        {"\"n\":1", "\"n\":2", "the body was changed"},
        {"\"n\":1", "\"n\":1,\"m\":1", "the body was changed"},
        {"\"n\":1", "\"n\":1.0", "the body was changed"},
        {"a b", "ab", "the body was changed"},
        {"t/1", "t/2", "the body was changed"},
        {"\"provenance\"", "\"Provenance\"", "the member is unknown"},
        {"\"provenance\":{}", "\"provenance\":[]", "an object is wanted"},
        {"\"provenance\":{},", "", "'provenance' is missing"},
        {"\"body_sha256\":\"", "\"body_sha256\":\"0", "65 bytes"},
        {"\"body_sha256\":\"", "\"body_sha256\":1,\"x\":\"", "the member is unknown"},
        {"{\n", "{\"more\":1,", "the member is unknown"},
    };
    write_one();
    char good[8192];
    (void)snprintf(good, sizeof good, "%s", spoil_content());
    good[strlen(good) - 1] = '\0';
    spoil_table(read_document, path, good, cases, sizeof cases / sizeof cases[0]);
    spoil_cuts(read_document, path, good);
    spoil_any(read_document, path, good);
}
