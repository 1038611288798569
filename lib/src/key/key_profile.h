// SPDX-License-Identifier: MIT
// What three kinds of keys make of the same arguments. The packer is one; a profile says what it
// may take and how a float, a moment and a UUID are written.
#ifndef CKI_KEY_PROFILE_H
#define CKI_KEY_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include <cachekit/arg.h>
#include <cachekit/status.h>

// A moment, and the offset east of UTC that it was written with.
struct cki_moment {
    int64_t unix_us, offset_us;
};

// Sorts of map keys; of a profile, a set of them by shifts.
enum cki_key_sort {
    CKI_KEY_OTHER,
    CKI_KEY_STR,
    CKI_KEY_BIN,
    CKI_KEY_INT,
    CKI_KEY_FLOAT,
    CKI_KEY_BOOL,
    CKI_KEY_NIL
};

// The longest object but text and bytes: a moment as text.
enum { CKI_FIXED_MAX = 64 };

// The writers return where to go on, or NULL for what the profile refuses.
struct cki_profile {
    cachekit_status refusal; // the status of a value outside the model
    bool is_strict;          // text is UTF-8
    bool has_sets;           // and if so:
    bool marks_sets;         // a set is not the list of its elements
    bool orders_by_value;    // map keys, by what they say; else by their packed bytes
    bool wants_one_key_sort; // in each map
    unsigned key_sorts;      // allowed in maps
    uint8_t *(*put_float)(uint8_t *at, double number);
    uint8_t *(*put_moment)(uint8_t *at, const struct cki_moment *moment);
    uint8_t *(*put_uuid)(uint8_t *at, const uint8_t *uuid);
};

extern const struct cki_profile cki_profile_interop; // interop/v1
extern const struct cki_profile cki_profile_auto;    // Python's auto mode
extern const struct cki_profile cki_profile_local;   // never leaves the process; types kept apart

// Never used by MessagePack: in the local profile it stands before a set, a moment and a UUID.
enum { CKI_LOCAL_MARK = 0xc1 };

// The float rule of interop/v1: what is an integer is written as one. Not for NaN, infinities.
uint8_t *cki_put_collapsed(uint8_t *at, double number);

// Everything but text, bytes and collections, at a place with CKI_FIXED_MAX bytes of room.
uint8_t *cki_put_fixed(const struct cki_profile *profile, uint8_t *at, const cachekit_arg *arg);

#endif
