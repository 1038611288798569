// SPDX-License-Identifier: MIT
// Lines of the subject protocol, as tools/subject/README.md has them, and lines that are not.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/answers.h"
#include "same.h"

TestSuite(test_answers);

#define SUBJECT_LINE                                                                               \
    "{\"type\":\"subject\",\"protocol\":1,\"kit\":\"0.1.0\",\"self\":1,\"compiler\":\"gcc 12\","   \
    "\"flags\":\"-O2 -g\",\"commit\":null,\"dirty\":[\"a.c\",\"b \\u00e4.c\"],\"build_id\":"       \
    "\"00ff\"}"
#define COUNTED_LINE                                                                               \
    "{\"type\":\"counted\",\"path\":\"parse_small\",\"layout\":2,\"pid\":4711,\"warmup\":500,"     \
    "\"n1\":500,\"n2\":1000,\"digest\":\"0123456789abcdef\",\"clock_reads\":1,"                    \
    "\"entropy_reads\":2,\"pid_reads\":3}"

static struct answer answer;
static struct fault fault;

static bool read_line(const char *line)
{
    struct answer_stream stream = {0};
    return answer_next(&stream, line, strlen(line), &answer, &fault);
}

Test(test_answers, a_subject_line)
{
    cr_assert(read_line(SUBJECT_LINE), "%s", fault.text);
    cr_assert(eq(int, (int)answer.kind, ANSWER_SUBJECT));
    cr_assert(eq(i64, answer.protocol, 1));
    cr_assert(answer.self);
    SAME(answer.kit, "0.1.0");
    SAME(answer.compiler, "gcc 12");
    SAME(answer.flags, "-O2 -g");
    SAME(answer.build_id, "00ff");
    cr_assert(answer.commit == NULL);
    cr_assert(eq(sz, answer.dirty.count, 2));
    SAME(answer.dirty.items[0], "a.c");
    SAME(answer.dirty.items[1], "b \xc3\xa4.c");
}

Test(test_answers, a_counted_line)
{
    cr_assert(read_line(COUNTED_LINE), "%s", fault.text);
    cr_assert(eq(int, (int)answer.kind, ANSWER_COUNTED));
    SAME(answer.path, "parse_small");
    SAME(answer.digest, "0123456789abcdef");
    const int64_t got[] = {
        answer.layout, answer.pid,         answer.warmup,        answer.n1,
        answer.n2,     answer.clock_reads, answer.entropy_reads, answer.pid_reads};
    const int64_t wanted[] = {2, 4711, 500, 500, 1000, 1, 2, 3};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        cr_expect(eq(i64, got[i], wanted[i]));
    }
}

Test(test_answers, every_other_line_that_is_right)
{
    static const struct {
        const char *line;
        enum answer_kind kind;
    } rows[] = {
        {"{\"type\":\"path\",\"name\":\"p\",\"about\":\"\",\"shapes\":[\"json-1m\"],"
         "\"operations\":[],\"phases\":[\"a\",\"b\"],\"threads\":true}",
         ANSWER_PATH},
        {"{\"type\":\"terrain\",\"name\":\"t\"}", ANSWER_TERRAIN},
        {"{\"type\":\"guest\",\"cpuid\":\"0a\"}", ANSWER_GUEST},
        {"{\"type\":\"start\",\"path\":\"p\",\"layout\":0,\"pid\":1}", ANSWER_START},
        {"{\"type\":\"failed\",\"path\":\"p\",\"layout\":0,\"pid\":0,\"step\":\"setup\",\"reason\":"
         "\"r\"}",
         ANSWER_FAILED},
        {"{\"type\":\"exit\",\"path\":\"p\",\"layout\":0,\"pid\":1,\"status\":0,\"signal\":9}",
         ANSWER_EXIT},
        {"{\"type\":\"samples\",\"first\":0,\"wall_ns\":[1,2],\"latency_ns\":[3,4]}",
         ANSWER_SAMPLES},
        {"{\"type\":\"phases\",\"path\":\"p\",\"calls\":1,\"clock_ps\":5,\"wall_ns\":[1]}",
         ANSWER_PHASES},
        {"{\"type\":\"phase\",\"name\":\"copy-out\",\"wall_ns\":[1],\"from\":[0],\"to\":[9]}",
         ANSWER_PHASE},
        {"{\"type\":\"end\",\"lines\":0}", ANSWER_END},
        {"{\"type\":\"news\",\"a\":[1,{\"b\":[[]]}],\"c\":1.5e3,\"d\":{}}", ANSWER_UNKNOWN},
        {" {\t\"type\" : \"end\" , \"lines\" : 0 , \"more\" : \"x\" } \r", ANSWER_END},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cr_expect(read_line(rows[i].line), "%s: %s", rows[i].line, fault.text);
        cr_expect(eq(int, (int)answer.kind, (int)rows[i].kind));
    }
}

