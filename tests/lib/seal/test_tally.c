// SPDX-License-Identifier: MIT
// The count of messages under a derived key: one for the process, whatever keyrings there are.
#include "seal_kit.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "seal/keyring.h"

static const cachekit_binding *any_binding(void)
{
    static cachekit_binding binding;
    binding = binding_of("k");
    return &binding;
}

static cachekit_status seal_one(cachekit_keyring *keyring, cachekit_buffer *out)
{
    return cachekit_seal(keyring, any_binding(), text_slice("v"), out, NULL);
}

static void seal_times(cachekit_keyring *keyring, int times)
{
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    for (int i = 0; i < times; i++) {
        cr_assert(eq(int, seal_one(keyring, &out), CACHEKIT_OK));
    }
    cachekit_buffer_release(&out);
}

Test(tally, belongs_to_the_derived_key_and_outlives_its_keyrings)
{
    const char *const retired[] = {MASTER_22};
    cachekit_keyring *first = ring_of(MASTER_11, NULL, 0, "a", NULL);
    cachekit_keyring *second = ring_of(MASTER_11, retired, 1, "a", NULL);
    cachekit_keyring *tenant = ring_of(MASTER_11, NULL, 0, "b", NULL);
    cachekit_keyring *master = ring_of(MASTER_22, NULL, 0, "a", NULL);
    seal_times(first, 3);
    seal_times(second, 4);
    seal_times(tenant, 1);
    cr_assert(eq(u64, cachekit_keyring_sealed(first), 7));
    cr_assert(eq(u64, cachekit_keyring_sealed(second), 7));
    cr_assert(eq(u64, cachekit_keyring_sealed(tenant), 1));
    cr_assert(eq(u64, cachekit_keyring_sealed(master), 0));
    cachekit_keyring_free(first);
    cachekit_keyring_free(second);
    first = ring_of(MASTER_11, NULL, 0, "a", NULL);
    cr_assert(eq(u64, cachekit_keyring_sealed(first), 7));
    cachekit_keyring_free(first);
    cachekit_keyring_free(tenant);
    cachekit_keyring_free(master);
}

Test(tally, opening_and_failing_do_not_count)
{
    struct fixed_entropy entropy;
    fixed_init(&entropy, NULL);
    cachekit_keyring *keyring = ring_of(MASTER_11, NULL, 0, NULL, &entropy.hook);
    cachekit_buffer sealed = CACHEKIT_BUFFER_INIT;
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    cr_assert(eq(int, seal_one(keyring, &sealed), CACHEKIT_OK));
    cr_assert(eq(int, cachekit_open(keyring, any_binding(), whole(&sealed), &out, NULL, NULL), 0));
    entropy.answer = CACHEKIT_E_ENTROPY;
    cr_assert(eq(int, seal_one(keyring, &out), CACHEKIT_E_ENTROPY));
    cr_assert(eq(sz, out.len, 0));
    cr_assert(eq(u64, cachekit_keyring_sealed(keyring), 1));
    cachekit_keyring_free(keyring);
    cachekit_buffer_release(&sealed);
    cachekit_buffer_release(&out);
}

Test(tally, warns_from_2_31_and_refuses_after_2_32_less_one_messages)
{
    cachekit_keyring *keyring = ring_of(MASTER_11, NULL, 0, NULL, NULL);
    cachekit_keyring *other = ring_of(MASTER_11, NULL, 0, NULL, NULL);
    cachekit_buffer sealed = CACHEKIT_BUFFER_INIT;
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    const struct {
        uint64_t before;
        cachekit_status status;
        uint64_t after;
    } rows[] = {
        {2147483646, CACHEKIT_OK, 2147483647},
        {2147483647, CACHEKIT_ROTATE, 2147483648},
        {2147483648, CACHEKIT_ROTATE, 2147483649},
        {4294967293, CACHEKIT_ROTATE, 4294967294},
        {4294967294, CACHEKIT_ROTATE, 4294967295},
        {4294967295, CACHEKIT_E_EXHAUSTED, 4294967295},
        {4294967295, CACHEKIT_E_EXHAUSTED, 4294967295},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        atomic_store(&keyring->tally->sealed, rows[i].before);
        cr_assert(eq(int, seal_one(keyring, &out), rows[i].status), "row %zu", i);
        cr_assert(eq(u64, cachekit_keyring_sealed(other), rows[i].after), "row %zu", i);
        cr_assert(eq(sz, out.len, rows[i].status >= 0 ? 29 : 0));
        if (rows[i].status >= 0) {
            cr_assert(eq(int, cachekit_buffer_append(&sealed, "", 0), CACHEKIT_OK));
            sealed.len = 0;
            cr_assert(eq(int, cachekit_buffer_append(&sealed, out.data, out.len), CACHEKIT_OK));
        }
    }
    cachekit_error error;
    cr_assert(eq(int, cachekit_seal(other, any_binding(), text_slice("v"), &out, &error),
                 CACHEKIT_E_EXHAUSTED));
    cr_assert(eq(int, error.status, CACHEKIT_E_EXHAUSTED));
    cr_assert(eq(int, cachekit_open(keyring, any_binding(), whole(&sealed), &out, NULL, NULL), 0),
              "an exhausted key still opens, a message sealed with a warning too");
    cachekit_keyring_free(keyring);
    keyring = ring_of(MASTER_11, NULL, 0, NULL, NULL);
    cr_assert(eq(int, seal_one(keyring, &out), CACHEKIT_E_EXHAUSTED), "and stays exhausted");
    cachekit_keyring_free(keyring);
    cachekit_keyring_free(other);
    cachekit_buffer_release(&sealed);
    cachekit_buffer_release(&out);
}

static int sealed_in_child(cachekit_keyring *keyring, bool is_raw)
{
    pid_t pid = is_raw ? (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL) : fork();
    if (pid == 0) {
        cachekit_buffer out = CACHEKIT_BUFFER_INIT;
        bool is_good =
            seal_one(keyring, &out) == CACHEKIT_OK && seal_one(keyring, &out) == CACHEKIT_OK;
        _exit(is_good ? (int)cachekit_keyring_sealed(keyring) : 99);
    }
    int status = 0;
    cr_assert(eq(int, waitpid(pid, &status, 0), pid));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

Test(tally, a_child_goes_on_from_its_parents_count)
{
    cachekit_keyring *keyring = ring_of(MASTER_11, NULL, 0, NULL, NULL);
    seal_times(keyring, 3);
    cr_assert(eq(int, sealed_in_child(keyring, false), 5));
    cr_assert(eq(int, sealed_in_child(keyring, true), 5));
    cr_assert(eq(u64, cachekit_keyring_sealed(keyring), 3), "and the parent from its own");
    cachekit_keyring_free(keyring);
}

// More tenants than there are chains.
Test(tally, thousands_of_keys_keep_their_own_counts)
{
    enum { KEYS = 2000 };
    for (int round = 1; round <= 2; round++) {
        for (int i = 0; i < KEYS; i++) {
            char tenant[32];
            (void)snprintf(tenant, sizeof tenant, "tenant-%d", i);
            cachekit_keyring *keyring = ring_of(MASTER_11, NULL, 0, tenant, NULL);
            seal_times(keyring, 1 + i % 3);
            cr_assert(eq(u64, cachekit_keyring_sealed(keyring), (uint64_t)(round * (1 + i % 3))));
            cachekit_keyring_free(keyring);
        }
    }
}
