// SPDX-License-Identifier: MIT
// Error replies mean what the table in <cachekit/backends.h> says: the rows are read from there.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <string.h>

#include "backend/redis_error.h"
#include "redis_kit.h"
#include "scripted.h"

enum { ROWS_MAX = 64, HEAD = 160 };

static struct row {
    char begins[64];
    char status[32];
    char connection[16];
} rows[ROWS_MAX];
static int row_count;
static struct scripted server;

static void read_rows(void)
{
    char line[512];
    FILE *header = fopen(CACHEKIT_TEST_DIR "/../lib/include/cachekit/backends.h", "r");
    cr_assert(header != NULL);
    while (fgets(line, sizeof line, header) != NULL && strstr(line, "| reply begins") == NULL) {
    }
    cr_assert(fgets(line, sizeof line, header) != NULL); // the rule below the head
    while (fgets(line, sizeof line, header) != NULL && strncmp(line, " * |", 4) == 0) {
        struct row *row = &rows[row_count++];
        cr_assert(eq(int,
                     sscanf(line, " * | %63[^|] | %31[^ |] | %15[^ |] |", row->begins, row->status,
                            row->connection),
                     3),
                  "%s", line);
        for (size_t len = strlen(row->begins); len > 0 && row->begins[len - 1] == ' '; len--) {
            row->begins[len - 1] = '\0';
        }
    }
    (void)fclose(header);
}

static void open_all(void)
{
    read_rows();
    scripted_open(&server);
}

static void close_all(void)
{
    scripted_close(&server);
}

TestSuite(redis_errors, .init = open_all, .fini = close_all, .timeout = 120);

Test(redis_errors, the_documented_rows_are_all_rows)
{
    cr_assert(eq(sz, (size_t)row_count, cki_redis_error_count));
    for (int i = 0; i < row_count; i++) {
        bool is_rest = strcmp(rows[i].begins, "(anything else)") == 0;
        cr_assert(eq(str, is_rest ? (char *)"" : rows[i].begins,
                     (char *)(uintptr_t)cki_redis_errors[i].begins));
    }
}

static cachekit_status get(cachekit_backend *backend, cachekit_error *error)
{
    cachekit_buffer value = CACHEKIT_BUFFER_INIT;
    cachekit_status status =
        backend->ops->get(backend, REDIS_KIT_TEXT("k"), cachekit_deadline_ns(10000), &value, error);
    if (status == CACHEKIT_OK) {
        cr_assert(eq(sz, value.len, strlen("value of k")));
        cr_assert(memcmp(value.data, "value of k", value.len) == 0);
    } else {
        cr_assert(eq(sz, value.len, 0));
    }
    cachekit_buffer_release(&value);
    return status;
}

static void check_row(const struct row *row)
{
    char reply[HEAD];
    cachekit_error error = {.text = ""};
    const cachekit_redis_backend_options options = {.backoff_first_ms = 1, .backoff_max_ms = 1};
    bool is_rest = row->begins[0] == '(';
    cachekit_backend *backend = redis_kit_backend(server.url, &options);
    (void)snprintf(reply, sizeof reply, "-%s the k3y is s3cret 1.2.3.4:5\r\n",
                   is_rest ? "LOADINGX" : row->begins);
    cr_assert(eq(int, get(backend, NULL), CACHEKIT_OK));
    int before = scripted_counts(&server).accepted;
    scripted_say(&server, reply);
    cachekit_status status = get(backend, &error);
    cr_assert(eq(str, (char *)(uintptr_t)cachekit_status_name(status), (char *)row->status), "%s",
              row->begins);
    cr_assert(eq(int, error.status, status));
    cr_assert(strstr(error.text, "s3cret") == NULL && strstr(error.text, "k3y") == NULL);
    // Its pause is over in a moment.
    while ((status = get(backend, NULL)) != CACHEKIT_OK) {
        cr_assert(lt(int, status, 0));
    }
    int dialled = scripted_counts(&server).accepted - before;
    cr_assert(eq(int, dialled, strcmp(row->connection, "closed") == 0), "%s", row->begins);
    cachekit_backend_free(backend);
}

Test(redis_errors, every_row_has_its_status_and_its_effect_on_the_connection)
{
    cr_assert(gt(int, row_count, 10));
    for (int i = 0; i < row_count; i++) {
        check_row(&rows[i]);
    }
}

// Where the server lets us in no further, dialling again and again would be a storm.
Test(redis_errors, a_closed_door_is_not_knocked_at_again_at_once)
{
    static const struct {
        const char *reply;
        cachekit_status status;
    } doors[] = {{"-NOAUTH Authentication required.\r\n", CACHEKIT_E_REMOTE_AUTH},
                 {"-ERR max number of clients reached\r\n", CACHEKIT_E_TRANSIENT}};
    const cachekit_redis_backend_options options = {.backoff_first_ms = 60000,
                                                    .backoff_max_ms = 60000};
    for (int i = 0; i < 2; i++) {
        cachekit_backend *backend = redis_kit_backend(server.url, &options);
        int before = scripted_counts(&server).accepted;
        scripted_say(&server, doors[i].reply);
        for (int k = 0; k < 5; k++) {
            cr_assert(eq(int, get(backend, NULL), doors[i].status));
        }
        cr_assert(eq(int, scripted_counts(&server).accepted - before, 1));
        cachekit_backend_free(backend);
    }
}

Test(redis_errors, a_refused_login_is_one_whatever_the_words)
{
    static const struct {
        const char *reply;
        cachekit_status status;
    } logins[] = {
        {"-WRONGPASS invalid username-password pair or user is disabled.\r\n",
         CACHEKIT_E_REMOTE_AUTH},
        {"-ERR AUTH <password> called without any password configured\r\n", CACHEKIT_E_REMOTE_AUTH},
        {"-LOADING Redis is loading the dataset in memory\r\n", CACHEKIT_E_TRANSIENT},
        {":1\r\n", CACHEKIT_E_REMOTE_AUTH},
    };
    char url[128];
    (void)snprintf(url, sizeof url, "redis://:hush-hush@127.0.0.1:%d/2", server.port);
    for (size_t i = 0; i < sizeof logins / sizeof logins[0]; i++) {
        cachekit_error error = {.text = ""};
        cachekit_backend *backend = redis_kit_backend(url, NULL);
        scripted_say(&server, logins[i].reply);
        cr_assert(eq(int, get(backend, &error), logins[i].status));
        cr_assert(strstr(error.text, "hush") == NULL);
        cachekit_backend_free(backend);
    }
    cachekit_backend *backend = redis_kit_backend(url, NULL);
    scripted_say(&server, "+OK\r\n");
    scripted_say(&server, "-ERR DB index is out of range\r\n");
    cr_assert(eq(int, get(backend, NULL), CACHEKIT_E_CONFIG));
    cachekit_backend_free(backend);
}
