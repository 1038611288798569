// SPDX-License-Identifier: MIT
// Addresses of Redis: `redis://[user:password@]host[:port][/db]`,
// `unix://[user:password@]/path[?db=N]`, `redis+cluster://[user:password@]host[:port]`.
#ifndef CKI_URL_H
#define CKI_URL_H

#include <stdbool.h>
#include <stdint.h>

#include <cachekit/status.h>

enum { CKI_HOST_ROOM = 256, CKI_SOCKET_ROOM = 108, CKI_SECRET_ROOM = 1024 };

struct cki_url {
    bool is_cluster;
    char host[CKI_HOST_ROOM];   // empty: a socket's path instead
    char path[CKI_SOCKET_ROOM]; // fits sockaddr_un with its NUL
    char user[CKI_HOST_ROOM];   // empty: none
    char password[CKI_SECRET_ROOM];
    bool has_password;
    uint16_t port;
    uint32_t db;
};

// CACHEKIT_E_INVALID with what is wrong, CACHEKIT_E_CONFIG for what needs TLS. Messages repeat no
// byte of the address.
CACHEKIT_MUST_CHECK cachekit_status cki_url_read(const char *text, struct cki_url *out,
                                                 cachekit_error *error);

#endif
