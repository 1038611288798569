// SPDX-License-Identifier: MIT
// Threads that seal and open with one keyring while others make, use and free keyrings of the same
// and of other keys. Each message must open, and the count of the shared key must be exact.
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <cachekit/seal.h>

enum { THREADS = 4, ROUNDS = 300, TENANTS = 3, MESSAGES = 3, SHORT = 30000 };

static cachekit_keyring *common;

static cachekit_keyring *ring(const char *tenant)
{
    const char *const retired[] = {
        "2222222222222222222222222222222222222222222222222222222222222222"};
    cachekit_keyring_options options = CACHEKIT_KEYRING_OPTIONS_INIT;
    options.master_key = "1111111111111111111111111111111111111111111111111111111111111111";
    options.retired_keys = retired;
    options.retired_count = 1;
    options.tenant = tenant;
    cachekit_keyring *keyring = NULL;
    return cachekit_keyring_new(&options, &keyring, NULL) == CACHEKIT_OK ? keyring : NULL;
}

// Sealed by one keyring, opened by another of the same key.
static int exchange(cachekit_keyring *from, cachekit_keyring *to, cachekit_buffer *sealed,
                    cachekit_buffer *plain)
{
    static const uint8_t text[200] = "text";
    const cachekit_binding binding = {{(const uint8_t *)"key", 3}, "msgpack", false, NULL};
    cachekit_slice input = {text, sizeof text};
    if (cachekit_seal(from, &binding, input, sealed, NULL) != CACHEKIT_OK) {
        return 1;
    }
    cachekit_slice bytes = {sealed->data, sealed->len};
    if (cachekit_open(to, &binding, bytes, plain, NULL, NULL) != CACHEKIT_OK ||
        plain->len != sizeof text || memcmp(plain->data, text, sizeof text) != 0) {
        return 1;
    }
    sealed->data[20] ^= 1;
    return cachekit_open(to, &binding, bytes, plain, NULL, NULL) != CACHEKIT_E_AUTH;
}

// Nothing but sealing, so that threads meet at the count.
static int seal_many(cachekit_buffer *sealed)
{
    const cachekit_binding binding = {{(const uint8_t *)"key", 3}, "msgpack", false, NULL};
    int failures = 0;
    for (int i = 0; i < SHORT; i++) {
        cachekit_slice input = {(const uint8_t *)"v", 1};
        failures += cachekit_seal(common, &binding, input, sealed, NULL) != CACHEKIT_OK;
    }
    return failures;
}

static void *run(void *failed)
{
    static const char *const tenants[TENANTS] = {"common", "one", "two"};
    cachekit_buffer sealed = CACHEKIT_BUFFER_INIT;
    cachekit_buffer plain = CACHEKIT_BUFFER_INIT;
    *(int *)failed += seal_many(&sealed);
    for (int i = 0; i < ROUNDS; i++) {
        const char *tenant = tenants[i % TENANTS];
        cachekit_keyring *own = ring(tenant);
        if (own == NULL) {
            *(int *)failed += 1;
            break;
        }
        cachekit_keyring *peer = i % TENANTS == 0 ? common : own;
        *(int *)failed += exchange(common, common, &sealed, &plain);
        *(int *)failed += exchange(own, peer, &sealed, &plain);
        *(int *)failed += exchange(peer, own, &sealed, &plain);
        cachekit_keyring_free(own);
    }
    cachekit_buffer_release(&sealed);
    cachekit_buffer_release(&plain);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int failed[THREADS] = {0}, sum = 0;
    common = ring("common");
    for (int i = 0; i < THREADS; i++) {
        if (common == NULL || pthread_create(&threads[i], NULL, run, &failed[i]) != 0) {
            return 1;
        }
    }
    for (int i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
        sum += failed[i];
    }
    // All three exchanges of a round of the common tenant, one of each other round.
    uint64_t wanted = THREADS * (SHORT + (uint64_t)(ROUNDS / TENANTS) * (MESSAGES + TENANTS - 1));
    uint64_t counted = cachekit_keyring_sealed(common);
    cachekit_keyring_free(common);
    printf("%d failures, %" PRIu64 " messages counted of %" PRIu64 "\n", sum, counted, wanted);
    return sum == 0 && counted == wanted ? 0 : 1;
}
