// SPDX-License-Identifier: MIT
// Any bytes are a dump or a fault. A dump that is read adds up, and every question to it and to the
// difference of its windows has an answer.
#include <string.h>

#include "fuzz.h"
#include "measure/attribution.h"
#include "measure/callgrind.h"

static bool note(void *context, const char *root, const char *variant)
{
    *(size_t *)context += strlen(root) + strlen(variant);
    return true;
}

static void ask(const struct profile *profile)
{
    static const char *const names[] = {"libtable.so"};
    const struct own_rule rule = {.root = "/fixture", .names = names, .name_count = 1, .exe = true};
    struct profile_reader readers[2];
    uint64_t own_ir = 0;
    uint64_t self_ir = 0;
    size_t length = 0;
    for (size_t i = 0; i < profile->function_count; i++) {
        self_ir += profile->functions[i].self_ir;
        FUZZ_CLAIM(profile_find_match(profile, i, profile) == i, "a function is its own match");
    }
    FUZZ_CLAIM(profile->total_ir > 0 && self_ir == profile->total_ir, "a window adds up");
    FUZZ_CLAIM(profile_own(profile, &rule, &own_ir) && own_ir <= self_ir, "own is a part");
    FUZZ_CLAIM(profile_same_edges(profile, 3, profile, 3), "edges are equal to themselves");
    FUZZ_CLAIM(profile_ifuncs(profile, note, &length), "all variants are visited");
    (void)profile_allocations(profile);
    (void)profile_readers(profile, readers, 2);
}

static void explain(const struct callgrind_dump *dump)
{
    const struct attribution_side head = {&dump->windows[1], 20};
    const struct attribution_side base = {&dump->windows[0], 10};
    struct attribution result;
    FUZZ_CLAIM(attribution_make(&head, &base, &result, NULL), "windows can be compared");
    for (size_t i = 0; i < result.count; i++) {
        char text[80];
        struct attribution_delta delta = attribution_delta(&result, i);
        FUZZ_CLAIM(delta.by_cost_centi == delta.total_centi - delta.by_calls_centi, "parts add up");
        attribution_reason(&result, i, text, sizeof text);
        FUZZ_CLAIM(strlen(text) < sizeof text, "a reason fits");
    }
    (void)attribution_only_libc_heap_or_string(&result);
    attribution_release(&result);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    fuzz_tell_at_exit();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const windows[] = {"n1", "n2"};
    const struct callgrind_request request = {
        .windows = windows, .window_count = 2, .exe = "/fixture/head/loop"};
    struct callgrind_dump dump;
    struct fault fault = {""};
    if (callgrind_parse("fuzz", (const char *)data, size, &request, &dump, &fault)) {
        ask(&dump.windows[0]);
        ask(&dump.windows[1]);
        explain(&dump);
        fuzz_accepted++;
    } else {
        FUZZ_CLAIM(fault.text[0] != '\0' && dump.windows == NULL, "a refusal has a reason");
    }
    callgrind_release(&dump);
    return 0;
}
