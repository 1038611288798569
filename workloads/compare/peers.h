// SPDX-License-Identifier: MIT
#ifndef WORKLOADS_PEERS_H
#define WORKLOADS_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PEER_KEYS = 10000, PEER_TEXT = 24 };

/* What a contender stores under key i, and the texts that name the keys where they are texts. */
extern uint64_t peer_values[PEER_KEYS];
extern char peer_texts[PEER_KEYS][PEER_TEXT + 1];

/* One way of looking values up. `get` finds the value of a key that is there and adds it up. */
typedef struct peer {
    const char *kind; /* contenders of one kind are compared */
    const char *name;
    bool (*open)(void);  /* stores all values */
    void (*enter)(void); /* a thread begins; NULL: nothing to do */
    uint64_t (*get)(uint32_t key);
    void (*leave)(void);
    void (*close)(void);
} peer;

/* Lists that end with a NULL name; those of absent libraries are empty. */
extern const peer peers_cachekit[], peers_glib[], peers_uthash[], peers_urcu[], peers_ck[];

/* What only we are asked: sweeps, and a reader beside a writer. */
void report_sweep(void);
void report_writer(void);

#endif
