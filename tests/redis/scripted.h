// SPDX-License-Identifier: MIT
// A server on a loopback port that says what a test wants, whole or spoilt at a byte. To commands
// that nobody planned an answer for it answers like a Redis in which every key holds "value of
// KEY".
#ifndef TESTS_SCRIPTED_H
#define TESTS_SCRIPTED_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum scripted_fault {
    SCRIPTED_NONE,
    SCRIPTED_CUT,        // after `at` bytes: close
    SCRIPTED_RESET,      // close with a reset
    SCRIPTED_HALF_CLOSE, // no more bytes, and goes on listening
    SCRIPTED_DELAY,      // the rest after `delay_ms`
    SCRIPTED_DRIP        // a byte every `delay_ms` from there on
};

// What becomes of one command.
struct scripted_plan {
    const char *reply;
    size_t len;
    enum scripted_fault fault;
    size_t at;
    int delay_ms;
};

enum { SCRIPTED_LINKS_MAX = 64, SCRIPTED_PLANS_MAX = 16, SCRIPTED_ROOM = 65536 };

struct scripted_link {
    int fd; // 0: none
    char in[SCRIPTED_ROOM];
    size_t in_len;
    const char *out; // what is left of a delayed reply
    size_t out_len;
    int drip_ms;
    int64_t due_ns;
};

struct scripted {
    int listener;
    int wake[2];
    int port;
    char url[64];
    char cluster_url[64];
    pthread_t thread;
    pthread_mutex_t lock; // of all below
    bool is_over;
    struct scripted_plan plans[SCRIPTED_PLANS_MAX]; // for the next commands, in this order
    size_t plan_count;
    struct scripted_link links[SCRIPTED_LINKS_MAX];
    char slots[1024]; // the reply of CLUSTER SLOTS
    // counters
    int accepted, closed, commands, fired;
    bool is_silent; // accepts, reads and says nothing
};

void scripted_open(struct scripted *server);
void scripted_close(struct scripted *server);

// One more command's answer; `reply` must live on.
void scripted_plan(struct scripted *server, struct scripted_plan plan);
void scripted_say(struct scripted *server, const char *reply); // a whole one
void scripted_silence(struct scripted *server, bool is_silent);
void scripted_forget(struct scripted *server); // plans that are left

struct scripted_counts {
    int accepted, closed, commands, fired;
    int open; // connections
};
struct scripted_counts scripted_counts(struct scripted *server);

#endif
