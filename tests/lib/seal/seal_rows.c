// SPDX-License-Identifier: MIT
#include "seal_rows.h"

#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "hex.h"

struct seal_row seal_rows[SEAL_ROWS_MAX];
static size_t row_count;
static cJSON *documents[2];

static cJSON *read_document(const char *path)
{
    static char text[1 << 20];
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    size_t len = fread(text, 1, sizeof text, file);
    (void)fclose(file);
    return cJSON_ParseWithLength(text, len);
}

static const char *member(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

static void add_row(const cJSON *row, const char *master, const char *tenant,
                    const char *fingerprint)
{
    if (row_count == SEAL_ROWS_MAX) {
        abort();
    }
    const char *key = member(row, "cache_key");
    struct seal_row *out = &seal_rows[row_count++];
    *out = (struct seal_row){.name = member(row, "name"),
                             .master = master,
                             .tenant = tenant,
                             .fingerprint = fingerprint};
    out->binding =
        (cachekit_binding){{(const uint8_t *)key, strlen(key)},
                           member(row, "format"),
                           cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(row, "compressed")),
                           member(row, "original_type")};
    out->aad_len = hex_append(out->aad, 0, SEAL_ROW_ROOM, member(row, "aad_hex"));
    if (member(row, "ciphertext_hex") == NULL) {
        return;
    }
    out->plain_len = hex_append(out->plain, 0, SEAL_ROW_ROOM, member(row, "plaintext_hex"));
    out->sealed_len = hex_append(out->sealed, 0, SEAL_ROW_ROOM, member(row, "ciphertext_hex"));
}

static void add_rows(const cJSON *group, const char *master)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(group, "vectors"))
    {
        add_row(row, master, member(group, "tenant_id"),
                member(group, "derived_key_fingerprint_hex"));
    }
}

static void add_keyring_rows(const cJSON *group)
{
    const cJSON *entries = cJSON_GetObjectItemCaseSensitive(group, "entries");
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(group, "vectors"))
    {
        const cJSON *entry;
        cJSON_ArrayForEach(entry, entries)
        {
            if (strcmp(member(entry, "id"), member(row, "encrypted_with")) == 0) {
                add_row(row, member(entry, "master_key_hex"), member(group, "tenant_id"),
                        member(entry, "derived_key_fingerprint_hex"));
            }
        }
    }
}

size_t seal_rows_load(void)
{
    row_count = 0;
    documents[0] = read_document(CACHEKIT_TEST_DIR "/vectors/encryption.json");
    documents[1] = read_document(CACHEKIT_TEST_DIR "/vectors/interop-mode.json");
    if (documents[0] == NULL || documents[1] == NULL) {
        return 0;
    }
    const char *master = member(documents[0], "master_key_hex");
    add_rows(documents[0], master);
    add_rows(cJSON_GetObjectItemCaseSensitive(documents[0], "default_tenant"), master);
    add_keyring_rows(cJSON_GetObjectItemCaseSensitive(documents[0], "keyring"));
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(documents[1], "encryption_vectors"))
    {
        add_row(row, member(row, "master_key_hex"), member(row, "tenant_id"),
                member(row, "derived_key_fingerprint_hex"));
    }
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(documents[1], "aad_vectors"))
    {
        add_row(row, NULL, member(row, "tenant_id"), NULL);
    }
    return row_count;
}

void seal_rows_free(void)
{
    cJSON_Delete(documents[0]);
    cJSON_Delete(documents[1]);
}
