// SPDX-License-Identifier: MIT
// Memory refused to a function over a memory backend, wherever it is asked for: tests/redis has
// whole lives over every backend.
#include "backed_kit.h"

#include "fault_allocator.h"

static struct backed_kit t;

// Makes a cache, calls three ways and frees it: how many requests for memory that took.
static int live_a_life(struct fault_allocator *faults, int codec)
{
    cachekit_function_options options = cachekit_preset_secure();
    cachekit_cache_options co = CACHEKIT_CACHE_OPTIONS_INIT;
    co.allocator = &faults->hooks;
    co.backend = &t.odd.base;
    co.keyring = t.keyring;
    co.name_space = "users";
    options.encryption = codec == 3 ? CACHEKIT_ON : CACHEKIT_DEFAULT;
    options.codec = codec == 3 ? CACHEKIT_CODEC_VALUE : (cachekit_codec)codec;
    t.size_bytes = sizeof t.document;
    options.destroy = backed_destroy;
    options.destroy_context = &t;
    if (cachekit_cache_new(&co, &t.cache, NULL) != CACHEKIT_OK) {
        return faults->calls;
    }
    if (cachekit_function_new(t.cache, "get_user", backed_load, &t, &options, &t.f, NULL) ==
        CACHEKIT_OK) {
        for (int call = 0; call < 4; call++) {
            cachekit_hit hit;
            cachekit_arg arg = cachekit_i64(1);
            if (call == 3) {
                (void)cachekit_invalidate_all(t.f);
            }
            // A result must come even so.
            cr_assert(cachekit_call(t.f, &arg, 1, &hit, NULL) == CACHEKIT_OK);
            cr_assert(codec == CACHEKIT_CODEC_BYTES ||
                      cachekit_value_equal(hit.object, &t.document));
            cachekit_release(&hit);
        }
    }
    cr_assert(cachekit_cache_free(t.cache) == CACHEKIT_OK);
    return faults->calls;
}

Test(backed_memory, whichever_allocation_fails_a_result_comes_and_nothing_leaks)
{
    struct fault_allocator faults;
    backed_open(&t, NULL);
    cr_assert(cachekit_cache_free(t.cache) == CACHEKIT_OK);
    for (int codec = 0; codec < 4; codec++) {
        fault_allocator_init(&faults);
        int sites = live_a_life(&faults, codec);
        cr_assert(sites > 10);
        for (int on = 0; on < 2; on++) {
            for (int site = 0; site < sites; site++) {
                fault_allocator_init(&faults);
                faults.fail_at = site;
                faults.fail_on = on != 0;
                (void)live_a_life(&faults, codec);
                cr_assert(faults.live_blocks == 0, "codec %d, site %d", codec, site);
            }
        }
    }
    t.cache = NULL;
    backed_close(&t);
}
