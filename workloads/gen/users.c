// SPDX-License-Identifier: MIT
// The user document: nested maps with many short, repeated strings, as services answer. The rule
// is fixed, for figures elsewhere were measured on these very bytes; SHA256SUMS pins them.

#include "gen/users.h"

static void key_text(pack *out, const char *key, const char *text)
{
    pack_text(out, "%s", key);
    pack_text(out, "%s", text);
}

static void key_int(pack *out, const char *key, int64_t value)
{
    pack_text(out, "%s", key);
    pack_int(out, value);
}

static void permissions(pack *out, unsigned id)
{
    static const char *const names[] = {"read", "write", "admin"};
    uint16_t count = id % 10 == 0 ? 3 : 1;
    pack_text(out, "permissions");
    pack_array(out, count);
    for (unsigned i = 0; i < count; i++) {
        pack_text(out, "%s", names[i]);
    }
}

static void user(pack *out, unsigned id)
{
    pack_map(out, 7);
    key_int(out, "id", id);
    pack_text(out, "username");
    pack_text(out, "user_%u", id);
    pack_text(out, "email");
    pack_text(out, "user_%u@example.com", id);
    pack_text(out, "profile");
    pack_map(out, 3);
    pack_text(out, "name");
    pack_text(out, "User %u", id);
    key_int(out, "age", 20 + id % 50);
    key_text(out, "location", "San Francisco");
    pack_text(out, "settings");
    pack_map(out, 3);
    key_text(out, "theme", "dark");
    pack_text(out, "notifications");
    pack_bool(out, true);
    key_text(out, "language", "en");
    permissions(out, id);
    pack_text(out, "metadata");
    pack_map(out, 3);
    key_text(out, "created_at", "2025-01-01");
    key_text(out, "last_login", "2025-01-15");
    key_int(out, "login_count", 42 * (int64_t)id);
}

void users_make(pack *out, uint16_t users)
{
    pack_map(out, 4);
    key_text(out, "status", "success");
    key_text(out, "timestamp", "2025-01-15T10:30:00Z");
    pack_text(out, "data");
    pack_map(out, 2);
    pack_text(out, "users");
    pack_array(out, users);
    for (unsigned id = 0; id < users; id++) {
        user(out, id);
    }
    pack_text(out, "pagination");
    pack_map(out, 4);
    key_int(out, "page", 1);
    key_int(out, "per_page", users);
    key_int(out, "total", users);
    key_int(out, "total_pages", 1);
    pack_text(out, "meta");
    pack_map(out, 3);
    key_text(out, "api_version", "v2");
    key_text(out, "request_id", "abc123");
    key_int(out, "execution_time_ms", 42);
}
