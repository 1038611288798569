// SPDX-License-Identifier: MIT
// Links are found and given back under the lock, and dialled, looked at and closed without it. A
// link that is in no list belongs to the thread that took it.
#include "backend/redis_pool.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "backend/instant.h"
#include "backend/redis_backoff.h"
#include "backend/redis_dial.h"
#include "base/alloc.h"
#include "base/entropy.h"
#include "base/status.h"

#define LIST_END UINT32_MAX

// A node's links are given up together at most this often.
#define DISTRUST_EVERY_NS INT64_C(1000000000)

static uint32_t number_of(const struct cki_redis *self, const struct cki_link *link)
{
    return (uint32_t)(link - self->links);
}

static bool make_locks(struct cki_redis *self)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0) {
        return false;
    }
    bool made = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
                pthread_cond_init(&self->given, &attributes) == 0;
    (void)pthread_condattr_destroy(&attributes);
    if (made && pthread_mutex_init(&self->lock, NULL) != 0) {
        (void)pthread_cond_destroy(&self->given);
        made = false;
    }
    return made;
}

static void list_all_closed(struct cki_redis *self)
{
    self->idle = LIST_END;
    self->closed = LIST_END;
    for (uint32_t i = self->link_count; i > 0; i--) {
        self->links[i - 1].next = self->closed;
        self->closed = i - 1;
    }
}

cachekit_status cki_pool_init(struct cki_redis *self, uint32_t link_count)
{
    size_t bytes = link_count * sizeof *self->links;
    self->links = cki_alloc(self->allocator, bytes);
    if (self->links == NULL) {
        return CACHEKIT_E_NOMEM;
    }
    memset(self->links, 0, bytes);
    self->link_count = link_count;
    for (uint32_t i = 0; i < link_count; i++) {
        atomic_init(&self->links[i].fd, -1);
    }
    list_all_closed(self);
    if (!make_locks(self)) {
        cki_free(self->allocator, self->links, bytes);
        self->links = NULL;
        return CACHEKIT_E_NOMEM;
    }
    return CACHEKIT_OK;
}

void cki_pool_release(struct cki_redis *self)
{
    if (self->links == NULL) {
        return;
    }
    for (uint32_t i = 0; i < self->link_count; i++) {
        cki_wire_close(&self->links[i]);
        cki_free(self->allocator, self->links[i].chunk, CKI_WIRE_CHUNK);
    }
    cki_free(self->allocator, self->links, self->link_count * sizeof *self->links);
    self->links = NULL;
    (void)pthread_cond_destroy(&self->given);
    (void)pthread_mutex_destroy(&self->lock);
}

// Only what is still the very socket: the number may have got another meaning in this process.
static void close_inherited(struct cki_link *link)
{
    struct stat about;
    int fd = atomic_exchange(&link->fd, -1);
    if (fd >= 0 && fstat(fd, &about) == 0 && S_ISSOCK(about.st_mode) &&
        about.st_ino == link->inode && about.st_dev == link->device) {
        (void)close(fd);
    }
    link->reader = NULL; // a lost thread may have been at it: it stays allocated
}

void cki_pool_forked(struct cki_redis *self)
{
    for (uint32_t i = 0; i < self->link_count; i++) {
        close_inherited(&self->links[i]);
    }
    list_all_closed(self);
    (void)make_locks(self);
    for (uint32_t i = 0; i < self->node_count; i++) {
        struct cki_node *node = &self->nodes[i];
        node->name = NULL;
        node->epoch++;
        node->is_used = i == 0;
        cki_backoff_proved(node);
    }
}

// Under the lock: the first idle link of the node, off its list; NULL if there is none.
static struct cki_link *pop_idle(struct cki_redis *self, uint32_t node)
{
    uint32_t *at = &self->idle;
    while (*at != LIST_END && self->links[*at].node != node) {
        at = &self->links[*at].next;
    }
    if (*at == LIST_END) {
        return NULL;
    }
    struct cki_link *link = &self->links[*at];
    *at = link->next;
    return link;
}

