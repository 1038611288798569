// SPDX-License-Identifier: MIT
// Addresses: what they mean, and which are refused without repeating a byte of them.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

#include <cachekit/backends.h>

#include "backend/url.h"

Test(redis_url, parts_are_found)
{
    static const struct {
        const char *url, *host, *path, *user, *password;
        uint16_t port;
        uint32_t db;
        bool is_cluster;
    } rows[] = {
        {"redis://h", "h", "", "", "", 6379, 0, false},
        {"redis://h/", "h", "", "", "", 6379, 0, false},
        {"redis://h:1/15", "h", "", "", "", 1, 15, false},
        {"redis://[::1]", "::1", "", "", "", 6379, 0, false},
        {"redis://[fe80::1%25eth0]:65535/0", "fe80::1%eth0", "", "", "", 65535, 0, false},
        {"redis://u:p@h", "h", "", "u", "p", 6379, 0, false},
        {"redis://:p@h:7", "h", "", "", "p", 7, 0, false},
        {"redis://u:p%40%3a%2F%25@h", "h", "", "u", "p@:/%", 6379, 0, false},
        {"redis://u:a:b@c@h", "h", "", "u", "a:b@c", 6379, 0, false},
        {"unix:///run/r.sock", "", "/run/r.sock", "", "", 0, 0, false},
        {"unix:///run/a%20b?db=3", "", "/run/a b", "", "", 0, 3, false},
        {"unix://u:p@/s", "", "/s", "u", "p", 0, 0, false},
        {"redis+cluster://u:p@h:7000", "h", "", "u", "p", 7000, 0, true},
        {"redis+cluster://h/0", "h", "", "", "", 6379, 0, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cki_url url;
        cr_assert(eq(int, cki_url_read(rows[i].url, &url, NULL), CACHEKIT_OK), "%s", rows[i].url);
        cr_assert(eq(int, strcmp(url.host, rows[i].host), 0), "%s", url.host);
        cr_assert(eq(int, strcmp(url.path, rows[i].path), 0), "%s", url.path);
        cr_assert(eq(int, strcmp(url.user, rows[i].user), 0), "%s", url.user);
        cr_assert(eq(int, strcmp(url.password, rows[i].password), 0), "%s", url.password);
        cr_assert(eq(int, url.has_password, rows[i].password[0] != '\0'));
        cr_assert(eq(int, url.port, rows[i].port));
        cr_assert(eq(u32, url.db, rows[i].db));
        cr_assert(eq(int, url.is_cluster, rows[i].is_cluster));
    }
}

Test(redis_url, what_is_wrong_is_named_and_not_shown)
{
    static const struct {
        const char *url, *says;
    } rows[] = {
        {"", "want redis://"},
        {"http://zzz", "want redis://"},
        {"redis:zzz", "want redis://"},
        {"redis://", "host"},
        {"redis://:zzz@", "host"},
        {"redis://zzz:0", "port"},
        {"redis://zzz:65536", "port"},
        {"redis://zzz:", "port"},
        {"redis://zzz:6a", "port"},
        {"redis://zzz:18446744073709551617", "port"},
        {"redis://[::1", "brackets"},
        {"redis://[::1]zzz", "brackets"},
        {"redis://zzz/x", "database"},
        {"redis://zzz/-1", "database"},
        {"redis://zzz/4294967296", "database"},
        {"redis://zzz/0?db=1", "no ?"},
        {"redis://zzz@h", "colon"},
        {"redis://zzz:@h", "password"},
        {"redis://u:zzz%@h", "password"},
        {"redis://u:zzz%4@h", "password"},
        {"redis://u:zzz%00@h", "password"},
        {"redis://u:zzz%zz@h", "password"},
        {"redis://zzz%:p@h", "user"},
        {"redis+cluster://zzz/1", "Cluster"},
        {"unix://zzz", "path"},
        {"unix:///", "path"},
        {"unix://zzz/s", "path"},
        {"unix:///zzz?x=1", "db=N"},
        {"unix:///zzz?db=", "db=N"},
        {"unix:///zzz?db=1&password=p", "database"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cachekit_backend *backend = (cachekit_backend *)(uintptr_t)1;
        cachekit_redis_backend_options options = {.size = sizeof options, .url = rows[i].url};
        cachekit_error error = {.text = ""};
        cr_assert(
            eq(int, cachekit_redis_backend_new(&options, &backend, &error), CACHEKIT_E_INVALID),
            "%s", rows[i].url);
        cr_assert(backend == NULL);
        cr_assert(strstr(error.text, rows[i].says) != NULL, "%s: %s", rows[i].url, error.text);
        cr_assert(strstr(error.text, "zzz") == NULL, "%s", error.text);
    }
    char text[400] = "unix:///";
    memset(text + 8, 'p', 120);
    struct cki_url url;
    cr_assert(eq(int, cki_url_read(text, &url, NULL), CACHEKIT_E_INVALID));
    memcpy(text, "redis://", 8);
    memset(text + 8, 'h', 300);
    cr_assert(eq(int, cki_url_read(text, &url, NULL), CACHEKIT_E_INVALID));
}

Test(redis_url, tls_is_refused_by_name)
{
    cachekit_backend *backend;
    cachekit_error error = {.text = ""};
    cr_assert(eq(int, cachekit_backend_open("rediss://h", &backend, &error), CACHEKIT_E_CONFIG));
    cr_assert(strstr(error.text, "rediss://") != NULL && strstr(error.text, "TLS") != NULL);
}

Test(redis_url, addresses_pick_their_backend)
{
    static const struct {
        const char *address, *name;
    } rows[] = {{"redis://h", "redis"},
                {"unix:///s", "redis"},
                {"redis+cluster://h", "redis"},
                {"memory:", "memory"}};
    cachekit_backend *backend;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cr_assert(eq(int, cachekit_backend_open(rows[i].address, &backend, NULL), CACHEKIT_OK));
        cr_assert(eq(int, strcmp(backend->ops->name, rows[i].name), 0));
        cachekit_backend_free(backend);
    }
    static const char *const wrong[] = {"", "memory", "memory:x", "http://h", "/nowhere"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        cr_assert(eq(int, cachekit_backend_open(wrong[i], &backend, NULL), CACHEKIT_E_INVALID));
        cr_assert(backend == NULL);
    }
    cr_assert(eq(int, cachekit_backend_open(NULL, &backend, NULL), CACHEKIT_E_INVALID));
}

Test(redis_url, options_outside_their_bounds_are_named)
{
    static const struct {
        cachekit_redis_backend_options options;
        const char *says;
    } rows[] = {
        {{.size = 1}, "size"},
        {{.url = NULL}, "url"},
        {{.url = "redis://h", .tenant = ""}, "tenant"},
        {{.url = "redis://h", .connections_max = 10001}, "connections_max"},
        {{.url = "redis://h", .reply_max_bytes = (size_t)1 << 30}, "reply_max_bytes"},
        {{.url = "redis://h", .backoff_first_ms = -1}, "backoff_first_ms"},
        {{.url = "redis://h", .backoff_first_ms = 40000}, "backoff_first_ms"},
        {{.url = "redis://h", .backoff_max_ms = -1}, "backoff_max_ms"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cachekit_redis_backend_options options = rows[i].options;
        cachekit_error error = {.text = ""};
        cachekit_backend *backend;
        options.size = options.size != 0 ? options.size : sizeof options;
        cr_assert(
            eq(int, cachekit_redis_backend_new(&options, &backend, &error), CACHEKIT_E_INVALID));
        cr_assert(eq(int, strncmp(error.text, rows[i].says, strlen(rows[i].says)), 0), "%s",
                  error.text);
        cr_assert(backend == NULL);
    }
}

Test(redis_url, deadlines_saturate_and_classes_have_names)
{
    int64_t now = cachekit_deadline_ns(0);
    cr_assert(ge(i64, cachekit_deadline_ns(1000) - now, INT64_C(1000000000)));
    cr_assert(eq(i64, cachekit_deadline_ns(INT64_MAX), INT64_MAX));
    cr_assert(eq(i64, cachekit_deadline_ns(INT64_MIN), INT64_MIN));
    cr_assert(eq(int, strcmp(cachekit_backend_class(CACHEKIT_E_TRANSIENT), "transient"), 0));
    cr_assert(eq(int, strcmp(cachekit_backend_class(CACHEKIT_E_REMOTE_AUTH), "authentication"), 0));
    cr_assert(eq(int, strcmp(cachekit_backend_class(CACHEKIT_E_UNKNOWN), "unknown"), 0));
    cr_assert(eq(int, strcmp(cachekit_backend_class(CACHEKIT_E_BOMB), "unknown"), 0));
}
