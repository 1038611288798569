// SPDX-License-Identifier: MIT
// Children of a process whose threads are in the middle of questions: they ask over sockets of
// their own, close what they inherited and nothing else, and the parent notices nothing.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/redis_fork.h"
#include "redis_kit.h"

enum { THREADS = 3, FORKS = 100, SECONDS_MAX = 60 };

#if defined(__SANITIZE_ADDRESS__)
#    define WITH_ASAN 1
#elif defined(__has_feature)
#    if __has_feature(address_sanitizer)
#        define WITH_ASAN 1
#    endif
#endif
#ifndef WITH_ASAN
#    define WITH_ASAN 0
#endif

static struct redis_kit kit;
static cachekit_backend *backend;
static atomic_bool is_over;
static atomic_int wrong;
static atomic_long asked;

static void open_all(void)
{
    const cachekit_redis_backend_options options = {.connections_max = 8};
    redis_kit_open(&kit, NULL);
    backend = redis_kit_backend(kit.tcp_url, &options);
}

static void close_all(void)
{
    cachekit_backend_free(backend);
    redis_kit_close(&kit);
}

TestSuite(redis_fork, .init = open_all, .fini = close_all, .timeout = 300);

// Sets and gets a key of its own; 0 if the value is that of the key.
static int use(long who, int turn)
{
    char key[64];
    int len = snprintf(key, sizeof key, "key %ld %d", who, turn % 7);
    cachekit_buffer value = CACHEKIT_BUFFER_INIT;
    cachekit_slice slice = redis_kit_slice(key, (size_t)len);
    int64_t deadline_ns = cachekit_deadline_ns(30000);
    cachekit_status status = backend->ops->set(backend, slice, slice, 60000, deadline_ns, NULL);
    if (status == CACHEKIT_OK) {
        status = backend->ops->get(backend, slice, deadline_ns, &value, NULL);
    }
    int bad =
        status != CACHEKIT_OK || value.len != slice.len || memcmp(value.data, key, value.len) != 0;
    cachekit_buffer_release(&value);
    return bad;
}

static void *hammer(void *arg)
{
    for (int i = 0; !atomic_load(&is_over); i++) {
        atomic_fetch_add(&wrong, use((long)(intptr_t)arg, i));
        atomic_fetch_add(&asked, 1);
    }
    return NULL;
}

static int sockets(void)
{
    struct stat about;
    int count = 0;
    for (int fd = 0; fd < 256; fd++) {
        count += fstat(fd, &about) == 0 && S_ISSOCK(about.st_mode);
    }
    return count;
}

// Of a file that the child opened before its first use; its number may be one that was a
// connection's in the parent at some moment.
static int be_a_child(int inherited)
{
    (void)alarm(SECONDS_MAX);
    struct stat about;
    int mine = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int before = sockets();
    for (int i = 0; i < 3; i++) {
        if (use((long)getpid(), i) != 0) {
            return 2;
        }
    }
    if (fstat(mine, &about) != 0 || !S_ISCHR(about.st_mode)) {
        return 3;
    }
    // All of the parent's are closed and one is ours.
    if (inherited >= 0 && sockets() != before - inherited + 1) {
        return 4;
    }
    cachekit_backend_free(backend);
    return 0;
}

static void expect_end(pid_t child)
{
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    bool ended_well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    cr_assert(ended_well, "a child ended with %#x", (unsigned)status);
}

// AddressSanitizer's allocator may be locked for ever in such a child.
Test(redis_fork, children_of_a_busy_process_use_sockets_of_their_own, .disabled = WITH_ASAN)
{
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < THREADS; i++) {
        cr_assert(eq(int, pthread_create(&threads[i], NULL, hammer, (void *)(i + 1)), 0));
    }
    for (int i = 0; i < FORKS; i++) {
        long before = atomic_load(&asked);
        while (atomic_load(&asked) == before) {
        }
        pid_t child = fork();
        if (child == 0) {
            _exit(be_a_child(-1));
        }
        cr_assert(gt(int, child, 0));
        expect_end(child);
    }
    atomic_store(&is_over, true);
    for (int i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    cr_assert(eq(int, atomic_load(&wrong), 0));
}

