// SPDX-License-Identifier: MIT
// Names made comparable, and the counts that follow from a window.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "callgrind_sample.h"
#include "measure/symbol.h"

Test(profile, what_compilers_add_to_names_is_cut_off)
{
    static const struct {
        const char *raw, *clean;
    } names[] = {
        {"fib'2", "fib"},
        {"systrim.constprop.0", "systrim"},
        {"tcache_init.part.0", "tcache_init"},
        {"f.isra.3.constprop.12", "f"},
        {"f.cold", "f"},
        {"f.cold.4'3", "f"},
        {"f.lto_priv.0", "f"},
        {"clock_gettime@@GLIBC_2.17", "clock_gettime"},
        {"memcpy@GLIBC_2.2.5", "memcpy"},
        {"ns::f(int) [clone .cold]", "ns::f(int)"},
        {"ns::f(int) [clone .isra.0] [clone .constprop.0]", "ns::f(int)"},
        {"core::fmt::write::h0123456789abcdef", "core::fmt::write"},
        {"core::fmt::write::h0123456789abcdeg", "core::fmt::write::h0123456789abcdeg"},
        {"(below main)", "(below main)"},
        {"f.17", "f.17"},
        {"f.party.0", "f.party.0"},
        {"operator()'", "operator()'"},
        {"a[3]", "a[3]"},
        {"7", "7"},
        {"@f", "@f"},
        {".part.0", ".part.0"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char clean[64];
        size_t len = symbol_clean_len(names[i].raw, strlen(names[i].raw));
        (void)snprintf(clean, sizeof clean, "%.*s", (int)len, names[i].raw);
        sample_same(clean, names[i].clean);
    }
}

Test(profile, a_shared_object_is_named_without_its_version)
{
    static const struct {
        const char *path, *class_name;
    } paths[] = {
        {"/usr/lib/x86_64-linux-gnu/libc.so.6", "libc.so"},
        {"/lib/libstdc++.so.6.0.30", "libstdc++.so"},
        {"/a.so.b/libx.so", "libx.so"},
        {"/lib/libx.sob.so.1", "libx.sob.so"},
        {"/lib/ld-linux-x86-64.so.2", "ld-linux-x86-64.so"},
        {"/usr/bin/tool", "tool"},
        {"/x/.so", ".so"},
        {"???", "???"},
    };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char name[64];
        size_t len = 0;
        const char *start = symbol_class_of_path(paths[i].path, &len);
        (void)snprintf(name, sizeof name, "%.*s", (int)len, start);
        sample_same(name, paths[i].class_name);
    }
}

Test(profile, allocations_are_calls_into_the_allocator_from_outside)
{
    static const struct {
        const char *sample;
        uint64_t n1, n2; // counted in the fixtures' sources
    } counts[] = {{"alloc", 27, 54},
                  {"table_base", 10, 20},
                  {"table_head", 10, 20},
                  {"table_static", 10, 20},
                  {"table_static_bare", 10, 20}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct callgrind_dump dump = sample_read(counts[i].sample, NULL);
        cr_assert(eq(u64, profile_allocations(&dump.windows[0]), counts[i].n1));
        cr_assert(eq(u64, profile_allocations(&dump.windows[1]), counts[i].n2));
        callgrind_release(&dump);
    }
    // In C++ each string and each vector is one: new calls malloc, and that is not another.
    struct callgrind_dump dump = sample_read("threads", NULL);
    uint64_t sales = sample_function(&dump.windows[1], "shop::sell(int)")->calls;
    cr_assert(eq(u64, profile_allocations(&dump.windows[1]), 2 * sales));
    callgrind_release(&dump);
}