// Replaces `from` in a good line by `to` and says whether it is still read.
static bool still_read(const char *line, const char *from, const char *to)
{
    char changed[2048];
    const char *at = strstr(line, from);
    cr_assert(at != NULL, "%s", from);
    (void)snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - line), line, to,
                   at + strlen(from));
    return read_line(changed);
}

Test(test_answers, a_member_out_of_its_grammar_is_refused)
{
    static const char *const rows[][3] = {
        {COUNTED_LINE, "parse_small", "Parse"},
        {COUNTED_LINE, "parse_small", ""},
        {COUNTED_LINE, "parse_small", "a-b"},
        {COUNTED_LINE, "parse_small", "../x"},
        {COUNTED_LINE, "parse_small",
         "a2345678901234567890123456789012345678901234567890123456789012345"},
        {COUNTED_LINE, "\"parse_small\"", "7"},
        {COUNTED_LINE, "\"layout\":2", "\"layout\":-1"},
        {COUNTED_LINE, "\"layout\":2", "\"layout\":2.0"},
        {COUNTED_LINE, "\"layout\":2", "\"layout\":\"2\""},
        {COUNTED_LINE, "\"layout\":2", "\"layout\":true"},
        {COUNTED_LINE, "\"layout\":2", "\"layout\":null"},
        {COUNTED_LINE, "\"layout\":2,", ""},
        {COUNTED_LINE, "\"layout\":2", "\"layout\":2147483648"},
        {COUNTED_LINE, "4711", "0"},
        {COUNTED_LINE, "4711", "9223372036854775808"},
        {COUNTED_LINE, "0123456789abcdef", "0123456789abcde"},
        {COUNTED_LINE, "0123456789abcdef", "0123456789abcdeg"},
        {SUBJECT_LINE, "\"self\":1", "\"self\":2"},
        {SUBJECT_LINE, "\"self\":1", "\"self\":true"},
        {SUBJECT_LINE, "00ff", "00f"},
        {SUBJECT_LINE, "00ff", "00FF"},
        {SUBJECT_LINE, "[\"a.c\",", "[1,"},
        {SUBJECT_LINE, "\"protocol\":1", "\"protocol\":2"},
        {SUBJECT_LINE, "\"protocol\":1", "\"protocol\":0"},
        {SUBJECT_LINE, "\"type\":\"subject\"", "\"type\":1"},
        {SUBJECT_LINE, "\"type\":\"subject\",", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cr_expect(not(still_read(rows[i][0], rows[i][1], rows[i][2])), "%s", rows[i][2]);
        cr_expect(fault.text[0] != '\0');
    }
    cr_expect(still_read(SUBJECT_LINE, "null", "\"0123456789abcdef0123456789abcdef01234567\""));
    cr_expect(still_read(COUNTED_LINE, "\"0123456789abcdef\"", "null"));
    cr_expect(still_read(COUNTED_LINE, "parse_small",
                         "a234567890123456789012345678901234567890123456789012345678901234"));
}

Test(test_answers, shapes_are_names_and_none_comes_twice)
{
    static const char *const rows[] = {"\"a\",\"a\"", "\"A\"", "\"\"", "\"a_b\"",
                                       "\"a23456789012345678901234567890123\""};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char line[512];
        (void)snprintf(line, sizeof line,
                       "{\"type\":\"path\",\"name\":\"p\",\"about\":\"\",\"shapes\":[%s],"
                       "\"operations\":[],\"phases\":[],\"threads\":true}",
                       rows[i]);
        cr_expect(not(read_line(line)), "%s", line);
    }
}

