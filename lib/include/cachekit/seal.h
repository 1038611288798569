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
    /** Exactly 64 hex digits of either case and a NUL. Read for the call; wiping it is yours. */
    const char *master_key;
    /** Up to three earlier master keys, each as above: they open and never seal. */
    const char *const *retired_keys;
    size_t retired_count;
    const char *tenant; /* 1 to 1,024 bytes of UTF-8; default "default" */
    /** Keys may lie in memory that the system can swap out, where locking it is not possible. */
    bool allow_unlocked;
    const cachekit_allocator *allocator; /* of everything but keys */
    const cachekit_entropy *entropy;     /* of nonces */
} cachekit_keyring_options;

#define CACHEKIT_KEYRING_OPTIONS_INIT                                                              \
    {                                                                                              \
        sizeof(cachekit_keyring_options), NULL, NULL, 0, NULL, false, NULL, NULL                   \
    }

/** The keys of one tenant, derived. Used by any number of threads at once. */
typedef struct cachekit_keyring cachekit_keyring;

/**
 * Derives all keys and forgets the master keys. CACHEKIT_E_CONFIG: a key that is not 64 hex digits,
 * more than three retired keys, a key twice, a blank one; a CPU without AES instructions; memory
 * that cannot be locked. CACHEKIT_E_INVALID: NULL, the tenant. CACHEKIT_E_NOMEM. The text never
 * holds a digit of a key. `*out` is NULL after a failure.
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
 * a parent before the fork included; other processes are not seen, nor are earlier runs. At 2^31
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
 * CACHEKIT_E_ENTROPY, CACHEKIT_E_NOMEM, CACHEKIT_E_TOO_LARGE (over 512 MiB). After a failure `out`
 * is empty.
 */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status cachekit_seal(cachekit_keyring *keyring,
                                                               const cachekit_binding *binding,
                                                               cachekit_slice plain,
                                                               cachekit_buffer *out,
                                                               cachekit_error *error);

/**
 * Opens: tries the keys in order with one binding; only a failed authentication goes on to the
 * next.
 * `*key_index` (may be NULL) says which opened: above 0, a retired one. CACHEKIT_E_AUTH: no key
 * fits, or the bytes, tenant, cache key, format or compression are not those that were sealed;
 * which of these cannot be known. CACHEKIT_E_DECODE: fewer than 28 bytes. CACHEKIT_E_TOO_LARGE:
 * over 512 MiB and 28. CACHEKIT_E_INVALID, CACHEKIT_E_NOMEM. After a failure `out` is empty and
 * holds no plaintext.
 */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status
cachekit_open(cachekit_keyring *keyring, const cachekit_binding *binding, cachekit_slice sealed,
              cachekit_buffer *out, size_t *key_index, cachekit_error *error);

CACHEKIT_END_DECLS

#endif