Test(profile, allocators_are_known_by_name_in_any_object)
{
    static const struct {
        const char *object, *name;
        bool is;
    } rows[] = {
        {"libc.so", "malloc", true},
        {"exe", "je_malloc", true},
        {"libmimalloc.so", "mi_calloc", true},
        {"libtcmalloc.so", "tc_realloc", true},
        {"libtcmalloc.so", "operator new(unsigned long)", true},
        {"libstdc++.so", "operator new(unsigned long)", false},
        {"libc.so", "__libc_memalign", true},
        {"libc.so", "posix_memalign", true},
        {"libc.so", "free", false},
        {"libc.so", "_int_malloc", false},
        {"exe", "malloc_usable_size", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert(symbol_is_allocator(rows[i].object, rows[i].name) == rows[i].is, "%s",
                  rows[i].name);
    }
}

Test(profile, system_calls_are_counted_and_clock_reads_are_some)
{
    // Each op calls getppid() and clock_gettime(); valgrind hides the vDSO.
    struct callgrind_dump dump = sample_read("table_base", NULL);
    cr_assert(eq(u64, dump.windows[0].sys_count, 20));
    cr_assert(eq(u64, dump.windows[1].sys_count, 40));
    cr_assert(eq(u64, sample_function(&dump.windows[1], "clock_gettime")->sys_count, 20));
    callgrind_release(&dump);
}

static uint64_t sum_of(const struct profile *profile, const char *const *names, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += sample_function(profile, names[i])->self_ir;
    }
    return sum;
}

