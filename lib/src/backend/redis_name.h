// SPDX-License-Identifier: MIT
// Addresses of a host's name, asked for on a helper thread so that a resolver that hangs overruns
// no deadline; the last good ones are kept for when it does.
#ifndef CKI_REDIS_NAME_H
#define CKI_REDIS_NAME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include <cachekit/status.h>

enum { CKI_ADDRESSES_MAX = 4 };

struct cki_addresses {
    int count;
    struct sockaddr_storage at[CKI_ADDRESSES_MAX];
    socklen_t len[CKI_ADDRESSES_MAX];
};

struct cki_name;

// NULL without memory. From malloc: a lookup that hangs may outlive whoever wanted it.
struct cki_name *cki_name_new(const char *host, uint16_t port);

struct cki_name *cki_name_keep(struct cki_name *name);
void cki_name_drop(struct cki_name *name); // NULL is allowed

// Takes at most half of what is left if older addresses are there to fall back on.
CACHEKIT_MUST_CHECK cachekit_status cki_name_find(struct cki_name *name, int64_t deadline_ns,
                                                  struct cki_addresses *out, cachekit_error *error);

// What was found is not to be trusted any more: the next one to ask looks it up anew.
void cki_name_distrust(struct cki_name *name);

#endif