Test(redis_fork, a_child_closes_what_it_inherited_and_the_parent_goes_on)
{
    for (int i = 0; i < 5; i++) {
        cr_assert(eq(int, use(1, i), 0));
        pid_t child = i % 2 == 0 ? fork() : (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
        if (child == 0) {
            _exit(be_a_child(1));
        }
        cr_assert(gt(int, child, 0));
        expect_end(child);
        cr_assert(eq(int, use(1, i), 0));
    }
    // One connection served the parent all the while: nobody said QUIT over it.
    static char reply[8192];
    redis_kit_ask(&kit, 0, reply, sizeof reply, "INFO stats");
    const char *at = strstr(reply, "total_connections_received:");
    cr_assert(at != NULL);
    // The keeper's PING, 1 of the parent, 5 of children, this one.
    cr_assert(le(long, strtol(at + strlen("total_connections_received:"), NULL, 10), 20));
    cr_assert(eq(long, redis_kit_calls(&kit, 0, "quit"), 0));
}

static bool is_connection(int fd)
{
    struct sockaddr_in peer = {.sin_family = AF_UNSPEC};
    socklen_t len = sizeof peer;
    return getpeername(fd, (struct sockaddr *)&peer, &len) == 0 && peer.sin_family == AF_INET &&
           ntohs(peer.sin_port) == kit.ports[0];
}

// The number of an inherited socket means something else by the time of the first use.
Test(redis_fork, a_number_that_means_something_else_is_left_alone)
{
    cr_assert(eq(int, use(1, 0), 0));
    pid_t child = fork();
    if (child == 0) {
        int fd = 3, pair[2];
        while (!is_connection(fd)) {
            fd++;
        }
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0 || dup2(pair[0], fd) != fd) {
            _exit(5);
        }
        int before = sockets();
        if (use((long)getpid(), 0) != 0 || sockets() != before + 1) {
            _exit(6);
        }
        _exit(0);
    }
    expect_end(child);
    cr_assert(eq(int, use(1, 0), 0));
}

Test(redis_fork, a_lock_of_the_parent_is_not_released_by_its_child)
{
    char token[CACHEKIT_LOCK_TOKEN_ROOM], other[CACHEKIT_LOCK_TOKEN_ROOM];
    cachekit_slice key = REDIS_KIT_TEXT("job");
    int64_t deadline_ns = cachekit_deadline_ns(30000);
    cr_assert(
        eq(int, backend->ops->lock(backend, key, 60000, deadline_ns, token, NULL), CACHEKIT_OK));
    pid_t child = fork();
    if (child == 0) {
        bool is_free =
            backend->ops->lock(backend, key, 60000, deadline_ns, other, NULL) != CACHEKIT_MISS;
        cachekit_backend_free(backend);
        _exit(is_free);
    }
    expect_end(child);
    cr_assert(eq(int, backend->ops->unlock(backend, key, token, deadline_ns, NULL), CACHEKIT_OK));
}

// Where the kernel has no page that it wipes, process ids must do.
Test(redis_fork, without_a_wiped_page_the_process_id_tells, .init = NULL, .fini = NULL)
{
    struct cki_fork_mark marks[2];
    cki_fork_mark_init(&marks[0]);
    marks[1] = (struct cki_fork_mark){.page = NULL};
    cki_fork_mark_settle(&marks[1]);
    for (int i = 0; i < 2; i++) {
        cr_assert(not(cki_fork_mark_is_child(&marks[i])));
        pid_t child = fork();
        if (child == 0) {
            bool first = cki_fork_mark_is_child(&marks[i]);
            cki_fork_mark_settle(&marks[i]);
            _exit(!(first && !cki_fork_mark_is_child(&marks[i])));
        }
        expect_end(child);
        cr_assert(not(cki_fork_mark_is_child(&marks[i])));
    }
    cki_fork_mark_release(&marks[0]);
}