Test(profile, own_is_what_lies_under_the_root_or_is_listed_less_the_kit)
{
    static const char *const of_library[] = {"op_htab", "hash", "ht_get", "fib", "old_check"};
    static const char *const of_program[] = {"main"}; // not ckbench_loop
    static const char *const by_class[] = {"libtable.so"};
    static const char *const by_file[] = {"libtable.so.1"};
    static const char *const by_path[] = {"base/libtable.so.1"};
    static const char *const nothing[] = {"libother.so", "table.so", "libtable.so.2"};
    struct callgrind_dump dump = sample_read("table_base", "/fixture/base/loop");
    const struct profile *profile = &dump.windows[1];
    uint64_t library = sum_of(profile, of_library, 5);
    uint64_t program = sum_of(profile, of_program, 1);
    cr_assert(gt(u64, sample_function(profile, "ckbench_loop")->self_ir, 0));
    const struct {
        struct own_rule rule;
        uint64_t own_ir;
    } rows[] = {
        {{.root = "/fixture"}, library + program},
        {{.root = "/fixture/"}, library + program},
        {{.root = "/"}, profile->total_ir - sample_function(profile, "ckbench_loop")->self_ir},
        {{.root = "/fixture/base"}, library + program},
        {{.root = "/fixture/bas"}, 0},
        {{.root = "/fixture/base/loop"}, 0},
        {{.exe = true}, program},
        {{.names = by_class, .name_count = 1}, library},
        {{.names = by_file, .name_count = 1}, library},
        {{.root = "/fix", .names = by_file, .name_count = 1}, library},
        {{.names = nothing, .name_count = 3}, 0},
        {{.exe = true, .names = by_class, .name_count = 1}, library + program},
        {{0}, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t own_ir = 1;
        cr_assert(profile_own(profile, &rows[i].rule, &own_ir));
        cr_assert(own_ir == rows[i].own_ir, "row %zu: %llu", i, (unsigned long long)own_ir);
    }
    // A path in the manifest is below the root.
    uint64_t own_ir = 0;
    struct own_rule below = {.root = "/fixture", .names = by_path, .name_count = 1};
    cr_assert(profile_own(profile, &below, &own_ir));
    cr_assert(eq(u64, own_ir, library + program));
    callgrind_release(&dump);
}

Test(profile, in_a_static_subject_own_goes_by_source)
{
    static const char *const of_table[] = {"op_htab", "hash", "ht_get", "fib", "old_check", "main"};
    struct callgrind_dump dump = sample_read("table_static", "/fixture/static");
    uint64_t own_ir = 0;
    struct own_rule rule = {.root = "/fixture", .by_source = true};
    cr_assert(profile_own(&dump.windows[1], &rule, &own_ir));
    cr_assert(eq(u64, own_ir, sum_of(&dump.windows[1], of_table, 6)));
    rule.root = "/elsewhere";
    cr_assert(profile_own(&dump.windows[1], &rule, &own_ir));
    cr_assert(eq(u64, own_ir, 0));
    callgrind_release(&dump);

    dump = sample_read("table_static_bare", "/fixture/static");
    rule.root = "/fixture";
    own_ir = 1;
    cr_assert(not(profile_own(&dump.windows[1], &rule, &own_ir)));
    cr_assert(eq(u64, own_ir, 0));
    callgrind_release(&dump);
}

Test(profile, a_relative_source_is_own_where_it_exists_under_the_root)
{
    char root[] = "/tmp/ckbench-own-XXXXXX";
    char path[64];
    struct callgrind_dump dump;
    struct fault fault = {""};
    cr_assert(mkdtemp(root) != NULL);
    (void)snprintf(path, sizeof path, "%s/here.c", root);
    FILE *file = fopen(path, "w");
    cr_assert(file != NULL && fclose(file) == 0);
    cr_assert(
        sample_parse(HAND_FILE(HAND_N1, HAND_PART(2, "dump n2",
                                                  "ob=/x/exe\nfl=./here.c\nfn=f\n1 5\n"
                                                  "fl=./malloc/./malloc/malloc.c\nfn=malloc\n1 7\n"
                                                  "fl=../../etc/passwd\nfn=g\n1 11\n"
                                                  "fl=./build/./here.c\nfn=k\n1 19\n"
                                                  "fl=/usr/include/inlined.h\nfn=h\n1 13\n"
                                                  "fi=here.c\n1 17\n",
                                                  72)),
                     &dump, &fault),
        "%s", fault.text);
    uint64_t own_ir = 0;
    struct own_rule rule = {.root = root, .by_source = true};
    cr_assert(profile_own(&dump.windows[1], &rule, &own_ir));
    cr_assert(eq(u64, own_ir, 5 + 13 + 17 + 19));
    callgrind_release(&dump);
    (void)unlink(path);
    (void)rmdir(root);
}

Test(profile, edges_are_equal_per_op_or_not_at_all)
{
    static const char edges[] = IN_EXE "1 1\ncfn=g\ncalls=10 1\n1 9\ncfn=h\ncalls=5 1\n1 9\n";
    static const char twice[] = IN_EXE "1 9\ncfn=h\ncalls=10 1\n1 9\ncfn=g\ncalls=20 1\n1 9\n";
    static const char fewer[] = IN_EXE "1 1\ncfn=g\ncalls=10 1\n1 9\n";
    static const char other[] = IN_EXE "1 1\ncfn=g\ncalls=10 1\n1 9\ncfn=i\ncalls=5 1\n1 9\n";
    static const char third[] = IN_EXE "1 1\ncfn=g\ncalls=10 1\n1 9\ncfn=h\ncalls=6 1\n1 9\n";
    static const struct {
        const char *records;
        uint64_t total, ops;
        bool same;
    } rows[] = {{edges, 1, 10, true},  {twice, 9, 20, true},  {twice, 9, 10, false},
                {fewer, 1, 10, false}, {other, 1, 10, false}, {third, 1, 10, false}};
    struct callgrind_dump base;
    struct fault fault = {""};
    char text[1024];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct callgrind_dump head;
        sample_window(text, sizeof text, edges, 1);
        cr_assert(sample_parse(text, &base, &fault), "%s", fault.text);
        sample_window(text, sizeof text, rows[i].records, rows[i].total);
        cr_assert(sample_parse(text, &head, &fault), "%s", fault.text);
        const struct profile *a = &head.windows[1];
        const struct profile *b = &base.windows[1];
        cr_assert(profile_same_edges(a, rows[i].ops, b, 10) == rows[i].same, "row %zu", i);
        cr_assert(profile_same_edges(b, 10, a, rows[i].ops) == rows[i].same, "row %zu", i);
        callgrind_release(&head);
        callgrind_release(&base);
    }
}