Test(test_answers, what_is_not_json_is_refused)
{
    static const char *const rows[] = {
        "",
        "x",
        "[]",
        "null",
        "{",
        "}",
        "{}x",
        "{} {}",
        "{\"type\":\"end\",\"lines\":0}x",
        "{\"type\":\"end\",\"lines\":0} {}",
        "{\"type\"}",
        "{\"type\":}",
        "{\"type\":\"end\",\"lines\":0,}",
        "{,}",
        "{\"type\":\"end\" \"lines\":0}",
        "{\"type\":\"end\",\"lines\":00}",
        "{\"type\":\"end\",\"lines\":+0}",
        "{\"type\":\"end\",\"lines\":0x0}",
        "{\"type\":\"end\",\"lines\":0.}",
        "{\"type\":\"end\",\"lines\":.0}",
        "{\"type\":\"end\",\"lines\":-}",
        "{\"type\":\"end\",\"lines\":1e}",
        "{\"type\":\"end\",\"lines\":NaN}",
        "{\"type\":\"end\",\"lines\":0,\"lines\":0}",
        "{'type':'end','lines':0}",
        "{\"type\":\"end\",\"lines\":0,\"x\":[1,]}",
        "{\"type\":\"end\",\"lines\":0,\"x\":[1}",
        "{\"type\":\"end\",\"lines\":0,\"x\":{\"a\"}}",
        "{\"type\":\"end\",\"lines\":0,\"x\":nul}",
        "{\"type\":\"end\",\"lines\":0,\"x\":\"\\u0000\"}",
        "{\"type\":\"end\",\"lines\":0,\"x\":\"\\ud800\"}",
        "{\"type\":\"end\",\"lines\":0,\"x\":\"\\udc00\"}",
        "{\"type\":\"end\",\"lines\":0,\"x\":\"\\ud800\\u0041\"}",
        "{\"type\":\"end\",\"lines\":0,\"x\":\"\\x\"}",
        "{\"type\":\"end\",\"lines\":0,\"x\":\"a\tb\"}",
        "{\"type\":\"end\",\"lines\":0,\"x\":\"\xff\"}",
        "{\"type\":\"end\",\"lines\":0,\"x\":\"\xc0\x80\"}",
        "{\"type\":\"end\",\"lines\":0,\"x\":\"\xed\xa0\x80\"}",
        "{\"type\":\"end\",\"lines\":0,\"x\":\"\xf4\x90\x80\x80\"}",
        "{\"type\":\"end\",\"lines\":0,\"x\":\"\xe2\x82\"}",
        "{\"type\":\"end\",\"lines\":0,\"x\":[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]}",
        "\xef\xbb\xbf{\"type\":\"end\",\"lines\":0}",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cr_expect(not(read_line(rows[i])), "%s", rows[i]);
        cr_expect(fault.text[0] != '\0');
    }
}

Test(test_answers, text_and_numbers_are_what_they_say)
{
    static const char line[] =
        "{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u20ac\\ud83d\\ude00\",\"b\":-9223372036854775808,"
        "\"c\":9223372036854775807,\"d\":-0,\"e\":[],\"f\":false}";
    static struct flat_object object;
    cr_assert(flat_read(line, strlen(line), &object, &fault), "%s", fault.text);
    SAME(flat_find(&object, "a")->text, "\"\\/\b\f\n\r\t\xe2\x82\xac\xf0\x9f\x98\x80");
    cr_expect(eq(i64, flat_find(&object, "b")->number, INT64_MIN));
    cr_expect(eq(i64, flat_find(&object, "c")->number, INT64_MAX));
    cr_expect(eq(i64, flat_find(&object, "d")->number, 0));
    cr_expect(eq(int, (int)flat_find(&object, "e")->kind, FLAT_STRINGS));
    cr_expect(eq(int, (int)flat_find(&object, "f")->kind, FLAT_BOOL));
    cr_expect(flat_find(&object, "A") == NULL);
}

Test(test_answers, every_cut_of_a_line_is_refused)
{
    for (size_t length = 0; length < strlen(COUNTED_LINE); length++) {
        // A block of just that size, so that a read beyond it is a sanitizer's find.
        char *cut = malloc(length + 1);
        struct answer_stream stream = {0};
        memcpy(cut, COUNTED_LINE, length);
        cut = realloc(cut, length > 0 ? length : 1);
        cr_expect(not(answer_next(&stream, cut, length, &answer, &fault)));
        free(cut);
    }
}

static bool next(struct answer_stream *stream, const char *line)
{
    return answer_next(stream, line, strlen(line), &answer, &fault);
}

Test(test_answers, the_end_counts_and_is_the_end)
{
    struct answer_stream stream = {0};
    cr_assert(next(&stream, SUBJECT_LINE) && next(&stream, "{\"type\":\"news\"}"));
    cr_assert(next(&stream, "{\"type\":\"end\",\"lines\":2}"), "%s", fault.text);
    cr_assert(stream.ended);
    cr_assert(not(next(&stream, "{\"type\":\"news\"}")));
    cr_assert(strstr(fault.text, "after `end`") != NULL, "%s", fault.text);
    stream = (struct answer_stream){0};
    cr_assert(next(&stream, SUBJECT_LINE));
    cr_assert(not(next(&stream, "{\"type\":\"end\",\"lines\":2}")));
    stream = (struct answer_stream){.lines = ANSWER_LINES_MAX};
    cr_assert(not(next(&stream, "{\"type\":\"news\"}")));
}
