// SPDX-License-Identifier: MIT
#ifndef CACHEKIT_SEAL_H
#define CACHEKIT_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cachekit/allocator.h>
#include <cachekit/bytes.h>
#include <cachekit/entropy.h>
#include <cachekit/export.h>
#include <cachekit/status.h>

CACHEKIT_BEGIN_DECLS

/*
 * Encryption of the CacheKit protocol: AES-256-GCM (NIST SP 800-38D) under keys that HKDF-SHA256
 * (RFC 5869) derives from a master key for one tenant. Sealed bytes are nonce (12), ciphertext, tag
 * (16). They are bound to tenant, cache key, format and compression by additional data, version 3.
 *
 * What it does not do: an older ciphertext of the same key is accepted again (replay), and lengths
 * are visible.
 *
 * Expanded keys lie in one pool of locked pages that core dumps leave out; nowhere else in the
 * process are they, or what they are made from, after a call has returned. Plaintext in buffers is
 * the caller's to wipe. A child of fork has its parent's keyrings and may use them: nonces are
 * random for each message, and the first call in the child locks the pool again, since the kernel
 * takes no lock across a fork. Between the two the child's copies may be swapped out.
 *
 * Random nonces are safe for 2^32 messages under a derived key, over all processes that use it.
 * Only those of this process are counted; with many writers, rotate keys in time.
 */

enum {
    CACHEKIT_SEAL_OVERHEAD_BYTES = 28,
    CACHEKIT_RETIRED_KEYS_MAX = 3,
    CACHEKIT_FINGERPRINT_ROOM = 33,
    CACHEKIT_TENANT_MAX_BYTES = 1024
};

/** Zero in any member means the default. Members are only ever appended. */
typedef struct cachekit_keyring_options {
    size_t size; /* set by CACHEKIT_KEYRING_OPTIONS_INIT */
    /** Exactly 64 hex digits of either case, not all 0, and a NUL. Read for the call; wiping it is
     * yours. */
    const char *master_key;
    /** Up to three earlier master keys, each as above: they open and never seal. */
    const char *const *retired_keys;
    size_t retired_count;
    const char *tenant; /* 1 to 1,024 bytes of UTF-8; default "default" */
    /** Keys may lie in memory that the system can swap out or dump, where locking it fails. */
    bool allow_unlocked;
    const cachekit_allocator *allocator; /* of all but keys and the 40 bytes of a count */
    const cachekit_entropy *entropy;     /* of nonces */
} cachekit_keyring_options;

#define CACHEKIT_KEYRING_OPTIONS_INIT                                                              \
    {                                                                                              \
        sizeof(cachekit_keyring_options), NULL, NULL, 0, NULL, false, NULL, NULL                   \
    }

/**
 * The keys of one tenant, derived. Used by any number of threads at once; no function here takes a
 * lock, so a child of fork finds nothing held.
 */
typedef struct cachekit_keyring cachekit_keyring;

/**
 * Derives all keys and forgets the master keys. CACHEKIT_E_CONFIG: a key that is not 64 hex digits
 * or is all zeros, more than three retired keys, a key twice, a blank one; a CPU without AES
 * instructions; memory that cannot be locked; a library built without encryption.
 * CACHEKIT_E_INVALID: NULL, options.size, the tenant. CACHEKIT_E_NOMEM. The text says which key it
 * is about and never holds a digit of one. `*out` is NULL after a failure.
 */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status cachekit_keyring_new(
    const cachekit_keyring_options *options, cachekit_keyring **out, cachekit_error *error);

/** Wipes and frees. Nobody may be using it. NULL is allowed. */
CACHEKIT_API void cachekit_keyring_free(cachekit_keyring *keyring);

/** Keys in the ring, the current one included: 1 to 4. */
CACHEKIT_API size_t cachekit_keyring_count(const cachekit_keyring *keyring);

/** Lower-case hex of the fingerprint of derived key `index` (0: current), which gives nothing away
 * about it. CACHEKIT_E_INVALID: no such key; then `out` is "". */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status cachekit_keyring_fingerprint(
    const cachekit_keyring *keyring, size_t index, char out[CACHEKIT_FINGERPRINT_ROOM]);

/**
 * Messages sealed under the current derived key by this process, all keyrings together and those of
 * a parent before the fork included; other processes are not seen, nor are earlier runs. The count
 * outlives its keyrings: 40 bytes for each current key that the process has ever had. At 2^31
 * cachekit_seal() begins to answer CACHEKIT_ROTATE, at 2^32 - 1 it refuses.
 */
CACHEKIT_API uint64_t cachekit_keyring_sealed(const cachekit_keyring *keyring);

/** What sealed bytes are bound to besides the tenant. Borrowed for the call. */
typedef struct cachekit_binding {
    cachekit_slice cache_key; /* the logical key, without a backend's prefix; not empty */
    const char *format;       /* one of the texts of envelope.h */
    bool compressed;
    const char *original_type; /* NULL or "": no such component */
} cachekit_binding;

/**
 * Seals under the current key with a fresh random nonce. `out` is emptied first; `plain` may not
 * lie in it. CACHEKIT_OK, or CACHEKIT_ROTATE: done, and the key has sealed 2^31 messages or more.
 * CACHEKIT_E_INVALID: the binding. CACHEKIT_E_EXHAUSTED: 2^32 - 1 messages under this key.
 * CACHEKIT_E_ENTROPY, CACHEKIT_E_NOMEM, CACHEKIT_E_TOO_LARGE (over 512 MiB), CACHEKIT_E_CONFIG (in
 * a child of fork: keys cannot be locked again). After a failure `out` is empty, and nothing was
 * counted. Allocates, besides `out`, only for bindings of more than 512 bytes.
 */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status cachekit_seal(cachekit_keyring *keyring,
                                                               const cachekit_binding *binding,
                                                               cachekit_slice plain,
                                                               cachekit_buffer *out,
                                                               cachekit_error *error);

/**
 * Opens: tries the keys in order with one binding; only a failed authentication goes on to the
 * next. `sealed` may not lie in `out`, which gets exactly the room that is needed; one that must
 * grow is wiped first. `*key_index` (may be NULL) is written on success and says which opened:
 * above 0, a retired one.
 *
 * CACHEKIT_E_AUTH: no key fits, or the bytes, tenant, cache key, format, compression or type are
 * not those that were sealed; which of these cannot be known. CACHEKIT_E_DECODE: fewer than 28
 * bytes. CACHEKIT_E_TOO_LARGE: over 512 MiB and 28. CACHEKIT_E_INVALID, CACHEKIT_E_NOMEM,
 * CACHEKIT_E_CONFIG (as in cachekit_seal()). After a failure `out` is empty and all its room is
 * wiped.
 */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status
cachekit_open(cachekit_keyring *keyring, const cachekit_binding *binding, cachekit_slice sealed,
              cachekit_buffer *out, size_t *key_index, cachekit_error *error);

CACHEKIT_END_DECLS

#endif