Test(profile, functions_meet_across_paths_and_static_namesakes_by_file)
{
    struct callgrind_dump base;
    struct callgrind_dump head;
    struct fault fault = {""};
    char text[1024];
    sample_window(
        text, sizeof text,
        "ob=/x/exe\nfl=/old/a.c\nfn=grow\n1 1\nfl=/old/b.c\nfn=grow\n1 2\nfn=moved\n1 3\n", 6);
    cr_assert(sample_parse(text, &base, &fault), "%s", fault.text);
    sample_window(text, sizeof text,
                  "ob=/x/exe\nfl=/new/b.c\nfn=grow.part.0\n1 20\nfl=/new/a.c\nfn=grow\n1 10\n"
                  "fl=/new/c.c\nfn=grow\n1 5\nfn=moved\n1 30\n",
                  65);
    cr_assert(sample_parse(text, &head, &fault), "%s", fault.text);
    const struct profile *a = &head.windows[1];
    const struct profile *b = &base.windows[1];
    cr_assert(eq(sz, a->function_count, 4));
    cr_assert(eq(sz, b->function_count, 3));
    // Sorted by name, then source: grow of a.c, b.c, c.c; moved.
    cr_assert(eq(sz, profile_find_match(a, 0, b), 0));
    cr_assert(eq(sz, profile_find_match(a, 1, b), 1));
    cr_assert(eq(sz, profile_find_match(a, 2, b), SIZE_MAX));
    cr_assert(eq(sz, profile_find_match(a, 3, b), 2));
    cr_assert(eq(sz, profile_find_match(b, 2, a), 3));
    callgrind_release(&head);
    callgrind_release(&base);
}

static bool note_variant(void *context, const char *root, const char *variant)
{
    char *all = context;
    size_t len = strlen(all);
    (void)snprintf(all + len, 128 - len, "%s=%s ", root, variant);
    return true;
}

