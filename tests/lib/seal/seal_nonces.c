// SPDX-License-Identifier: MIT
// Nonces of a process and of all kinds of its children: none may come twice. Each child starts with
// all that its parent's process held; whatever is drawn from there repeats.
// Usage: seal_nonces ROUNDS (a fork or raw clone, or two of them, in each; 1,000 nonces a round)
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cachekit/seal.h>

enum { NONCE = 12, BY_PARENT = 100, BY_CHILD = 450, A_ROUND = BY_PARENT + 2 * BY_CHILD };

struct shared {
    _Atomic uint64_t written; // whole runs of nonces, in nonces
    uint8_t nonces[][NONCE];
};

static struct shared *shared;
static cachekit_keyring *keyring;
static cachekit_buffer sealed = CACHEKIT_BUFFER_INIT;

// Seals `count` messages and writes their nonces down from place `at` on.
static bool seal_run(size_t at, size_t count)
{
    static const cachekit_binding binding = {{(const uint8_t *)"key", 3}, "msgpack", false, NULL};
    for (size_t i = 0; i < count; i++) {
        cachekit_slice plain = {(const uint8_t *)"text", 4};
        if (cachekit_seal(keyring, &binding, plain, &sealed, NULL) != CACHEKIT_OK) {
            return false;
        }
        memcpy(shared->nonces[at + i], sealed.data, NONCE);
    }
    atomic_fetch_add(&shared->written, count);
    return true;
}

static pid_t raw_clone(void)
{
    return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

// A child that seals both runs.
static void one_child(size_t at, bool is_raw)
{
    if ((is_raw ? raw_clone() : fork()) == 0) {
        _exit(seal_run(at, BY_CHILD) && seal_run(at + BY_CHILD, BY_CHILD) ? 0 : 1);
    }
}

static void by_fork(size_t at)
{
    one_child(at, false);
}

static void by_clone(size_t at)
{
    one_child(at, true);
}

// Two that start from the same state, at the same time.
static void twins(size_t at)
{
    for (size_t i = 0; i < 2; i++) {
        if ((i == 0 ? fork() : raw_clone()) == 0) {
            _exit(seal_run(at + i * BY_CHILD, BY_CHILD) ? 0 : 1);
        }
    }
}

// The grandchild goes on when its parent is gone.
static void grandchild(size_t at)
{
    if (fork() == 0) {
        if (raw_clone() == 0) {
            _exit(seal_run(at, BY_CHILD) ? 0 : 1);
        }
        _exit(seal_run(at + BY_CHILD, BY_CHILD) ? 0 : 1);
    }
}

static void *fork_in_thread(void *at)
{
    one_child(*(size_t *)at, false);
    return NULL;
}

static void by_thread(size_t at)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, fork_in_thread, &at) == 0) {
        (void)pthread_join(thread, NULL);
    }
}

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, NONCE);
}

static size_t count_repeats(size_t count)
{
    size_t repeats = 0;
    qsort(shared->nonces, count, NONCE, compare);
    for (size_t i = 1; i < count; i++) {
        repeats += memcmp(shared->nonces[i - 1], shared->nonces[i], NONCE) == 0;
    }
    return repeats;
}

int main(int argc, char **argv)
{
    static void (*const kinds[])(size_t at) = {by_fork, by_clone, twins, grandchild, by_thread};
    size_t rounds = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
    size_t wanted = rounds * A_ROUND;
    cachekit_keyring_options options = CACHEKIT_KEYRING_OPTIONS_INIT;
    options.master_key = "6161616161616161616161616161616161616161616161616161616161616161";
    shared = mmap(NULL, sizeof *shared + wanted * NONCE, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (rounds == 0 || shared == MAP_FAILED || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 ||
        cachekit_keyring_new(&options, &keyring, NULL) != CACHEKIT_OK) {
        fprintf(stderr, "usage: seal_nonces ROUNDS; or no memory, or no keyring\n");
        return 2;
    }
    bool is_good = true;
    for (size_t i = 0; i < rounds; i++) {
        size_t at = i * A_ROUND;
        kinds[i % (sizeof kinds / sizeof kinds[0])](at + BY_PARENT);
        is_good = seal_run(at, BY_PARENT) && is_good;
        int status = 0;
        while (waitpid(-1, &status, 0) > 0) {
            is_good = WIFEXITED(status) && WEXITSTATUS(status) == 0 && is_good;
        }
    }
    uint64_t written = atomic_load(&shared->written);
    size_t repeats = count_repeats(wanted);
    printf("%zu rounds of forks, %" PRIu64 " nonces, %zu repeats\n", rounds, written, repeats);
    cachekit_keyring_free(keyring);
    cachekit_buffer_release(&sealed);
    return is_good && written == wanted && repeats == 0 ? 0 : 1;
}
