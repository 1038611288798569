// SPDX-License-Identifier: MIT
// One lookup of a name runs at a time, on a detached thread that holds the name; all who want the
// result wait for it, each until a deadline of its own. Numeric addresses need no thread.
#include "backend/redis_name.h"

#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "backend/instant.h"
#include "backend/url.h"
#include "base/alloc.h"
#include "base/status.h"

// A result this young serves those who dial at the same time.
#define FRESH_NS INT64_C(1000000000)

struct cki_name {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int holds;
    bool is_looking;
    bool is_numeric;
    int64_t found_ns; // when `last` was found; 0: not to be trusted
    int failure;      // of the last lookup, getaddrinfo's
    uint64_t lookups; // that have ended
    struct cki_addresses last;
    char host[CKI_HOST_ROOM];
    char port[8];
};

static bool make_waitable(struct cki_name *name)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0) {
        return false;
    }
    bool made = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
                pthread_cond_init(&name->changed, &attributes) == 0;
    (void)pthread_condattr_destroy(&attributes);
    if (made && pthread_mutex_init(&name->lock, NULL) != 0) {
        (void)pthread_cond_destroy(&name->changed);
        made = false;
    }
    return made;
}

static int look_up(const struct cki_name *name, int flags, struct cki_addresses *out)
{
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    hints.ai_flags = flags | AI_NUMERICSERV;
    int failure = getaddrinfo(name->host, name->port, &hints, &found);
    if (failure != 0) {
        return failure;
    }
    out->count = 0;
    for (struct addrinfo *a = found; a != NULL && out->count < CKI_ADDRESSES_MAX; a = a->ai_next) {
        memcpy(&out->at[out->count], a->ai_addr, a->ai_addrlen);
        out->len[out->count++] = a->ai_addrlen;
    }
    freeaddrinfo(found);
    return out->count > 0 ? 0 : EAI_NONAME;
}

struct cki_name *cki_name_new(const char *host, uint16_t port)
{
    struct cki_name *name = cki_alloc(NULL, sizeof *name);
    if (name == NULL) {
        return NULL;
    }
    memset(name, 0, sizeof *name);
    name->holds = 1;
    (void)snprintf(name->host, sizeof name->host, "%s", host);
    (void)snprintf(name->port, sizeof name->port, "%u", (unsigned)port);
    name->is_numeric = look_up(name, AI_NUMERICHOST, &name->last) == 0;
    if (!make_waitable(name)) {
        cki_free(NULL, name, sizeof *name);
        return NULL;
    }
    return name;
}

struct cki_name *cki_name_keep(struct cki_name *name)
{
    if (name != NULL) {
        (void)pthread_mutex_lock(&name->lock);
        name->holds++;
        (void)pthread_mutex_unlock(&name->lock);
    }
    return name;
}

void cki_name_drop(struct cki_name *name)
{
    if (name == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&name->lock);
    bool is_last = --name->holds == 0;
    (void)pthread_mutex_unlock(&name->lock);
    if (is_last) {
        (void)pthread_cond_destroy(&name->changed);
        (void)pthread_mutex_destroy(&name->lock);
        cki_free(NULL, name, sizeof *name);
    }
}

static void *look_up_thread(void *context)
{
    struct cki_name *name = context;
    struct cki_addresses found;
    int failure = look_up(name, 0, &found);
    (void)pthread_mutex_lock(&name->lock);
    name->is_looking = false;
    name->failure = failure;
    name->lookups++;
    if (failure == 0) {
        name->last = found;
        name->found_ns = cki_instant_ns();
    }
    (void)pthread_cond_broadcast(&name->changed);
    (void)pthread_mutex_unlock(&name->lock);
    cki_name_drop(name);
    return NULL;
}

// The host's signals are not for this thread.
static bool start_thread(struct cki_name *name)
{
    sigset_t all, before;
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&thread, &attributes, look_up_thread, name) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    return started;
}

// Under the lock. False: no lookup runs and none can be started.
static bool ensure_looking(struct cki_name *name)
{
    if (!name->is_looking) {
        name->holds++;
        name->is_looking = true;
        if (!start_thread(name)) {
            name->is_looking = false;
            name->holds--;
        }
    }
    return name->is_looking;
}

// Under the lock. True if a lookup ended in time.
static bool wait_for_lookup(struct cki_name *name, int64_t until_ns)
{
    uint64_t before = name->lookups;
    struct timespec until = {(time_t)(until_ns / 1000000000), (long)(until_ns % 1000000000)};
    while (name->lookups == before) {
        if (pthread_cond_timedwait(&name->changed, &name->lock, &until) != 0 &&
            cki_instant_ns() >= until_ns) {
            break;
        }
    }
    return name->lookups != before;
}

static cachekit_status not_found(bool in_time, int failure, cachekit_error *error)
{
    if (!in_time) {
        return cki_fail(error, CACHEKIT_E_TIMEOUT, 0,
                        "redis: the host's name was not resolved before the deadline");
    }
    cachekit_status status =
        cki_fail(error, CACHEKIT_E_TRANSIENT, 0, "redis: the host's name cannot be resolved");
    if (error != NULL) {
        error->foreign = failure;
    }
    return status;
}

cachekit_status cki_name_find(struct cki_name *name, int64_t deadline_ns, struct cki_addresses *out,
                              cachekit_error *error)
{
    cachekit_status status = CACHEKIT_OK;
    (void)pthread_mutex_lock(&name->lock);
    int64_t now = cki_instant_ns();
    bool is_fresh = name->found_ns != 0 && now - name->found_ns < FRESH_NS;
    if (!name->is_numeric && !is_fresh) {
        int64_t left = deadline_ns > now ? deadline_ns - now : 0;
        int64_t until = now + (name->last.count > 0 ? left / 2 : left);
        bool in_time = ensure_looking(name) && wait_for_lookup(name, until);
        if (name->last.count == 0) {
            status = not_found(in_time || !name->is_looking, name->failure, error);
        }
    }
    *out = name->last;
    (void)pthread_mutex_unlock(&name->lock);
    return status;
}

void cki_name_distrust(struct cki_name *name)
{
    if (name != NULL) {
        (void)pthread_mutex_lock(&name->lock);
        name->found_ns = 0;
        (void)pthread_mutex_unlock(&name->lock);
    }
}
