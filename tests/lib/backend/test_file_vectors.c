// SPDX-License-Identifier: MIT
// The vectors of the CacheKit protocol, in both directions: what others wrote is read as they say,
// and what we write is what they would have written.
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include <cJSON.h>

#include <cachekit/cache.h>

#include "file_calls.h"
#include "file_kit.h"
#include "hex.h"

enum { ROWS = 5, ROOM = 256 };

#define NS_PER_S INT64_C(1000000000)

struct vector {
    const char *name;
    const char *key;
    const char *file_name;
    const char *action;
    uint8_t file[ROOM];
    size_t file_len;
    char payload[ROOM];
    int64_t expiry_s; // 0: never
    int64_t now_s;    // of the reader, 0: any
};

static const char *text_of(const cJSON *row, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(row, name));
    return text != NULL ? text : "";
}

static int64_t number_of(const cJSON *row, const char *name)
{
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(row, name);
    return cJSON_IsNumber(number) ? (int64_t)number->valuedouble : 0;
}

static cJSON *read_vectors(void)
{
    static char text[1 << 16];
    FILE *file = fopen(CACHEKIT_TEST_DIR "/vectors/file-backend.json", "rb");
    cr_assert(file != NULL);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    (void)fclose(file);
    cJSON *root = cJSON_Parse(text);
    cr_assert(root != NULL);
    return root;
}

static void read_row(const cJSON *row, struct vector *v)
{
    memset(v, 0, sizeof *v);
    v->name = text_of(row, "name");
    v->key = text_of(row, "key_utf8");
    v->file_name = text_of(row, "filename");
    v->action = text_of(row, "reader_action");
    v->file_len = hex_append(v->file, 0, ROOM, text_of(row, "file_hex"));
    (void)hex_append((uint8_t *)v->payload, 0, ROOM - 1, text_of(row, "payload_hex"));
    v->expiry_s = number_of(row, "expiry_unix_seconds");
    v->now_s = number_of(row, "reader_now_unix_seconds");
    if (v->payload[0] == '\0') {
        memcpy(v->payload, v->file + 14, v->file_len - 14);
    }
}

static void must_hold_file(struct file_kit *kit, const struct vector *v)
{
    uint8_t found[ROOM];
    long len = file_kit_raw(kit, v->file_name, found, sizeof found);
    cr_assert(len == (long)v->file_len, "%s", v->name);
    cr_assert(memcmp(found, v->file, v->file_len) == 0, "%s", v->name);
}

static void must_read(struct file_kit *kit, const struct vector *v)
{
    file_kit_plant(kit, v->file_name, v->file, v->file_len);
    if (strcmp(v->action, "miss_expired") == 0) {
        file_calls.wall_ns = v->now_s * NS_PER_S - 1;
        SAYS(file_kit_get(kit, v->key), CACHEKIT_OK);
        file_calls.wall_ns = v->now_s * NS_PER_S;
        SAYS(file_kit_get(kit, v->key), CACHEKIT_MISS);
        cr_assert(!file_kit_is_there(kit, v->file_name), "%s", v->name);
        return;
    }
    cachekit_status status = file_kit_get(kit, v->key);
    if (strcmp(v->action, "miss_preserve") == 0) {
        cr_assert(status == CACHEKIT_MISS, "%s", v->name);
    } else {
        cr_assert(strcmp(v->action, "return_payload") == 0, "%s", v->name);
        cr_assert(status == CACHEKIT_OK, "%s", v->name);
        cr_assert(file_kit_has(kit, v->payload), "%s", v->name);
    }
    must_hold_file(kit, v);
}

static void must_write(struct file_kit *kit, const struct vector *v)
{
    int64_t ttl_ms = CACHEKIT_FOREVER_MS;
    if (v->expiry_s != 0) {
        file_calls.wall_ns = (v->expiry_s - 60) * NS_PER_S + NS_PER_S / 2;
        ttl_ms = 59001; // a life is whole seconds, rounded up
    }
    SAYS(file_kit_set(kit, v->key, v->payload, ttl_ms), CACHEKIT_OK);
    must_hold_file(kit, v);
    SAYS(file_kit_get(kit, v->key), CACHEKIT_OK);
    cr_assert(file_kit_has(kit, v->payload), "%s", v->name);
}

Test(file_vectors, every_row_in_both_directions)
{
    cJSON *root = read_vectors();
    const cJSON *row = NULL;
    int rows = 0;
    int written = 0;
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(root, "vectors"))
    {
        struct vector v;
        struct file_kit kit;
        read_row(row, &v);
        file_kit_open(&kit, NULL);
        must_read(&kit, &v);
        if (strcmp(v.action, "miss_preserve") != 0) { // nobody writes such a file today
            must_write(&kit, &v);
            written++;
        }
        file_calls.wall_ns = 0;
        file_kit_close(&kit);
        rows++;
    }
    cr_assert(rows == ROWS);
    cr_assert(written == 3);
    cJSON_Delete(root);
}
