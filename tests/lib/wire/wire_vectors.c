// SPDX-License-Identifier: MIT
// Reads the protocol's vector file with cJSON, which shares nothing with the code under test.
#include "wire_vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cJSON.h>

#include "hex.h"

static char *read_all(const char *path)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    size_t len = fread(text, 1, sizeof text - 1, file);
    text[len] = '\0';
    return fclose(file) == 0 ? text : NULL;
}

static const char *text_of(const cJSON *row, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(row, name));
    return text != NULL ? text : "";
}

static int load_row(const cJSON *json, struct wire_vector *row)
{
    snprintf(row->name, sizeof row->name, "%s", text_of(json, "name"));
    snprintf(row->format, sizeof row->format, "%s", text_of(json, "format"));
    row->is_bin = strcmp(text_of(json, "envelope_encoding"), "bin") == 0;
    row->payload_len = hex_append(row->payload, 0, WIRE_VECTOR_ROOM, text_of(json, "input_hex"));
    row->envelope_len =
        hex_append(row->envelope, 0, WIRE_VECTOR_ROOM, text_of(json, "envelope_hex"));
    const cJSON *input_size = cJSON_GetObjectItemCaseSensitive(json, "input_size");
    const cJSON *envelope_size = cJSON_GetObjectItemCaseSensitive(json, "envelope_size");
    return cJSON_IsNumber(input_size) && cJSON_IsNumber(envelope_size) &&
           (size_t)input_size->valuedouble == row->payload_len &&
           (size_t)envelope_size->valuedouble == row->envelope_len;
}

size_t wire_vectors_load(struct wire_vector *rows, size_t room)
{
    const char *text = read_all(CACHEKIT_TEST_DIR "/vectors/wire-format.json");
    cJSON *root = text != NULL ? cJSON_Parse(text) : NULL;
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(root, "vectors");
    const cJSON *json = NULL;
    size_t count = 0;
    cJSON_ArrayForEach(json, list)
    {
        if (count == room || !load_row(json, &rows[count])) {
            cJSON_Delete(root);
            return 0;
        }
        count++;
    }
    cJSON_Delete(root);
    return count;
}