Test(profile, resolved_variants_are_told)
{
    static const struct {
        const char *object, *name, *root, *variant;
    } rows[] = {
        {"libc.so", "__memcpy_avx_unaligned_erms", "memcpy", "avx_unaligned_erms"},
        {"libc.so", "__strcasecmp_l_avx2", "strcasecmp_l", "avx2"},
        {"libc.so", "__memset_evex_unaligned", "memset", "evex_unaligned"},
        {"libc.so", "__memmove_avx512_no_vzeroupper", "memmove", "avx512_no_vzeroupper"},
        {"libc.so", "__strchr_sse2_no_bsf", "strchr", "sse2_no_bsf"},
        {"libm.so", "__sin_fma", "sin", "fma"},
        {"libc.so", "__memcpy_generic", "memcpy", "generic"},
        {"exe", "__strlen_avx2", "strlen", "avx2"},
        {"exe", "__hash_avx2", NULL, NULL},
        {"libz.so", "__memcpy_avx2", NULL, NULL},
        {"libc.so", "__libc_start_main", NULL, NULL},
        {"libc.so", "memcpy", NULL, NULL},
        {"libc.so", "__avx2", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *root = NULL;
        const char *variant = NULL;
        size_t len = 0;
        bool is = symbol_ifunc(rows[i].object, rows[i].name, &root, &len, &variant);
        cr_assert(is == (rows[i].root != NULL), "%s", rows[i].name);
        if (is) {
            char name[64];
            (void)snprintf(name, sizeof name, "%.*s", (int)len, root);
            sample_same(name, rows[i].root);
            sample_same(variant, rows[i].variant);
        }
    }
    char all[128] = "";
    struct callgrind_dump dump = sample_read("table_base", NULL);
    cr_assert(profile_ifuncs(&dump.windows[1], note_variant, all));
    sample_same(all, "strcmp=avx2 ");
    callgrind_release(&dump);
}

Test(profile, readers_of_clock_entropy_and_pid_are_named)
{
    struct callgrind_dump dump;
    struct fault fault = {""};
    struct profile_reader readers[4];
    char text[1024];
    sample_window(text, sizeof text,
                  "ob=/x/exe\nfl=a.c\nfn=stamp\n1 1\ncfn=clock_gettime\ncalls=3 1\n1 1\n"
                  "cob=/lib/libc.so.6\ncfn=getrandom@@GLIBC_2.25\ncalls=7 1\n1 1\n"
                  "fn=clock_gettime\n1 1\ncob=/lib/libc.so.6\ncfn=clock_gettime\ncalls=3 1\n1 1\n"
                  "fn=ckbench_tick\n1 1\ncfn=clock_gettime\ncalls=9 1\n1 1\n"
                  "fn=who\n1 1\ncob=/lib/libc.so.6\ncfn=getpid\ncalls=5 1\n1 1\n",
                  4);
    cr_assert(sample_parse(text, &dump, &fault), "%s", fault.text);
    cr_assert(eq(sz, profile_readers(&dump.windows[1], readers, 4), 3));
    static const struct profile_reader expected[] = {
        {PROFILE_INPUT_ENTROPY, "getrandom", "stamp", 7},
        {PROFILE_INPUT_PID, "getpid", "who", 5},
        {PROFILE_INPUT_CLOCK, "clock_gettime", "stamp", 3}};
    for (size_t i = 0; i < 3; i++) {
        cr_assert(readers[i].input == expected[i].input);
        sample_same(readers[i].callee, expected[i].callee);
        sample_same(readers[i].caller, expected[i].caller);
        cr_assert(eq(u64, readers[i].calls, expected[i].calls));
    }
    // More than there is room for: the first ones by calls, and how many there are.
    readers[1].calls = 99;
    cr_assert(eq(sz, profile_readers(&dump.windows[1], readers, 1), 3));
    sample_same(readers[0].callee, "getrandom");
    cr_assert(eq(u64, readers[1].calls, 99));
    callgrind_release(&dump);
}

Test(profile, the_library_code_that_hangs_on_addresses_is_known)
{
    static const struct {
        const char *object, *name;
        bool is_heap, is_string;
    } rows[] = {
        {"libc.so", "_int_malloc", true, false},
        {"libc.so", "malloc_consolidate", true, false},
        {"libc.so", "unlink_chunk", true, false},
        {"libc.so", "tcache_init", true, false},
        {"libc.so", "__libc_calloc", true, false},
        {"libc.so", "free", true, false},
        {"libc.so", "__strcmp_avx2", false, true},
        {"libc.so", "__memcpy_avx_unaligned_erms", false, true},
        {"libc.so", "strncasecmp_l", false, true},
        {"libc.so", "__memcpy_chk", false, true},
        {"ld-linux-x86-64.so", "strcmp", false, true},
        {"libc.so", "strtol", false, false},
        {"libc.so", "__strtod_internal", false, false},
        {"libc.so", "strftime", false, false},
        {"libc.so", "qsort", false, false},
        {"libc.so", "libc.so+?", false, false},
        {"libc.so", "freeaddrinfo", false, false},
        {"libtable.so", "_int_malloc", false, false},
        {"libtable.so", "__strcmp_avx2", false, false},
        {"exe", "memcpy", false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert(symbol_is_libc_heap(rows[i].object, rows[i].name) == rows[i].is_heap, "%s",
                  rows[i].name);
        cr_assert(symbol_is_libc_string(rows[i].object, rows[i].name) == rows[i].is_string, "%s",
                  rows[i].name);
    }
}
