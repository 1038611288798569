// SPDX-License-Identifier: MIT
// One pass from left to right over spans of the text; each part is unescaped into room of its own,
// so that what is too long is refused and nothing is allocated.
#include "backend/url.h"

#include <string.h>

#include "base/status.h"

enum { PORT_DEFAULT = 6379, DB_MAX = 1000000 };

struct span {
    const char *at;
    size_t len;
};

static cachekit_status refuse(cachekit_error *error, const char *why)
{
    return cki_fail(error, CACHEKIT_E_INVALID, 0, "url: %s", why);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// False for what does not fit, a bad escape, an escaped NUL.
static bool unescape(struct span in, char *out, size_t room)
{
    size_t len = 0;
    for (size_t i = 0; i < in.len; i++) {
        int c = (unsigned char)in.at[i];
        if (c == '%') {
            int high = i + 2 < in.len ? hex_digit(in.at[i + 1]) : -1;
            int low = high >= 0 ? hex_digit(in.at[i + 2]) : -1;
            if (low < 0) {
                return false;
            }
            c = high * 16 + low;
            i += 2;
        }
        if (c == 0 || len + 1 >= room) {
            return false;
        }
        out[len++] = (char)c;
    }
    out[len] = '\0';
    return true;
}

static bool read_number(struct span in, uint32_t max, uint32_t *out)
{
    uint32_t number = 0;
    for (size_t i = 0; i < in.len; i++) {
        if (in.at[i] < '0' || in.at[i] > '9') {
            return false;
        }
        number = number * 10 + (uint32_t)(in.at[i] - '0');
        if (number > max) {
            return false;
        }
    }
    *out = number;
    return in.len > 0;
}

// What stands before the first `c`, which is cut off `rest` with it; false if there is none.
static bool cut(struct span *rest, char c, struct span *before)
{
    const char *found = rest->len > 0 ? memchr(rest->at, c, rest->len) : NULL;
    if (found == NULL) {
        return false;
    }
    *before = (struct span){rest->at, (size_t)(found - rest->at)};
    *rest = (struct span){found + 1, rest->len - before->len - 1};
    return true;
}

static cachekit_status read_login(struct span login, struct cki_url *out, cachekit_error *error)
{
    struct span user;
    if (!cut(&login, ':', &user)) {
        return refuse(error, "before @ stand user and password with a colon between them");
    }
    if (!unescape(user, out->user, sizeof out->user)) {
        return refuse(error, "the user is too long or wrongly escaped");
    }
    if (login.len == 0 || !unescape(login, out->password, sizeof out->password)) {
        return refuse(error, "the password is empty, too long or wrongly escaped");
    }
    out->has_password = true;
    return CACHEKIT_OK;
}

static cachekit_status read_host(struct span host, struct cki_url *out, cachekit_error *error)
{
    struct span name;
    bool is_bracketed = host.len > 0 && host.at[0] == '[';
    if (is_bracketed) {
        host = (struct span){host.at + 1, host.len - 1};
        if (!cut(&host, ']', &name) || (host.len > 0 && host.at[0] != ':')) {
            return refuse(error, "the address in brackets does not end");
        }
        host = host.len > 0 ? (struct span){host.at + 1, host.len - 1} : (struct span){NULL, 0};
    } else if (!cut(&host, ':', &name)) {
        name = host;
        host = (struct span){NULL, 0};
    }
    if (name.len == 0 || !unescape(name, out->host, sizeof out->host)) {
        return refuse(error, "the host is missing, too long or wrongly escaped");
    }
    uint32_t port = PORT_DEFAULT;
    if (host.at != NULL && (!read_number(host, UINT16_MAX, &port) || port == 0)) {
        return refuse(error, "the port is no number from 1 to 65535");
    }
    out->port = (uint16_t)port;
    return CACHEKIT_OK;
}

// `user:password@` as far as there is one before the first slash.
static cachekit_status read_authority(struct span authority, struct cki_url *out,
                                      cachekit_error *error)
{
    struct span login = {authority.at, 0};
    for (size_t i = authority.len; i > 0 && login.len == 0; i--) {
        login.len = authority.at[i - 1] == '@' ? i : 0;
    }
    struct span host = {authority.at + login.len, authority.len - login.len};
    if (login.len > 0) {
        login.len--;
        cachekit_status status = read_login(login, out, error);
        if (status != CACHEKIT_OK) {
            return status;
        }
    }
    if (out->path[0] != '\0') {
        return host.len == 0 ? CACHEKIT_OK : refuse(error, "unix:// wants a path from the root");
    }
    return read_host(host, out, error);
}

static cachekit_status read_db(struct span db, struct cki_url *out, cachekit_error *error)
{
    if (db.len > 0 && !read_number(db, DB_MAX, &out->db)) {
        return refuse(error, "the database is no number");
    }
    if (out->is_cluster && out->db != 0) {
        return refuse(error, "a Cluster has no databases but 0");
    }
    return CACHEKIT_OK;
}

static cachekit_status read_unix(struct span rest, struct cki_url *out, cachekit_error *error)
{
    const char *slash = memchr(rest.at, '/', rest.len);
    if (slash == NULL) {
        return refuse(error, "unix:// wants a path from the root");
    }
    struct span authority = {rest.at, (size_t)(slash - rest.at)};
    struct span path = {slash, rest.len - authority.len}, before;
    struct span db = path;
    if (cut(&db, '?', &before)) {
        path = before;
        if (db.len < 4 || memcmp(db.at, "db=", 3) != 0) {
            return refuse(error, "after ? stands db=N and nothing else");
        }
        db = (struct span){db.at + 3, db.len - 3};
    } else {
        db.len = 0;
    }
    if (path.len < 2 || !unescape(path, out->path, sizeof out->path)) {
        return refuse(error, "the socket's path is missing, too long or wrongly escaped");
    }
    cachekit_status status = read_authority(authority, out, error);
    return status == CACHEKIT_OK ? read_db(db, out, error) : status;
}

static cachekit_status read_tcp(struct span rest, struct cki_url *out, cachekit_error *error)
{
    struct span authority = rest;
    struct span db = rest;
    if (cut(&db, '/', &authority)) {
        if (db.len > 0 && memchr(db.at, '?', db.len) != NULL) {
            return refuse(error, "redis:// takes no ?");
        }
    } else {
        db.len = 0;
    }
    cachekit_status status = read_authority(authority, out, error);
    return status == CACHEKIT_OK ? read_db(db, out, error) : status;
}

static const struct {
    const char *prefix;
    bool is_cluster;
    cachekit_status (*read)(struct span rest, struct cki_url *out, cachekit_error *error);
} schemes[] = {
    {"redis://", false, read_tcp},
    {"redis+cluster://", true, read_tcp},
    {"unix://", false, read_unix},
};

cachekit_status cki_url_read(const char *text, struct cki_url *out, cachekit_error *error)
{
    memset(out, 0, sizeof *out);
    if (strncmp(text, "rediss:", strlen("rediss:")) == 0) {
        return cki_fail(error, CACHEKIT_E_CONFIG, 0,
                        "url: rediss:// needs TLS, which this library does not speak");
    }
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        size_t len = strlen(schemes[i].prefix);
        if (strncmp(text, schemes[i].prefix, len) == 0) {
            out->is_cluster = schemes[i].is_cluster;
            return schemes[i].read((struct span){text + len, strlen(text + len)}, out, error);
        }
    }
    return refuse(error, "want redis://, redis+cluster:// or unix://");
}