// Under the lock: a closed link, or else the idle one of any other node that was used longest ago.
static struct cki_link *pop_room(struct cki_redis *self)
{
    uint32_t *at = &self->closed;
    if (*at == LIST_END) {
        at = &self->idle;
        while (*at != LIST_END && self->links[*at].next != LIST_END) {
            at = &self->links[*at].next;
        }
    }
    if (*at == LIST_END) {
        return NULL;
    }
    struct cki_link *link = &self->links[*at];
    *at = link->next;
    return link;
}

// Under the lock.
static void push_closed(struct cki_redis *self, struct cki_link *link)
{
    link->next = self->closed;
    self->closed = number_of(self, link);
    (void)pthread_cond_signal(&self->given);
}

static void close_and_push(struct cki_redis *self, struct cki_link *link)
{
    cki_wire_close(link);
    (void)pthread_mutex_lock(&self->lock);
    push_closed(self, link);
    (void)pthread_mutex_unlock(&self->lock);
}

static cachekit_status refused_now(cachekit_status status, cachekit_error *error)
{
    return cki_fail(error, status, 0,
                    "redis: not dialled: the last attempt failed and its pause is not over");
}

// Under the lock. CACHEKIT_OK with a link to use or to dial (then `begun_ns` is set), or with none:
// wait.
static cachekit_status look_around(struct cki_redis *self, uint32_t number, struct cki_taken *out)
{
    struct cki_node *node = &self->nodes[number];
    *out = (struct cki_taken){pop_idle(self, number), 0};
    if (out->link != NULL) {
        return CACHEKIT_OK;
    }
    if (self->closed == LIST_END && self->idle == LIST_END) {
        return CACHEKIT_OK;
    }
    int64_t now = cki_instant_ns();
    cachekit_status status = cki_backoff_ask(node, now);
    out->link = status == CACHEKIT_OK ? pop_room(self) : NULL;
    if (out->link != NULL) {
        out->begun_ns = now;
        out->link->node = number;
        out->link->epoch = node->epoch;
    }
    return status;
}

// With the lock, as with pthread_cond_timedwait.
static cachekit_status wait_for_link(struct cki_redis *self, int64_t deadline_ns,
                                     cachekit_error *error)
{
    struct timespec until = {(time_t)(deadline_ns / 1000000000), (long)(deadline_ns % 1000000000)};
    if (deadline_ns <= cki_instant_ns()) {
        return cki_fail(error, CACHEKIT_E_TIMEOUT, 0,
                        "redis: all %u connections stayed in use until the deadline",
                        (unsigned)self->link_count);
    }
    (void)pthread_cond_timedwait(&self->given, &self->lock, &until);
    return CACHEKIT_OK;
}

// The node's name, made at its first use; NULL for a socket's path or without memory.
static struct cki_name *keep_name(struct cki_redis *self, uint32_t number)
{
    char host[CKI_HOST_ROOM];
    struct cki_node *node = &self->nodes[number];
    (void)pthread_mutex_lock(&self->lock);
    struct cki_name *name = cki_name_keep(node->name);
    uint32_t epoch = node->epoch;
    uint16_t port = node->port;
    memcpy(host, node->host, sizeof host);
    (void)pthread_mutex_unlock(&self->lock);
    if (name != NULL || host[0] == '\0') {
        return name;
    }
    name = cki_name_new(host, port);
    (void)pthread_mutex_lock(&self->lock);
    if (name != NULL && node->name == NULL && node->epoch == epoch) {
        node->name = cki_name_keep(name);
    }
    (void)pthread_mutex_unlock(&self->lock);
    return name;
}

