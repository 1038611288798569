// SPDX-License-Identifier: MIT
// Questions to a backend: each within its deadline, by leave of backpressure and breaker, measured
// and counted. What fails is told to the log, at most once a minute for each level.
#ifndef CKI_L2_H
#define CKI_L2_H

#include "call/backed.h"

// CACHEKIT_OK, CACHEKIT_MISS, or CACHEKIT_E_WRONG_TYPE. A backend that was not asked or did not
// answer is a miss.
cachekit_status cki_l2_get(struct cki_backed *backed, cachekit_slice key, cachekit_buffer *value);

// Whether the backend has it now.
bool cki_l2_set(struct cki_backed *backed, cachekit_slice key, cachekit_slice value,
                int64_t ttl_ms);

// CACHEKIT_OK or CACHEKIT_MISS: it has it no longer. Asked whatever the breaker says: stale bytes
// are worse than a wait.
cachekit_status cki_l2_remove(struct cki_backed *backed, cachekit_slice key);

// Removes listed keys; sets is_owed of those that the backend may still have, and answers the
// status of the last question that failed. Once `*is_away`, which is set when it removes none of
// those that it was asked for, it is not asked again.
cachekit_status cki_l2_remove_list(struct cki_backed *backed, struct cki_tracked *list,
                                   bool *is_away);

// The lock of a key among all processes. `token` is "" when it could not be had in time. False: it
// was not even waited for, since the breaker is open or the backend failed.
bool cki_l2_lock(struct cki_backed *backed, cachekit_slice key,
                 char token[CACHEKIT_LOCK_TOKEN_ROOM]);
void cki_l2_unlock(struct cki_backed *backed, cachekit_slice key, const char *token);

// Tells the log of a fault, without key or value: at once, and at most once a minute for each
// level, with how often it happened.
void cki_l2_tell(struct cki_backed *backed, cachekit_log_level level, const char *what,
                 cachekit_status status, uint64_t untold);
void cki_l2_log(struct cki_backed *backed, cachekit_log_level level, const char *what,
                cachekit_status status);

#endif
