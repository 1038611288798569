// SPDX-License-Identifier: MIT
// Functions without a backend, called with arguments that are no scalars.
#include "call_kit.h"

#include <string.h>

#include <cachekit/value.h>

static cachekit_status load(void *context, const cachekit_arg *args, size_t count,
                            cachekit_result *result, cachekit_error *error)
{
    (void)args;
    (void)count;
    (void)error;
    result->object = (void *)(intptr_t)(++*(int *)context);
    result->size_bytes = 8;
    return CACHEKIT_OK;
}

static const uint8_t UUID[] = "\x55\x0e\x84\x00\xe2\x9b\x41\xd4\xa7\x16\x44\x66\x55\x44\x00\x00";
static const char UUID_TEXT[] = "550e8400-e29b-41d4-a716-446655440000";

// Rows of one entry have one number; each entry is computed once.
Test(local_key, one_value_is_one_entry_however_it_was_made)
{
    struct kit kit;
    int loads = 0;
    cachekit_value node = cachekit_value_i64(7), date, tree = cachekit_value_array(&node, 1);
    const cachekit_arg seven = cachekit_i64(7);
    cr_assert(cachekit_value_date(CACHEKIT_DATETIME, "1970-01-01T00:00:01Z", 20, &date) ==
              CACHEKIT_OK);
    const struct {
        cachekit_arg arg;
        intptr_t entry;
    } rows[] = {
        {cachekit_arg_datetime_us(1000000), 1},
        {cachekit_arg_datetime_text("1970-01-01T00:00:01Z", 20), 1},
        {cachekit_arg_datetime_text("1970-01-01T05:30:01.000000+05:30", 32), 1},
        {cachekit_arg_value(&date), 1},
        {cachekit_i64(1000000), 2},
        {cachekit_f64(1.0), 3},
        {cachekit_str("1970-01-01T00:00:01Z"), 4},
        {cachekit_arg_datetime_us(1000001), 5},
        {cachekit_arg_uuid(UUID), 6},
        {cachekit_str(UUID_TEXT), 7},
        {cachekit_bytes(UUID, 16), 8},
        {cachekit_arg_value(&tree), 9},
        {cachekit_list(&seven, 1), 9},
        {cachekit_arg_datetime_us(-1), 10},
        {cachekit_arg_datetime_text("1969-12-31T23:59:59.999999+00:00", 32), 10},
    };
    kit_open(&kit, NULL);
    cachekit_function *f = kit_function(&kit, load, &loads, NULL);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            cachekit_hit hit;
            cr_assert(cachekit_call(f, &rows[i].arg, 1, &hit, NULL) == CACHEKIT_OK);
            cr_assert((intptr_t)hit.object == rows[i].entry, "row %zu", i);
            cachekit_release(&hit);
        }
    }
    cr_assert(loads == 10);
    cr_assert(cachekit_invalidate(f, &rows[3].arg, 1) == CACHEKIT_OK);
    cr_assert(cachekit_invalidate(f, &rows[0].arg, 1) == CACHEKIT_MISS);
    cr_assert(cachekit_invalidate(f, &rows[8].arg, 1) == CACHEKIT_OK);
    cr_assert(cachekit_invalidate(f, &rows[9].arg, 1) == CACHEKIT_OK);
    kit_close(&kit);
}

Test(local_key, a_bad_moment_or_uuid_runs_nothing)
{
    struct kit kit;
    int loads = 0;
    const cachekit_arg bad[] = {
        cachekit_arg_datetime_text("1970-01-01T00:00:01", 19),
        cachekit_arg_datetime_text("soon", 4),
        cachekit_arg_datetime_text(NULL, 0),
        cachekit_arg_uuid(NULL),
        cachekit_arg_value(NULL),
    };
    kit_open(&kit, NULL);
    cachekit_function *f = kit_function(&kit, load, &loads, NULL);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cachekit_hit hit;
        cr_assert(cachekit_call(f, &bad[i], 1, &hit, NULL) == CACHEKIT_E_INVALID, "row %zu", i);
    }
    cr_assert(loads == 0);
    kit_close(&kit);
}