// Makes a link of what look_around() found.
static cachekit_status dial(struct cki_redis *self, struct cki_taken taken, int64_t deadline_ns,
                            cachekit_error *error)
{
    struct cki_name *name = NULL;
    cachekit_status status = CACHEKIT_OK;
    cki_wire_close(taken.link); // it may have been another node's idle one
    if (self->url.path[0] == '\0') {
        name = keep_name(self, taken.link->node);
        if (name == NULL) {
            status = cki_fail(error, CACHEKIT_E_NOMEM, 0, "redis: no memory for a name");
        }
    }
    if (status == CACHEKIT_OK) {
        status = cki_redis_dial(self, name, taken.link, deadline_ns, error);
    }
    cki_name_drop(name);
    if (status != CACHEKIT_OK) {
        cki_pool_give(self, taken, CKI_BROKEN, status, deadline_ns);
    }
    return status;
}

cachekit_status cki_pool_take(struct cki_redis *self, uint32_t node, int64_t deadline_ns,
                              struct cki_taken *out, cachekit_error *error)
{
    for (;;) {
        (void)pthread_mutex_lock(&self->lock);
        cachekit_status status = look_around(self, node, out);
        bool is_current = out->link != NULL && out->link->epoch == self->nodes[node].epoch;
        if (status == CACHEKIT_OK && out->link == NULL) {
            status = wait_for_link(self, deadline_ns, error);
        } else if (status != CACHEKIT_OK) {
            (void)refused_now(status, error);
        }
        (void)pthread_mutex_unlock(&self->lock);
        if (status != CACHEKIT_OK) {
            return status;
        }
        if (out->link == NULL) {
            continue;
        }
        if (out->begun_ns != 0) {
            return dial(self, *out, deadline_ns, error);
        }
        if (is_current && cki_wire_is_quiet(out->link)) {
            return CACHEKIT_OK;
        }
        close_and_push(self, out->link);
    }
}

// Under the lock.
static void distrust(struct cki_node *node, const struct cki_link *link)
{
    int64_t now = cki_instant_ns();
    if (link->epoch == node->epoch &&
        (node->distrusted_ns == 0 || now - node->distrusted_ns >= DISTRUST_EVERY_NS)) {
        node->epoch++;
        node->distrusted_ns = now;
        cki_name_distrust(node->name);
    }
}

// Under the lock: what the outcome says about dialling this node.
static void learn(struct cki_redis *self, struct cki_taken taken, enum cki_outcome outcome,
                  bool counts, cachekit_status status, uint8_t jitter)
{
    struct cki_link *link = taken.link;
    struct cki_node *node = &self->nodes[link->node];
    bool has_failed = outcome == CKI_REFUSED || (outcome == CKI_BROKEN && counts);
    if (outcome == CKI_MOVE_ON) {
        distrust(node, link);
    }
    if (taken.begun_ns == 0 || link->is_proven) {
        return;
    }
    if (has_failed) {
        cki_backoff_failed(self, node, status, taken.begun_ns, jitter);
    } else if (outcome == CKI_BROKEN) {
        node->is_probing = false;
    } else {
        cki_backoff_proved(node);
        link->is_proven = true;
    }
}

void cki_pool_give(struct cki_redis *self, struct cki_taken taken, enum cki_outcome outcome,
                   cachekit_status status, int64_t deadline_ns)
{
    struct cki_link *link = taken.link;
    uint8_t jitter = 128;
    bool counts = cki_backoff_counts(status, taken.begun_ns, deadline_ns);
    bool keeps = outcome == CKI_KEEP && link->reader != NULL;
    if (!keeps) {
        cki_wire_close(link);
        // Without entropy the pause is what it is.
        if (cki_random(self->entropy, &jitter, sizeof jitter) != CACHEKIT_OK) {
            jitter = 128;
        }
    }
    (void)pthread_mutex_lock(&self->lock);
    learn(self, taken, outcome, counts, status, jitter);
    if (keeps) {
        link->next = self->idle;
        self->idle = number_of(self, link);
        (void)pthread_cond_signal(&self->given);
    } else {
        push_closed(self, link);
    }
    (void)pthread_mutex_unlock(&self->lock);
}
