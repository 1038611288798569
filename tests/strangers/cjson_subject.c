// SPDX-License-Identifier: MIT
// cJSON as its users call it: a document of a hundred records in and out.
#include <ckbench/subject.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cJSON.h>

enum { RECORDS = 100, TEXT_BYTES = RECORDS * 80 };
static char text[TEXT_BYTES];

static void *fill(void)
{
    int at = snprintf(text, sizeof text, "[");
    for (int i = 0; i < RECORDS; i++) {
        at +=
            snprintf(text + at, sizeof text - (size_t)at,
                     "%s{\"id\":%d,\"name\":\"user%d\",\"score\":%d.5,\"tags\":[\"a\",null,true]}",
                     i == 0 ? "" : ",", i, i, i * 37 % 101);
    }
    (void)snprintf(text + at, sizeof text - (size_t)at, "]");
    return cJSON_Parse(text);
}

static void parse(void *state)
{
    (void)state;
    cJSON_Delete(cJSON_Parse(text));
}

static void print(void *state)
{
    free(cJSON_PrintUnformatted(state));
}

static int verify(void *state)
{
    char *again = cJSON_PrintUnformatted(state);
    int differs = again == NULL || strcmp(again, text) != 0;
    free(again);
    return differs;
}

static void drop(void *state)
{
    cJSON_Delete(state);
}

CKBENCH_PATH(cjson_parse, "read a hundred records into a tree and free it", fill, parse, verify,
             drop)
CKBENCH_PATH(cjson_print, "write the tree without spaces", fill, print, verify, drop)
CKBENCH_MAIN
